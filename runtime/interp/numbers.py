"""Numbers: what docs/semantics.md says under that heading. All values are raw integers; a `fix` is scaled by 2**16."""

from __future__ import annotations

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
