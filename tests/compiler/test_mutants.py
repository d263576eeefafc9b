"""A policy with a few tokens changed is refused, or its C compiles (mutants.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import mutants
from .mutants import COUNT, POLICIES, SEED, THOROUGH, compile_anything, judge, mutant

PARTS = 4
"""Number of tests among which the mutants are divided, so that they run in parallel."""


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_mutants(part: int) -> None:
    print(f"CPOL_SEED={SEED} CPOL_THOROUGH={THOROUGH}: mutants {part}, {part + PARTS}, … of {COUNT}")
    failures = list(judge((mutant(number) for number in range(part, COUNT, PARTS)), thorough=THOROUGH > 1))
    assert not failures, "\n\n".join(failure.keep() for failure in failures)


@pytest.mark.slow
def test_many_mutants_are_accepted() -> None:
    """Only accepted mutants reach clang."""
    assert sum(compile_anything(mutant(number)) is not None for number in range(40)) > 5


def test_failure_is_detected_and_saved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mutants, "COMPILERS", (("sh", "-c", "echo refused >&2; exit 1"),))
    monkeypatch.setattr(mutants, "KEPT", tmp_path)
    (failure,) = judge(POLICIES[:1])
    assert "refused" in failure.keep()
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == POLICIES[:1]
