"""The words that a step of a test may end with, such as `cached`.

Any name may start the next step, so the grammar cannot tell these words from it: they get their type before the parser
runs. The other soft words are the grammar's.
"""

from __future__ import annotations

from typing import Any

from cpol.compiler.syntax.errors.place import NAMES
from cpol.compiler.syntax.errors.words import VERBS
from cpol.compiler.types import SPACES
from cpol.grammar.generated.CpolLexer import CpolLexer as L
from cpol.grammar.generated.CpolParser import CpolParser

HOW = {
    "fault": ("cached", "prefetched"),
    "request": ("sequential", "marker", "mapped"),
    "swap": ("shared", "workingset"),
}
"""Words that a step of a test may end with, by the word that it starts with."""

NUMBER = (L.INT, *NAMES)
"""A number in a step, or the name of a case's value."""


def mark_words(tokens: list[Any]) -> None:
    """Give these words the type HOW, and the `slot` in front of them the type OF_SWAP."""
    words = [token for token in tokens if not token.channel]
    braces, test = 0, False  # how many braces of a test are open, and whether the next one is a test's
    for at, word in enumerate(words):
        test = test or word.type == L.TEST
        if word.type == L.LBRACE and test:
            braces += 1
        elif word.type == L.RBRACE and test:
            braces -= 1
            test = braces > 0
        elif braces and word.text in HOW:
            _mark_step(words, at)


def _mark_step(words: list[Any], at: int) -> None:
    """Mark the words at the end of the step that starts at word `at`."""
    how = HOW[words[at].text]
    at += 1
    while _is(words, at, NUMBER):
        at += 1
        if not _is(words, at, (L.COLON, L.DOTDOT, L.COMMA)):
            break
        at += 1
    else:
        return
    if _is(words, at, (L.SPACE_OF,)) and words[at].text == SPACES[0] and _is(words, at + 1, NUMBER):
        words[at].type = CpolParser.OF_SWAP
        at += 2
    if _is(words, at, (L.OF,)):
        at += 3
    while _is(words, at, (L.IDENT,)) and words[at].text in how and not _starts_step(words, at):
        words[at].type = CpolParser.HOW
        at += 1


def _starts_step(words: list[Any], at: int) -> bool:
    """Whether the word is the step `mapped` with its folios, and not the end of the step before it."""
    if words[at].text != "mapped" or not _is(words, at + 1, NUMBER):
        return False
    behind = words[at + 1]
    return bool(
        behind.type == L.INT or (behind.text not in (*VERBS, *HOW["request"]) and not _is(words, at + 2, (L.DOT,)))
    )


def _is(words: list[Any], at: int, types: tuple[int, ...]) -> bool:
    return at < len(words) and words[at].type in types
