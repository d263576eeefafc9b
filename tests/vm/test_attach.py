"""Attached policies on the real page cache: one machine runs all checks of attach_checks.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from by_hand import make_by_hand, make_newer
from checks import Results, names_of, passed, run_checks
from refused_policy import make_refused
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime.operate import loader, record

pytestmark = pytest.mark.vm

SCRIPT = Path(__file__).parent / "attach_checks.py"
OWN_POLICIES = CHECKOUT / "tests" / "vm" / "objects"
POLICIES = ("fifo", "lfu", "mru", "s3fifo")
OWN = ("turning", "records", "measuring", "alike", "bits", "choice", "either", "counting", "holding", "origins")
NAMES = [f"attach_works_{name}" for name in POLICIES] + names_of(SCRIPT)
"""The checks in the order of the run."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exchange folder."""
    return tmp_path_factory.mktemp("attach")


@pytest.fixture(scope="module")
def results(kernel: Path, folder: Path) -> Results:
    """The result of each check."""
    make_objects(folder)
    record.PROGRAM.find()  # compiled here, since clang takes minutes in the machine
    environment = {"CPOL_CACHE": os.environ["CPOL_CACHE"]} if "CPOL_CACHE" in os.environ else {}
    return run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder), environment=environment)


def make_objects(folder: Path) -> None:
    """Compile the policies, and one that the verifier must refuse."""
    for path in (
        *(CHECKOUT / "stdlib").glob("*.cpol"),
        *(OWN_POLICIES / f"{name}.cpol" for name in OWN),
    ):
        bpf.compile_policy(compile_file(path), folder / f"{path.stem}.bpf.o")
    everything = CHECKOUT / "tests" / "compiler" / "backend" / "everything.cpol"
    bpf.compile_policy(compile_file(everything), folder / "everything.bpf.o")
    make_by_hand(folder / "live.bpf.o")
    make_newer(folder / "newer.bpf.o")
    make_refused(folder / "refused.bpf.o")
    (folder / "sanitized-loader").write_text(str(loader.find("sanitize")))


@pytest.mark.parametrize("name", NAMES)
def test_in_the_machine(results: Results, name: str) -> None:
    passed(results, name)
