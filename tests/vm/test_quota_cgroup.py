"""A cgroup stays within its quota of cached pages, and one that asks too much costs nobody (quota_checks.py)."""

from __future__ import annotations

import pytest
from checks import Results, names_of, passed, run_checks
from kernels import ON_MODULE, kernel_and_environment
from vm_types import CHECKOUT

from cpol.compiler import compile_file, compile_source
from cpol.compiler.backend import bpf
from cpol.compiler.expand.quota import with_quota
from cpol.runtime.operate import loader

pytestmark = pytest.mark.vm

VM = CHECKOUT / "tests" / "vm"
STDLIB = CHECKOUT / "stdlib"
POLICIES = (*(STDLIB / f"{name}.cpol" for name in ("quota", "quota_by_file", "ttl")), VM / "greedy.cpol")
OTHER = STDLIB / "s3fifo.cpol"
SCRIPT = VM / "quota_checks.py"


@pytest.fixture(scope="module", params=ON_MODULE)
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("quota")
    for path in POLICIES:
        bpf.compile_policy(compile_file(path), folder / f"{path.stem}.bpf.o")
    limited = compile_source(with_quota(OTHER.read_text(), str(OTHER), 1024), str(OTHER))
    bpf.compile_policy(limited, folder / f"{OTHER.stem}.bpf.o")
    kernel, environment = kernel_and_environment(request.param)
    return run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder), environment=environment)


@pytest.mark.parametrize("name", names_of(SCRIPT))
def test_in_the_machine(results: Results, name: str) -> None:
    passed(results, name)
