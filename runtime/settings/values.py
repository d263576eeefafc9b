"""Values as users write and read them. Raw values are integers; a `fix` is scaled by 2**16."""

from __future__ import annotations

import re

from cpol.compiler.arithmetic import ONE, fraction
from cpol.compiler.types import FIX_FRACTION_BITS, BoolType, EnumType, FixType, IntType, Type


def show_value(value: int, type: Type) -> str:
    """The exact value; `parse_value` reads it back."""
    match type:
        case BoolType():
            return {0: "false", 1: "true"}.get(value, str(value))
        case EnumType(members=members):
            return members[value] if 0 <= value < len(members) else str(value)
        case FixType():
            whole, part = divmod(abs(value), ONE)
            # 16 decimal digits hold every multiple of 2**-16 exactly.
            digits = f"{part * 10**FIX_FRACTION_BITS // ONE:0{FIX_FRACTION_BITS}d}".rstrip("0") or "0"
            return f"{'-' if value < 0 else ''}{whole}.{digits}"
        case IntType():
            return str(value)


def parse_value(text: str, type: Type) -> int:
    """The raw value that `text` stands for, not yet held against any range. Raises ValueError."""
    match type:
        case BoolType():
            if text not in ("true", "false"):
                raise ValueError(f"{text!r} is neither true nor false")
            return int(text == "true")
        case EnumType(members=members):
            if text not in members:
                raise ValueError(f"{text!r} is none of {', '.join(members)}")
            return members.index(text)
        case FixType():
            if not re.fullmatch(r"-?[0-9]{1,20}(\.[0-9]{1,20})?", text):
                raise ValueError(f"{text!r} is not a number such as 0.25")
            return fraction(text)
        case IntType():
            if not re.fullmatch(r"-?[0-9]{1,20}", text):
                raise ValueError(f"{text!r} is not a whole number")
            return int(text)
