"""Trials of policies on the real page cache: one machine runs all checks of trial_checks.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from by_hand import make_by_hand
from checks import Results, names_of, passed, run_checks
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime.operate import loader

pytestmark = [pytest.mark.vm, pytest.mark.long]

SCRIPT = Path(__file__).parent / "trial_checks.py"
OBJECTS = Path(__file__).parent / "objects"


@pytest.fixture(scope="module")
def results(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The result of each check."""
    folder = tmp_path_factory.mktemp("trial")
    for name in ("fifo", "lfu", "mru"):
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    for name in ("ahead", "double", "rotating"):
        bpf.compile_policy(compile_file(OBJECTS / f"{name}.cpol"), folder / f"{name}.bpf.o")
    make_by_hand(folder / "live.bpf.o")
    (folder / "loader-kill-at").write_text(str(loader.find("kill-at")))
    return run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder))


@pytest.mark.parametrize("name", names_of(SCRIPT))
def test_in_the_machine(results: Results, name: str) -> None:
    passed(results, name)
