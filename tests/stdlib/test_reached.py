"""`cpolc check` runs every statement of every stdlib policy, finds nothing, and does not take too much work."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpol.compiler import compile_file
from cpol.runtime.explore.check import check
from cpol.runtime.explore.check.budget import LIMIT
from cpol.runtime.explore.check.report import as_text

STDLIB = sorted((Path(__file__).resolve().parents[2] / "stdlib").glob("*.cpol"))

EXAMPLES = 100
"""Short scenarios: with 60, slru needs more than its long runs to reach its line 19."""

MOST_STATEMENTS = 700_000
"""Statements that the interpreter may run: some 3 microseconds each. `cpolc check replay` has most, with 623,853."""

HEAVY = {"lhd": LIMIT + 20_000, "mglru": 70_000, "graph": 100_000}
"""The policies with the most work, and the statements that ten short scenarios, tests and long runs may have."""


@pytest.mark.slow
@pytest.mark.parametrize("name", HEAVY)
def test_heavy_handlers_do_not_make_a_search_long(name: str) -> None:
    result = check(compile_file(STDLIB[0].with_stem(name)), max_examples=10)
    assert result.counterexample is None and 0 < result.ran <= HEAVY[name]


@pytest.mark.long
@pytest.mark.parametrize("path", STDLIB, ids=lambda path: path.stem)
def test_every_statement_is_reached(path: Path) -> None:
    found = check(compile_file(path), max_examples=EXAMPLES)
    assert found.ran <= MOST_STATEMENTS
    assert found.counterexample is None, as_text(found.counterexample)
    assert found.unreached == [], f"cpolc check {path.stem} --max-examples {EXAMPLES}"
