"""Stdlib policies on the real page cache under memory pressure; one machine runs them all."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks import Results, passed, run_checks
from vm_types import CHECKOUT

from cpol.cli.policy import stdlib_names
from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime import loader

pytestmark = pytest.mark.vm

SCRIPT = Path(__file__).parent / "stdlib_checks.py"


@pytest.fixture(scope="module")
def results(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("stdlib")
    for name in stdlib_names():
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    return run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder))


@pytest.mark.parametrize("name", stdlib_names())
def test_under_pressure(results: Results, name: str) -> None:
    passed(results, name)
