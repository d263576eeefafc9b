"""Ranges of pages in a trie that is made up: what the fuzzer of ranges found stays mended."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from loader_types import Build

CORPUS = Path(__file__).parent / "corpus" / "ranges"


@pytest.fixture(scope="module")
def fuzz(build: Build) -> Path:
    units = ("elements", "map_changes", "page_ranges", "util")
    return build("fuzz_ranges", *units, libraries=("-fsanitize=fuzzer", "-l:libbpf.a", "-lelf", "-lz"))


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_kept_changes(fuzz: Path, path: Path) -> None:
    """`bits-behind-the-prefix`: a program wrote 5/60 for 0/60, and `list` showed pages that it does not have."""
    done = subprocess.run([fuzz, path], capture_output=True, text=True, errors="replace", check=False, timeout=60)
    assert done.returncode == 0, done.stderr[-4000:]
