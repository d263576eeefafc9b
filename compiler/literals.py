"""Raw values as text, for messages, pages and dumps.

A `fix` prints as the shortest decimal that rounds to it: raw 655 prints as 0.01, not 0.0099945.
`runtime/operate/loader/manifest/values.c` does the same.
"""

from __future__ import annotations

from cpol.compiler.arithmetic import ONE, fraction
from cpol.compiler.types import BoolType, EnumType, FixType, Type

MAX_FRACTION_DIGITS = 20
"""Most digits that a `fix` literal may have after the point. Five tell any two values apart."""


def show_fix(raw: int) -> str:
    """The shortest decimal that `arithmetic.fraction` converts to `raw`. Whole numbers have no point."""
    magnitude, digits = abs(raw), 0
    while True:  # five digits suffice: their steps are smaller than raw steps
        scaled = (magnitude * 10**digits + ONE // 2) // ONE
        whole, part = divmod(scaled, 10**digits)
        text = f"{whole}.{part:0{digits}d}" if digits else str(whole)
        if fraction(text) == magnitude:
            return f"-{text}" if raw < 0 else text
        digits += 1


def plain_value(raw: int, type: Type) -> int | float | bool | str:
    """A raw value as JSON has it."""
    match type:
        case BoolType():
            return bool(raw)
        case EnumType():
            return show_value(raw, type)
        case FixType():
            return float(show_value(raw, type))
        case _:
            return raw


def show_value(raw: int, type: Type) -> str:
    """A raw value of `type`, as a policy writes it. An invalid bool or enum value prints as a number."""
    match type:
        case BoolType():
            return {0: "false", 1: "true"}.get(raw, str(raw))
        case EnumType(members=members):
            return members[raw] if 0 <= raw < len(members) else str(raw)
        case FixType():
            return show_fix(raw)
        case _:
            return str(raw)
