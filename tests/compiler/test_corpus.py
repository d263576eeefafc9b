"""Wrong policies with their exact diagnostics, and dumps of correct policies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cpol.compiler.diagnostics.errors import registry

from .corpus import GOLDEN, WRONG, diagnostics_of, golden

NEEDS_NO_FILE = {"E0002", "E0006", "E0018"}
"""Tested in test_read.py: a missing file, and texts that are too large for this corpus."""
OF_A_PROFILE = "E05"
"""Tested in cost/test_refused.py: correct policies that some kernel cannot run."""


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_diagnostics(path: Path) -> None:
    assert diagnostics_of(path) == path.with_suffix(".expected").read_text(encoding="utf-8")


def test_no_orphan_expectations() -> None:
    assert {path.stem for path in WRONG} == {path.stem for path in (GOLDEN.parent / "wrong").glob("*.expected")}


def test_every_code_occurs() -> None:
    met = set()
    for path in WRONG:
        met |= set(re.findall(r"^(?:error|warning)\[(\w+)\]", path.with_suffix(".expected").read_text(), re.MULTILINE))
    assert met == {code for code in registry() if not code.startswith(OF_A_PROFILE)} - NEEDS_NO_FILE


def test_every_wrong_policy_has_diagnostics() -> None:
    assert all(path.with_suffix(".expected").stat().st_size > 0 for path in WRONG)


def test_golden_dumps() -> None:
    dumps = golden()
    assert {path.name for path in GOLDEN.iterdir()} == set(dumps)
    for name, text in dumps.items():
        assert text == (GOLDEN / name).read_text(encoding="utf-8"), name
