"""A policy with a few tokens changed: a message, or C that clang accepts (mutants.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import mutants
from .mutants import COUNT, POLICIES, SEED, THOROUGH, compile_anything, judge, mutant

PARTS = 4
"""Tests that share the mutants, so that several processes do."""


@pytest.mark.parametrize("part", range(PARTS))
def test_mutants(part: int) -> None:
    print(f"CPOL_SEED={SEED} CPOL_THOROUGH={THOROUGH}: mutants {part}, {part + PARTS}, … of {COUNT}")
    failures = list(judge((mutant(number) for number in range(part, COUNT, PARTS)), thorough=THOROUGH > 1))
    assert not failures, "\n\n".join(failure.keep() for failure in failures)


def test_many_mutants_are_accepted() -> None:
    """Clang judges only these."""
    assert sum(compile_anything(mutant(number)) is not None for number in range(40)) > 5


def test_a_failure_is_found_and_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mutants, "COMPILERS", (("sh", "-c", "echo refused >&2; exit 1"),))
    monkeypatch.setattr(mutants, "KEPT", tmp_path)
    (failure,) = judge(POLICIES[:1])
    assert "refused" in failure.keep()
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == POLICIES[:1]
