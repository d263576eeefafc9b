"""Places of tokens, and places that a change moved, found fast, are those found by looking at each character."""

from __future__ import annotations

import random

import pytest
from lsprotocol import types

from cpol.compiler.syntax.again import MOST_TEXTS, Lexer
from cpol.compiler.syntax.durations import mark_units
from cpol.compiler.syntax.marks import mark_words
from cpol.editor.lsp.places import Lines, moved

TEXT = "policy p { // é \U0001f600\n  every 5 s { x = 1 }\n  test t { request 1 mapped }\n}"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\r"])
@pytest.mark.parametrize("plain", [True, False])
def test_a_token_stands_where_its_offsets_say(end: str, plain: bool) -> None:
    text = TEXT.replace("\n", end)
    if plain:
        text = text.encode("ascii", "ignore").decode()
    lines = Lines(text)
    for token in Lexer().marked(text)[:-1]:
        start, behind = lines.position(token.start), lines.position(token.stop + 1)
        assert types.Position(*lines.start(token)) == start
        if behind.line == start.line:  # a comment takes a lone CR along
            assert lines.length(token) == behind.character - start.character


def slow(offset: int, old: str, new: str) -> int:
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    behind = 0
    while behind < min(len(old), len(new)) - same and old[-1 - behind] == new[-1 - behind]:
        behind += 1
    if offset <= same:
        return offset
    return offset + len(old) - len(new) if offset >= len(new) - behind else min(offset, len(old) - behind)


def test_a_place_moves_with_the_text_around_it() -> None:
    chance = random.Random(1)
    for _ in range(300):
        old = "".join(chance.choice("ab") for _ in range(chance.randrange(12)))
        at = chance.randrange(len(old) + 1)
        new = old[:at] + chance.choice(["", "a", "ba", "bbb"]) + old[at + chance.randrange(3) :]
        for offset in range(len(new) + 1):
            assert moved(offset, old, new) == slow(offset, old, new), (offset, old, new)


def test_the_tokens_of_a_text_are_made_once_and_marked() -> None:
    lexer = Lexer()
    made = lexer.marked(TEXT)
    assert lexer.marked(TEXT) is made
    plain = lexer.tokens(TEXT)
    kinds = [token.type for token in plain]
    mark_units(plain)
    mark_words(plain)
    assert [token.type for token in made] == [token.type for token in plain] != kinds
    for number in range(MOST_TEXTS):
        lexer.marked(f"{TEXT} // {number}")
    assert lexer.marked(TEXT) is not made
