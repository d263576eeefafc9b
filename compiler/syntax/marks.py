"""Words that are words of the language at some places only, and names everywhere else.

The parser needs one token of lookahead, so these tokens get their types before it runs.
"""

from __future__ import annotations

import itertools
from typing import Any

from cpol.compiler.syntax.errors.words import VERBS
from cpol.compiler.types import RECORDS, SPACES
from cpol.grammar.generated.CpolLexer import CpolLexer as L
from cpol.grammar.generated.CpolParser import CpolParser

HOW = {
    "fault": ("cached", "prefetched"),
    "request": ("sequential", "marker", "mapped"),
    "swap": ("shared", "workingset"),
}
"""Words that a step of a test may end with, by the word that it starts with."""

CASE = (L.IDENT, L.IDENT, L.LPAREN)
"""What `case NAME(` is made of."""

NUMBER = (L.INT, L.IDENT)
"""A number in a step, or the name of a case's value."""

BODIES = (L.ON, L.ACTION)
"""Words whose declarations hold statements."""

ENDING = (L.LBRACE, L.RBRACE, L.IDENT, L.INT, L.FIXED, L.STRING, L.RPAREN, L.RBRACK, L.TRUE, L.FALSE, L.STOP, L.KEEP)
"""What may stand in front of a statement, or of `by`."""

NAMED = (L.ASSIGN, L.ADD_ASSIGN, L.SUB_ASSIGN, L.MUL_ASSIGN, L.DOT, L.LBRACK, L.LPAREN, L.COLON, L.COMMA)
"""Behind these words, `default` and `by` are names: `default = 3`. `default` is one in front of `{`, too."""

NOT_AHEAD = (*(sign for sign in NAMED if sign != L.LPAREN), L.LBRACE)
"""Behind these words, `readahead` is a name. A value that begins with `(` may follow it."""

NOT_A_SPACE = (*(sign for sign in NAMED if sign != L.LPAREN), L.UP, L.PLUS, L.STAR, L.SLASH, L.PERCENT)
"""Behind these words, `slot` and `page` are names: `prefetch page up to 8`. A value that begins with `(` may follow."""

OF_RANGES = {"drop": CpolParser.DROP, "flush": CpolParser.FLUSH}
"""Statements of one word and the name of a range."""

OUTSIDE = frozenset(range(L.POLICY, L.TEST)) - {L.ON, L.ACTION, L.EVERY}
"""Words that start declarations, unless a point or a colon stands in front of them."""


def mark_words(tokens: list[Any]) -> None:
    """Give the words of this module their types."""
    words = [token for token in tokens if not token.channel]
    for at, (word, behind) in enumerate(itertools.pairwise(words)):
        if word.type == L.IDENT and word.text in RECORDS and behind.type == L.UP and _ends(words, at - 1):
            word.type = CpolParser.RECORD
    for word, name, behind in zip(words, words[1:], words[2:], strict=False):
        if word.text == "case" and (word.type, name.type, behind.type) == CASE:
            word.type = CpolParser.CASE
        elif (word.type, name.type) == (L.PREFETCH, L.IDENT) and name.text in SPACES:
            named = behind.type in NOT_A_SPACE or behind.text == "by"
            name.type = L.IDENT if named else CpolParser.SPACE_OF
    inside = 0
    for at, word in enumerate(words):
        if word.type in (*BODIES, L.TEST) or (word.type in OUTSIDE and not _is(words, at - 1, (L.DOT, L.COLON))):
            inside = word.type
        if word.type == L.IDENT and inside == L.TEST:
            _mark_in_test(words, at)
        elif inside in BODIES:
            _mark_in_body(words, at)


def _mark_in_body(words: list[Any], at: int) -> None:
    """Mark the word that starts a statement at word `at`, and the `by` of the `prefetch` that starts there."""
    word = words[at]
    if word.type == L.IDENT and _ends(words, at - 1):
        _mark_statement(words, at)
    if word.type == L.KEEP and _is(words, at + 1, (L.IDENT,)) and not _is(words, at + 2, NAMED):
        word.type = CpolParser.HOLD
    for place in range(at + 1, len(words)) if word.type == L.PREFETCH else ():
        here = words[place]
        if here.type in (L.LBRACE, L.RBRACE, L.PREFETCH):
            return
        names = tuple(sign for sign in NAMED if sign != L.LPAREN)
        if here.text == "by" and _ends(words, place - 1) and not _is(words, place + 1, names):
            here.type = CpolParser.BY
            return


def _mark_statement(words: list[Any], at: int) -> None:
    """Mark `default`, `drop NAME`, `flush NAME and wait` and `readahead VALUE`, where a statement starts."""
    word = words[at]
    if word.text == "default" and not _is(words, at + 1, (*NAMED, L.LBRACE)):
        word.type = CpolParser.DEFAULT
    elif word.text == "readahead" and not _is(words, at + 1, NOT_AHEAD):
        word.type = CpolParser.AHEAD
    elif word.text in OF_RANGES and _is(words, at + 1, (L.IDENT, L.RBRACE)):
        word.type = OF_RANGES[word.text]
        waits = word.text == "flush" and _is(words, at + 2, (L.AND,)) and _is(words, at + 3, (L.IDENT,))
        if waits and words[at + 3].text == "wait":
            words[at + 3].type = CpolParser.WAIT


def _ends(words: list[Any], at: int) -> bool:
    """Whether word `at` may end a statement or an expression. Any word may, behind a point."""
    marked = (CpolParser.DEFAULT, CpolParser.WAIT, CpolParser.UNIT)
    return _is(words, at, (*ENDING, *marked)) or _is(words, at - 1, (L.DOT,))


def _mark_in_test(words: list[Any], at: int) -> None:
    """Mark the words of the step, or of the question, that starts at word `at`."""
    if words[at].text in HOW:
        _mark_step(words, at)
    elif (
        words[at].text in SPACES and words[at - 1].type in (L.LPAREN, L.COMMA, L.LBRACK) and _is(words, at + 1, NUMBER)
    ):
        words[at].type = CpolParser.SPACE_OF


def _mark_step(words: list[Any], at: int) -> None:
    """Mark `slot` behind the pages of a `fault`, and the words at the end of a `fault` or a `request`."""
    how = HOW[words[at].text]
    at += 1
    while _is(words, at, NUMBER):
        at += 1
        if not _is(words, at, (L.COLON, L.DOTDOT, L.COMMA)):
            break
        at += 1
    else:
        return
    if _is(words, at, (L.IDENT,)) and words[at].text == SPACES[0] and _is(words, at + 1, NUMBER):
        words[at].type = CpolParser.SPACE_OF
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
