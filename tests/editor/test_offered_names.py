"""The name that a policy of the standard library has at a place is among those that completion offers there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cpol.compiler.policies import STDLIB
from cpol.compiler.syntax.again import Again
from cpol.editor.lsp.complete import Completer
from cpol.editor.lsp.texts import Texts

COMMENT = re.compile(r"//[^\n]*")
PLACE = re.compile(r"(?:[=!<>]=|[<>]|[-+*]?=|up to)\s+([A-Za-z_]\w*)")
EVERY = 5
"""One place of so many is tried."""


def labels(text: str, offset: int, declared: str) -> dict[str, bool]:
    """What is offered at a place, and whether it comes first, in a policy that was whole before."""
    again = Again()
    texts = Texts(again)
    texts.change("p.cpol", declared)
    texts.text("p.cpol")
    texts.change("p.cpol", text)
    found = Completer(texts, again.lexer).items("p.cpol", offset)
    return {item.label: not (item.sort_text or "0").startswith("1") for item in found}


@pytest.mark.slow
def test_the_names_of_the_standard_library_are_offered_and_come_first() -> None:
    tried = 0
    for path in sorted(Path(str(STDLIB)).glob("*.cpol")):
        text = path.read_text(encoding="utf-8")
        bare = COMMENT.sub(lambda found: " " * len(found.group()), text)
        # The words of a test may be those of its cases, which only its table declares.
        places = [each for each in PLACE.finditer(bare) if "expect" not in bare[: each.start()].rpartition("\n")[2]]
        for place in places[::EVERY]:
            word = place.group(1)
            found = labels(text[: place.start(1)] + text[place.end(1) :], place.start(1), text)
            assert found.get(word), f"{path.name}, line {text.count(chr(10), 0, place.start()) + 1}: {word}"
            tried += 1
    assert tried > 50


@pytest.mark.parametrize(
    "declaration",
    ["fn g(f: folio): bool = @ > 1", "action a(f: folio) { count = @ }", "action a(l: list) { count = @ }"],
)
def test_the_type_of_a_parameter_begins_no_declaration(declaration: str) -> None:
    text = f"policy p {{\n  state count: u64 = 0\n  list q\n  {declaration}\n  on evict {{ }}\n}}\n"
    at = text.index("@")
    assert "count" in labels(text.replace("@", ""), at, text.replace("@", "count"))
