"""The values that completion puts first are those that the compiler takes."""

from __future__ import annotations

import pytest
from lsprotocol import types

from cpol.compiler.diagnostics import CompileError
from cpol.compiler.stages import run
from cpol.compiler.syntax.again import Again
from cpol.editor.lsp.complete import Completer
from cpol.editor.lsp.texts import Texts

TEXT = """policy p {
  enum Kind { cold, hot }
  enum Colour { red, green }
  param least: u8 = 1 in 0..9
  const MOST: u64 = 8
  folio { kind: Kind = cold, seen: u8 = 0 }
  list q
  state count: u64 = 0
  state share: fix = 0.5
  state fine: bool = false
  state kind: Kind = cold
  state colour: Colour = red
  on added(f) {
    var some: u32 = 1
    @
    place f at tail of q
  }
  on evict { scan q from head as f { evict f } }
}
"""
VALUES = ("least", "MOST", "count", "share", "fine", "kind", "colour", "some", "cold", "green", "true")
"""Names that are values as they stand."""

NUMBERS = ("count", "share", "some", "f.seen")
OTHERS = ("fine", "kind", "colour", "f.kind")
GIVEN = ("f.pages", "f.dirty")
"""What no policy can assign to."""
CASES = [
    *((left, sign) for left in (*NUMBERS, *OTHERS, *GIVEN) for sign in ("==", "!=")),
    *((left, sign) for left in (*NUMBERS, "f.pages") for sign in ("<", ">=")),
    *((left, "=") for left in (*NUMBERS, *OTHERS) if left != "fine"),
    *((left, sign) for left in NUMBERS for sign in ("+=", "*=")),
]


def offered(statement: str) -> dict[str, types.CompletionItem]:
    """What completion offers at the end of a statement that is not finished."""
    text = TEXT.replace("@", f"{statement} ")
    again = Again()
    texts = Texts(again)
    texts.change("p.cpol", TEXT.replace("@", ""))
    texts.text("p.cpol")
    texts.change("p.cpol", text)
    found = Completer(texts, again.lexer).items("p.cpol", text.index(statement) + len(statement) + 1)
    return {item.label: item for item in found}


def taken(statement: str) -> bool:
    """Whether the compiler takes the types of a statement."""
    try:
        run(TEXT.replace("@", statement), "p.cpol")
    except CompileError as error:
        return not any(found.code.startswith("E02") for found in error.diagnostics)
    return True


@pytest.mark.slow
@pytest.mark.parametrize(("left", "sign"), CASES)
def test_what_comes_first_is_what_the_compiler_takes(left: str, sign: str) -> None:
    begin, end = ("if ", " { count = 0 }") if sign in ("==", "!=", "<", ">=") else ("", "")
    found = offered(f"{begin}{left} {sign}")
    for value in VALUES:
        first = (found[value].sort_text or "0").startswith("0")
        assert first == taken(f"{begin}{left} {sign} {value}{end}"), value


def test_a_bound_and_a_declaration() -> None:
    found = offered("scan q from head up to")
    assert {name: (found[name].sort_text or "")[:1] for name in ("count", "kind", "fine")} == {
        "count": "0", "kind": "1", "fine": "1"
    }  # fmt: skip
    found = offered("var one: Kind =")
    assert {name: (found[name].sort_text or "")[:1] for name in ("count", "kind", "hot", "max")} == {
        "count": "1", "kind": "0", "hot": "0", "max": "1"
    }  # fmt: skip
    assert offered("let one =")["kind"].sort_text is None


def test_nothing_comes_first_where_the_type_is_not_that_of_the_whole() -> None:
    """A truth may begin with a number, as `fine = count > 1` does, and a ghost's fields have no types here."""
    assert offered("fine =")["count"].sort_text is None
    found = offered("gone.add(f, warm: count ==")
    assert {(found[name].sort_text or "")[:1] for name in ("count", "MOST", "share")} == {"0"}
