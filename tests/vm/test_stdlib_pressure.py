"""Stdlib policies on the real page cache under memory pressure; one machine for each file system runs them all.

$CPOL_TEST_FILE_SYSTEMS names the file systems, `ext4,xfs` for example; btrfs needs a kernel of build-kernel --debug.
With $CPOL_TEST_MODULE (kernels.py) those run that a kernel with this module can carry.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from checks import Results, passed, run_checks
from kernels import MODULE, carried_by
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.compiler.policies import stdlib_names
from cpol.runtime.operate import loader

pytestmark = [pytest.mark.vm, pytest.mark.long]

FILE_SYSTEMS = os.environ.get("CPOL_TEST_FILE_SYSTEMS", "ext4").split(",")
NAMES = carried_by(MODULE) if MODULE else tuple(stdlib_names())
SCRIPT = Path(__file__).parent / "stdlib_checks.py"


@pytest.fixture(scope="module", params=FILE_SYSTEMS)
def results(request: pytest.FixtureRequest, kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("stdlib")
    for name in NAMES:
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    words = (str(loader.find()), str(folder))
    environment = {"CPOL_MODULE": str(MODULE)} if MODULE else {}
    return run_checks(kernel, SCRIPT, folder, *words, environment=environment, file_system=request.param, timeout=3600)


@pytest.mark.parametrize("name", NAMES)
def test_under_pressure(results: Results, name: str) -> None:
    passed(results, name)
