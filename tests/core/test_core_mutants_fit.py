"""The lines that the tests of mutants change are still in the cores; `make test-all` builds the mutants."""

from __future__ import annotations

import pytest
import test_core_agree_mutants as agree
import test_core_mutants as cases
import test_core_prefetch_mutants as prefetch
from core_build import ROOT

CHANGED = [
    *(("cache_ext", file, old) for file, old, _ in cases.MUTANTS.values()),
    *(("cache_ext", file, old) for _, _, file, changes in cases.CASE_MUTANTS.values() for old, _ in changes),
    *(("cache_ext", file, old) for _, file, old, _ in agree.OF_THE_CORE.values()),
    *(("prefetch_ext", file, old) for _, _, file, changes in prefetch.MUTANTS.values() for old, _ in changes),
]


@pytest.mark.parametrize(("core", "file", "old"), CHANGED)
def test_the_line_is_there(core: str, file: str, old: str) -> None:
    assert old in (ROOT / "kernel" / core / file).read_text(), "the file changed; write the mutant anew"
