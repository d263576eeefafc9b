"""Caching off on the real page cache: `cpolc uncached`, and the stdlib policies about ranges of files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from checks import Results, names_of, passed, run_checks
from kernels import ON_PATCHED, kernel_and_environment
from vm_types import CHECKOUT

from cpol.cli.objects import object_of
from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime.operate import loader

pytestmark = pytest.mark.vm

SCRIPT = Path(__file__).parent / "uncached_checks.py"
POLICIES = ("uncached", "write_through", "drop_behind", "backup")


@pytest.fixture(scope="module", params=ON_PATCHED)
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The result of each check. Objects are compiled first on the host, since clang takes minutes in the machine."""
    folder = tmp_path_factory.mktemp("uncached")
    with object_of("uncached"):
        pass
    for name in POLICIES:
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    kernel, environment = kernel_and_environment(request.param)
    environment |= {"CPOL_CACHE": os.environ["CPOL_CACHE"]} if "CPOL_CACHE" in os.environ else {}
    return run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder), environment=environment)


@pytest.mark.parametrize("name", names_of(SCRIPT))
def test_in_the_machine(results: Results, name: str) -> None:
    passed(results, name)
