"""Rules take any policy that compiles: random texts, and policies with a few words changed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cpol.compiler.diagnostics import CompileError
from cpol.compiler.diagnostics.render import render
from cpol.compiler.lint.run import CODES, lint, mended
from cpol.compiler.lint.sarif import sarif
from cpol.compiler.stages import run
from cpol.kernel import profiles

from ..mutants import mutant

sys.path.append(str(Path(__file__).parents[2] / "property"))
from sources.source import source

KERNELS = [profiles.load(name) for name in ("patched-6.12", "module-6.12")]
NUMBER = 40


@pytest.mark.slow
def test_anything() -> None:
    met = set[str]()
    for number in range(NUMBER):
        for text in (source(number, 1)[0], mutant(number, 1)):
            try:
                compiled = run(text, "any.cpol")
            except CompileError:
                continue
            found = lint(compiled, KERNELS)
            assert all(render(each.diagnostic).startswith(f"warning[{each.code}]: ") for each in found)
            assert len(sarif(found)["runs"][0]["results"]) == len(found)
            met |= {each.code for each in found}
    assert len(met) > len(CODES) // 2, "and they find something"


@pytest.mark.slow
def test_mending_ends_and_compiles() -> None:
    """Nothing that can be mended is left, unless the text would not compile then."""
    count = 0
    for number in range(NUMBER // 4):
        text, some = mended(source(number, 2)[0], "any.cpol", KERNELS)
        run(text, "any.cpol")
        assert mended(text, "any.cpol", KERNELS) == (text, 0)
        count += some
    assert count > 0
