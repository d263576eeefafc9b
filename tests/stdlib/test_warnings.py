"""What we ship has no comparison with one answer only: such a warning is right, or a fault of the compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpol.compiler.stages import run

ROOT = Path(__file__).resolve().parents[2]
POLICIES = sorted([*(ROOT / "stdlib").glob("*.cpol"), *(ROOT / "examples").rglob("*.cpol")])


def test_there_are_policies() -> None:
    assert len(POLICIES) > 50


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_no_comparison_has_only_one_answer(path: Path) -> None:
    done = run(path.read_text(encoding="utf-8"), str(path))
    assert [warning for warning in done.warnings if warning.code == "W0406"] == []
