"""`cpolc lint --fix`: what it mends, and that decisions stay."""

from __future__ import annotations

import pytest

from cpol.compiler.diagnostics.edit import Edit, apply
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.lint.run import lint, mended
from cpol.compiler.stages import run

BODY = """\
  list queue
  on added(f)    { place f at tail of queue }
  on evict       { scan queue from head up to limit as f { evict f } }
}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  state limit: u8 = 2 + 2  // why\n", "  const limit: u8 = 2 + 2  // why\n"),
        ("  /// doc\n  param limit: u8 = 4 in 4..4 folios live\n", "  /// doc\n  const limit: u8 = 4\n"),
        ("  const limit: u8 = 4  // lint: allow L0105 because x\n", "  const limit: u8 = 4\n"),
        ("  // lint: allow L0105 because x\n  const limit: u8 = 4\n", "  const limit: u8 = 4\n"),
        (
            "  // lint: allow L0106 because x\n  state limit: u8 = 4  // lint: allow L0190 because y\n",
            "  const limit: u8 = 4  // lint: allow L0190 because y\n",
        ),
        ("  // lint: allow L0105 because x\n  state limit: u8 = 4\n", None),
        ("  param limit: u8 = 4 in 1..9\n", None),
        ("  state limit: u8 =  // a comment inside\n    4\n", None),
        ("  param limit: u8 = 4\n    // a comment inside\n    in 4..4\n", None),
    ],
)
def test_what_is_mended(before: str, after: str | None) -> None:
    text = "policy p {\n" + before + BODY
    new, count = mended(text, "p.cpol")
    assert new == ("policy p {\n" + after + BODY if after else text)
    assert (count > 0) is (after is not None)
    assert not [each for each in lint(run(new, "p.cpol")) if each.edits and not each.reason]


def test_what_would_not_compile_stays() -> None:
    """A test sets the param, which it can no longer do with a const."""
    text = "policy p {\n  param limit: u8 = 4 in 4..4\n" + BODY.removesuffix("}\n")
    text += "  test t(capacity: 2, limit: 4) { access 1  expect queue.has(1) }\n}\n"
    assert mended(text, "p.cpol") == (text, 0)
    assert "L0104" in [each.code for each in lint(run(text, "p.cpol"))]


def test_edits_that_overlap_are_made_once() -> None:
    edits = [Edit(Span(2, 4), "x"), Edit(Span(0, 1), ""), Edit(Span(3, 5), "y"), Edit(Span(6, 6), "z")]
    assert apply("abcdefg", edits) == "bxefzg"
