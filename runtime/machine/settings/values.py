"""Values as users write them. Raw values are integers; a `fix` is scaled by 2**16."""

from __future__ import annotations

import re

from cpol.compiler.arithmetic import fraction
from cpol.compiler.types import UNIT_MS, BoolType, EnumType, FixType, IntType, Type


def parse_value(text: str, type: Type, unit: str = "") -> int:
    """The raw value of `text`. The caller checks its range.

    Args:
        unit: of a param. What counts `ms` may be written as a time: `250ms`, `5 s`, `2min`, `1h`.

    Raises:
        ValueError: the text is not a value of this type.
    """
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
            if unit == "ms" and (time := re.fullmatch(rf"([0-9]{{1,20}}) ?({'|'.join(UNIT_MS)})", text)):
                return int(time[1]) * UNIT_MS[time[2]]
            if not re.fullmatch(r"-?[0-9]{1,20}", text):
                raise ValueError(f"{text!r} is not a whole number")
            return int(text)
