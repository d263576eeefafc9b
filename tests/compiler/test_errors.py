"""The registry of diagnostics is complete, and its examples are correct."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cpol.compiler.analysis.profile import refusals
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.diagnostics.errors import Explanation, explain, registry
from cpol.compiler.stages import run
from cpol.kernel import profiles

from .examples import wrap

COMPILER = Path(__file__).parents[2] / "compiler"
ENTRIES = registry().values()


def codes_of(text: str, profile: str) -> set[str]:
    try:
        compiled = run(text, "example.cpol")
        found = {d.code for d in compiled.warnings}
        if profile:
            setting = Setting.of(compiled.policy, 1000)
            found |= {refusal.code for refusal in refusals(compiled.policy, profiles.load(profile), setting)}
        return found
    except CompileError as error:
        return {d.code for d in error.diagnostics}


def test_registry_matches_the_codes_in_the_compiler() -> None:
    used: set[str] = set()
    for path in COMPILER.rglob("*.py"):
        used |= set(re.findall(r'"([EWL]\d{4})"', path.read_text(encoding="utf-8")))
    assert used == set(registry())


def test_codes_are_sorted() -> None:
    for kind in "EWL":
        codes = [code for code in registry() if code.startswith(kind)]
        assert codes == sorted(codes)


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.wrong and e.code[0] != "L"], ids=lambda e: e.code)
def test_wrong_example_has_only_its_code(entry: Explanation) -> None:
    assert codes_of(wrap(entry.wrong), entry.profile) - {"W0401"} == {entry.code} - {"W0401"}
    assert entry.code in codes_of(wrap(entry.wrong), entry.profile)


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.right], ids=lambda e: e.code)
def test_right_example_compiles(entry: Explanation) -> None:
    assert codes_of(wrap(entry.right), entry.profile) <= {"W0401"}


def test_explain_accepts_any_case_and_refuses_unknown_codes() -> None:
    found = explain("e0209")
    assert found is not None
    assert found.code == "E0209"
    assert found.render().startswith("E0209: a divisor that may be zero\n\n")
    assert explain("E9999") is None
