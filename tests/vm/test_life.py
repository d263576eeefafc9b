"""An attached policy's life on the real page cache: one machine runs all checks of life_checks.py."""

from __future__ import annotations

import shutil
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


@pytest.fixture(scope="module")
def results(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The result of each check."""
    folder = tmp_path_factory.mktemp("life")
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
    return run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder))


@pytest.mark.parametrize("name", NAMES)
def test_in_the_machine(results: Results, name: str) -> None:
    passed(results, name)
