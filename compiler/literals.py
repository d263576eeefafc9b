"""Values as text: what users and policies write for a raw value, and what all messages, pages and dumps show of it.

A `fix` is shown as the shortest decimal that rounds to it: raw 655, which `0.01` is, shows as 0.01 and not 0.0099945.
`runtime/loader/values.c` does the same.
"""

from __future__ import annotations

from cpol.compiler.arithmetic import ONE, fraction
from cpol.compiler.types import BoolType, EnumType, FixType, Type

MAX_FRACTION_DIGITS = 20
"""Digits after the point of a `fix`; five tell any two values apart."""


def show_fix(raw: int) -> str:
    """The shortest decimal of which `arithmetic.fraction` makes `raw`; whole numbers have no point."""
    magnitude, digits = abs(raw), 0
    while True:  # at most five digits: they stand closer than two raw values
        scaled = (magnitude * 10**digits + ONE // 2) // ONE
        whole, part = divmod(scaled, 10**digits)
        text = f"{whole}.{part:0{digits}d}" if digits else str(whole)
        if fraction(text) == magnitude:
            return f"-{text}" if raw < 0 else text
        digits += 1


def show_value(raw: int, type: Type) -> str:
    """A raw value of `type` as a policy writes it. A number that no member of an enum has is shown as such."""
    match type:
        case BoolType():
            return {0: "false", 1: "true"}.get(raw, str(raw))
        case EnumType(members=members):
            return members[raw] if 0 <= raw < len(members) else str(raw)
        case FixType():
            return show_fix(raw)
        case _:
            return str(raw)
