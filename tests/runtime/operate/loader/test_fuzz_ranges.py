"""Ranges of pages in a trie that is made up: what the fuzzer of ranges found stays mended, and walks end."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from loader_types import Build

pytestmark = pytest.mark.slow

CORPUS = Path(__file__).parent / "corpus" / "ranges"


@pytest.fixture(scope="module")
def fuzz(build: Build) -> Path:
    return build("fuzz_ranges", ("elements", "map_changes", "page_ranges", "util"))


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_kept_changes(fuzz: Path, path: Path) -> None:
    """`bits-behind-the-prefix`: a program wrote 5/60 for 0/60, and `list` showed pages that it does not have."""
    done = subprocess.run([fuzz, path], capture_output=True, text=True, errors="replace", check=False, timeout=60)
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["all", "one"])
def test_a_walk_that_never_ends_is_given_up(build: Build, what: str) -> None:
    """A member of the input's group may remove and add elements all the time, while root lists them."""
    endless = build("endless_ranges")
    done = subprocess.run([endless, what], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1, done.stderr
    assert done.stderr == "cpol-loader: error: cannot read the input pages: it changes too fast; try again\n"
