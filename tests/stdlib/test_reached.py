"""`cpolc check` runs every statement of every stdlib policy, and finds nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpol.compiler import compile_file
from cpol.runtime.check import check
from cpol.runtime.check.report import as_text

STDLIB = sorted((Path(__file__).resolve().parents[2] / "stdlib").glob("*.cpol"))

EXAMPLES = 100
"""Short scenarios: with 60, slru needs more than its long runs to reach its line 19."""


@pytest.mark.long
@pytest.mark.parametrize("path", STDLIB, ids=lambda path: path.stem)
def test_every_statement_is_reached(path: Path) -> None:
    found = check(compile_file(path), max_examples=EXAMPLES)
    assert found.counterexample is None, as_text(found.counterexample)
    assert found.unreached == [], f"cpolc check {path.stem} --max-examples {EXAMPLES}"
