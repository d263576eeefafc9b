"""Objects for upstream's interface: our loader refuses them; built with our kernel's names, they govern."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks import Results, passed, run_checks
from upstream_trial import compile_trial, make_headers
from vm_types import CHECKOUT, RunInVm

from cpol.cli.profiles import load_profile
from cpol.compiler import compile_file, ir
from cpol.compiler.analysis.profile import refusals
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.backend import bpf
from cpol.compiler.policies import stdlib_names
from cpol.runtime.operate import loader

pytestmark = [pytest.mark.vm, pytest.mark.long]

SCRIPT = Path(__file__).parent / "stdlib_checks.py"
PROFILE = load_profile("upstream-2026")


def source(name: str) -> Path:
    return CHECKOUT / "stdlib" / f"{name}.cpol"


def carried(policy: ir.Policy) -> bool:
    return not refusals(policy, PROFILE, Setting.of(policy, 1 << 18))


NAMES = [name for name in stdlib_names() if carried(compile_file(source(name)))]


@pytest.fixture(scope="module")
def results(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("upstream")
    headers = tmp_path_factory.mktemp("headers")
    make_headers(headers)
    for name in NAMES:
        compile_trial(source(name), headers, folder / f"{name}.bpf.o")
    return run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder))


@pytest.mark.parametrize("name", NAMES)
def test_under_pressure_on_our_kernel(results: Results, name: str) -> None:
    passed(results, name)


def test_loader_refuses_upstream_objects(vm: RunInVm, tmp_path: Path) -> None:
    path = tmp_path / "fifo.bpf.o"
    bpf.compile_policy(compile_file(source("fifo")), path, PROFILE.target)
    script = 'mkdir /sys/fs/cgroup/x && "$1" attach "$2" /sys/fs/cgroup/x; echo "code $?"; "$1" list'
    done = vm("sh", "-c", script, "sh", str(loader.find()), str(path))
    assert "code 1" in done.stdout, done.stdout
    (line,) = done.stderr.splitlines()
    assert "fifo.bpf.o was compiled for the kernel profile upstream-2026, which this loader does not support" in line
