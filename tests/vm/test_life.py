"""An attached policy's life on the real page cache: one machine runs all checks of life_checks.py."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from by_hand import make_by_hand
from checks import Results, names_of, passed, run_checks
from graph_reads import make_engine
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime.operate import loader
from cpol.runtime.operate.app import build

pytestmark = pytest.mark.vm

SCRIPT = Path(__file__).parent / "life_checks.py"
NAMES = names_of(SCRIPT)
MORE_KILLS = ("kill_at_any_step_of_replace_without_update", "kill_at_any_step_of_attaching_both")
"""Checks that take the longest, beside others that kill the loader at each of its steps."""


@pytest.fixture(scope="module")
def results(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The result of each check but MORE_KILLS."""
    return in_a_machine(kernel, tmp_path_factory.mktemp("life"), [name for name in NAMES if name not in MORE_KILLS])


@pytest.fixture(scope="module")
def more_kills(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    return in_a_machine(kernel, tmp_path_factory.mktemp("kills"), MORE_KILLS)


def in_a_machine(kernel: Path, folder: Path, names: Sequence[str]) -> Results:
    for name in ("fifo", "lfu", "mru", "s3fifo"):
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    make_by_hand(folder / "live.bpf.o")
    for name in ("sorting", "rotating", "commands", "flags", "arrays", "ahead", "double"):
        bpf.compile_policy(compile_file(Path(__file__).parent / "objects" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / "graph.cpol"), folder / "graph.bpf.o")
    make_engine(folder / "walk")
    shutil.copy(build.own_or_built(None), folder / "libcpol.so")
    for variant in ("sanitize", "kill-at"):
        (folder / f"loader-{variant}").write_text(str(loader.find(variant)))
    return run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder), *names)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in MORE_KILLS])
def test_in_the_machine(results: Results, name: str) -> None:
    passed(results, name)


@pytest.mark.long
@pytest.mark.parametrize("name", MORE_KILLS)
def test_more_kills(more_kills: Results, name: str) -> None:
    passed(more_kills, name)
