"""`cpolc check` runs every statement of every stdlib policy, and finds nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpol.compiler import compile_file
from cpol.runtime.check import check

STDLIB = sorted((Path(__file__).resolve().parents[2] / "stdlib").glob("*.cpol"))


@pytest.mark.parametrize("path", STDLIB, ids=lambda path: path.stem)
def test_every_statement_is_reached(path: Path) -> None:
    """Without native code, which the property tests compare."""
    found = check(compile_file(path), native=False)
    assert found.counterexample is None
    assert found.unreached == [], f"cpolc check {path.stem} --no-native"
