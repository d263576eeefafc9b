"""A cgroup stays within its quota of cached pages, and one that asks too much costs nobody (quota_checks.py)."""

from __future__ import annotations

import pytest
from checks import Results, passed, run_checks
from kernels import KERNELS, kernel_and_environment
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime.operate import loader

pytestmark = pytest.mark.vm

VM = CHECKOUT / "tests" / "vm"
POLICIES = (CHECKOUT / "stdlib" / "quota.cpol", VM / "greedy.cpol")
CHECKS = ("four_readers_stay_within_the_quota", "who_asks_for_ever_costs_its_neighbour_nothing")


@pytest.fixture(scope="module", params=KERNELS)
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("quota")
    for path in POLICIES:
        bpf.compile_policy(compile_file(path), folder / f"{path.stem}.bpf.o")
    kernel, environment = kernel_and_environment(request.param)
    return run_checks(kernel, VM / "quota_checks.py", folder, str(loader.find()), str(folder), environment=environment)


@pytest.mark.parametrize("name", CHECKS)
def test_in_the_machine(results: Results, name: str) -> None:
    passed(results, name)
