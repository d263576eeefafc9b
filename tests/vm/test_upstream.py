"""Objects for upstream's interface: our loader refuses them; built with our kernel's names, they govern."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks import Results, passed, run_checks
from upstream_trial import carried, compile_trial, make_headers
from vm_types import RunInVm

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.kernel import profiles
from cpol.runtime.operate import loader

pytestmark = [pytest.mark.vm, pytest.mark.long]

SCRIPT = Path(__file__).parent / "stdlib_checks.py"
SOURCES = carried()


@pytest.fixture(scope="module")
def results(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("upstream")
    headers = tmp_path_factory.mktemp("headers")
    make_headers(headers)
    for name, source in SOURCES.items():
        compile_trial(source, headers, folder / f"{name}.bpf.o")
    return run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder))


@pytest.mark.parametrize("name", SOURCES)
def test_under_pressure_on_our_kernel(results: Results, name: str) -> None:
    passed(results, name)


def test_loader_refuses_upstream_objects(vm: RunInVm, tmp_path: Path) -> None:
    path = tmp_path / "fifo.bpf.o"
    bpf.compile_policy(compile_file(SOURCES["fifo"]), path, profiles.load("upstream-2026").target)
    script = 'mkdir /sys/fs/cgroup/x && "$1" attach "$2" /sys/fs/cgroup/x; echo "code $?"; "$1" list'
    done = vm("sh", "-c", script, "sh", str(loader.find()), str(path))
    assert "code 1" in done.stdout, done.stdout
    (line,) = done.stderr.splitlines()
    assert "fifo.bpf.o was compiled for the kernel profile upstream-2026, which this loader does not support" in line
