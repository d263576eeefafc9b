"""The edits that errors and warnings carry: what they make of a text, and which texts have none."""

from __future__ import annotations

import pytest

from cpol.compiler.diagnostics import CompileError, Diagnostic
from cpol.compiler.diagnostics.edit import apply
from cpol.compiler.policies import STDLIB
from cpol.compiler.stages import run

POLICY = """\
policy p {
  list queue
  folio { reads: u8 = 0 }
  on added(f) { place f at tail of queue }
  on accessed(f) {
    if f.reads < 9 {
      f.reads += 1  // one more
    }
    move f to tail of queue
  }
  on evict { scan queue from head as f { evict f } }
}
"""


def said(text: str) -> list[Diagnostic]:
    try:
        return list(run(text, "p.cpol").warnings)
    except CompileError as error:
        return error.diagnostics


def fixed(text: str, code: str) -> list[str]:
    """The texts that fixes of `code` make."""
    found = [each for each in said(text) if each.code == code]
    assert found, f"{code} is not found: {said(text)}"
    return [apply(text, each.fix.edits) for each in found if each.fix is not None]


MENDED = {
    "a misspelt name": ("E0101", "tail of queue }", "tail of quue }"),
    "a misspelt field": ("E0106", "f.reads < 9", "f.raeds < 9"),
    "a misspelt declaration": ("E0001", "list queue", "lsit queue"),
    "a misspelt event": ("E0105", "on accessed", "on acessed"),
    "a misspelt word": ("E0001", "tail of queue }", "tial of queue }"),
    "a word that is missing": ("E0001", "at tail of", "at tail"),
    "a sign that is missing": ("E0001", "reads: u8", "reads u8"),
    "a name of another thing": ("E0101", "if f.reads < 9", "if reads < 9"),
    "a semicolon": ("E0009", "+= 1  //", "+= 1;  //"),
    "a semicolon between words": ("E0009", "f.reads += 1 ", "f.reads += 1;"),
    "a sign of another language": ("E0009", "f.reads < 9", "f.reads ≤ 9"),
    "the brace of one line": ("E0012", "queue }", "queue"),
    "the brace of a block": ("E0012", "of queue\n  }\n", "of queue\n"),
    "the brace of the policy": ("E0012", "f } }\n}\n", "f } }\n"),
    "a let": ("W0401", "{ place", "{ let idle = 1 + 2 place"),
    "a let on its line": ("W0401", "    move", "    let idle = f.pages\n    move"),
    "a state": ("W0401", "  folio", "  state idle: u8 = 0\n  folio"),
    "one of two lists": ("W0401", "list queue", "list queue, idle"),
    "the first of two lists": ("W0401", "list queue", "list idle, queue"),
    "a handler that is missing": ("E0309", "  on evict { scan queue from head as f { evict f } }\n", ""),
}


@pytest.mark.parametrize("case", MENDED)
def test_a_fix_makes_the_right_text(case: str) -> None:
    code, right, wrong = MENDED[case]
    assert right in POLICY
    (text,) = fixed(POLICY.replace(right, wrong, 1), code)
    assert text.replace("<=", "<").split() == POLICY.split()


def test_no_declaration_goes_for_a_brace() -> None:
    text = (STDLIB / "lru.cpol").read_text(encoding="utf-8")
    assert fixed(text.replace("tail of queue }\n", "tail of queue\n", 1), "E0012") == [text]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("f.reads", "max(f.reads, 1)"), ("(f.reads)", "(max(f.reads, 1))"), ("f.reads * 2", "max(f.reads, 1) * 2")],
)
def test_a_divisor(wrong: str, right: str) -> None:
    text = POLICY.replace("f.reads += 1", f"f.reads = 8 / {wrong}")
    assert fixed(text, "E0209") == [
        text.replace(wrong, right, 1) if wrong[0] != "f" else text.replace(f"8 / {wrong}", f"8 / {right}")
    ]


NONE = {
    "what is assigned to": ("W0401", "if f.reads < 9 {", "if f.pages < 9 {"),
    "a let whose value does something": (
        "W0401",
        "  list queue\n  folio",
        "  list queue\n  ghost g { capacity: 8 }\n  folio",
    ),
    "a declaration with a comment above": ("W0401", "  folio", "  // it waits\n  state idle: u8 = 0\n  folio"),
    "a declaration with a comment behind": ("W0401", "  folio", "  state idle: u8 = 0  // it waits\n  folio"),
    "a declaration with a comment inside": ("W0401", "  folio", "  state idle: u8 = // it waits\n    0\n  folio"),
    "a brace of two on one line": ("E0012", "as f { evict f } }\n", "as f { evict f }\n"),
    "a brace that the layout does not show": ("E0012", "    move f to tail of queue\n  }", "  move f to tail of queue"),
    "the brace of a block that another one takes": (
        "E0012",
        "      f.reads += 1  // one more\n    }\n",
        "      f.reads += 1  // one more\n",
    ),
    "a word at the place of a declaration": ("E0001", "  folio", "  5 folio"),
    "no number": ("E0008", "f.reads += 1  //", "f.reads += 6fresh_gives  //"),
    "one of two signs": ("E0001", "added(f)", "added(f"),
    "a form": ("E0001", "list queue", "list queue ahead"),
}


@pytest.mark.parametrize("case", NONE)
def test_no_fix_is_a_guess(case: str) -> None:
    code, right, wrong = NONE[case]
    assert right in POLICY
    text = POLICY.replace(right, wrong, 1)
    if "does something" in case:
        text = text.replace("place f at", "let took = g.take(f) place f at").replace("    move", "    g.add(f) move")
    assert fixed(text, code) == []


def test_places_of_fixes_are_those_of_the_file() -> None:
    """The body of an action is checked at each call; the fix is where it is written."""
    text = POLICY.replace(
        "  on added", "  action count(f: folio) {\n    let idle = 1\n    f.reads += 1\n  }\n  on added"
    ).replace("      f.reads += 1", "      do count(f)")
    (found,) = (each for each in said(text) if each.code == "W0401")
    assert found.fix is not None and found.span is not None
    (edit,) = found.fix.edits
    _, span, _ = found.source.place(edit.span)
    assert text[: span.start] + text[span.end :] == text.replace("    let idle = 1\n", "")
