"""Numbers: what docs/semantics.md says under that heading. All values are raw integers; a `fix` is scaled by 2**16."""

from __future__ import annotations

import re
from fractions import Fraction

from cpol.compiler.ir import FIX_FRACTION_BITS, BoolType, EnumType, FixType, IntType, Type

ONE = 1 << FIX_FRACTION_BITS


def bounds(type: Type) -> tuple[int, int]:
    """The lowest and the highest raw value."""
    match type:
        case IntType(signed=True, bits=bits):
            return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
        case IntType(bits=bits):
            return 0, 2**bits - 1
        case FixType():
            return -(2**63), 2**63 - 1
        case BoolType():
            return 0, 1
        case EnumType(members=members):
            return 0, len(members) - 1


def saturate(value: int, type: Type) -> int:
    low, high = bounds(type)
    return max(low, min(value, high))


def arith(op: str, a: int, b: int, type: Type) -> int:
    """`a op b` in `type`. Python's // and % round towards negative infinity, as the language does."""
    fix = isinstance(type, FixType)
    match op:
        case "add":
            result = a + b
        case "sub":
            result = a - b
        case "mul":
            result = (a * b) // ONE if fix else a * b
        case "div":
            result = (a * ONE) // b if fix else a // b
        case "mod":
            result = a % b
        case "min":
            result = min(a, b)
        case "max":
            result = max(a, b)
        case _:
            raise AssertionError(op)
    return saturate(result, type)


def compare(op: str, a: int, b: int) -> bool:
    match op:
        case "eq":
            return a == b
        case "ne":
            return a != b
        case "lt":
            return a < b
        case "le":
            return a <= b
        case "gt":
            return a > b
        case "ge":
            return a >= b
    raise AssertionError(op)


def convert(value: int, source: Type, target: Type, rounding: str) -> int:
    """To `target`, saturating; `rounding` (floor or ceil) is for a `fix` that becomes an integer."""
    if isinstance(source, FixType) and not isinstance(target, FixType):
        value = -(-value // ONE) if rounding == "ceil" else value // ONE
    elif isinstance(target, FixType) and not isinstance(source, FixType):
        value *= ONE
    return saturate(value, target)


# Values as users write and read them.


def show(value: int, type: Type) -> str:
    """The exact value; `parse` reads it back."""
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


def parse(text: str, type: Type) -> int:
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
            return round(Fraction(text) * ONE)  # ties to even
        case IntType():
            if not re.fullmatch(r"-?[0-9]{1,20}", text):
                raise ValueError(f"{text!r} is not a whole number")
            return int(text)
