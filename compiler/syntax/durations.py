"""Durations: a whole number and a unit behind it."""

from __future__ import annotations

from typing import Any

from cpol.compiler.types import UNIT_MS
from cpol.grammar.generated.CpolLexer import CpolLexer
from cpol.grammar.generated.CpolParser import CpolParser

OTHER_UNITS = {
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("m", "mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("hour", "hours"), "h"),
}
"""How the units are called elsewhere."""

UNIT = CpolParser.UNIT
NAMED = frozenset(
    (
        CpolLexer.ASSIGN,
        CpolLexer.ADD_ASSIGN,
        CpolLexer.SUB_ASSIGN,
        CpolLexer.MUL_ASSIGN,
        CpolLexer.DOT,
        CpolLexer.LBRACK,
        CpolLexer.LPAREN,
        CpolLexer.COLON,
    )
)
"""Behind these words, `s` is a name: `x = 5  s = 3`."""


def in_ms(number: str, unit: str) -> int:
    """The whole milliseconds of a time that was written with a decimal point; at least 1."""
    from fractions import Fraction  # which takes longer to import than most policies to parse

    return max(int(Fraction(number) * UNIT_MS[unit]), 1)


def mark_units(tokens: list[Any]) -> None:
    """Give units of durations the type UNIT."""
    words = [token for token in tokens if not token.channel]
    for number, unit, behind in zip(words, words[1:], words[2:], strict=False):
        if (
            number.type == CpolLexer.INT
            and unit.type == CpolLexer.IDENT
            and unit.text in UNIT_MS
            and behind.type not in NAMED
        ):
            unit.type = UNIT
