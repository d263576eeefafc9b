"""The language's arithmetic, for constant folding and the interpreter (docs/semantics.md,
"Numbers").

All values are raw integers: fix is scaled by 2**16, bool is 0 or 1, an enum is its member's number.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache

from cpol.compiler.types import FIX, FIX_FRACTION_BITS, FixType, Type

ONE = 1 << FIX_FRACTION_BITS
"""The raw value of the fix 1.0."""

LOWEST_LOG2 = -16 << FIX_FRACTION_BITS
"""log2 of the smallest positive fix; also the result for arguments that are not positive."""

POWERS = (
    0xB504F334, 0x9837F052, 0x8B95C1E4, 0x85AAC368, 0x82CD8699, 0x8164D1F4, 0x80B1ED50, 0x8058D7D3,
    0x802C6437, 0x8016302F, 0x800B179D, 0x80058BAF, 0x8002C5D0, 0x800162E6, 0x8000B173, 0x800058B9,
)  # fmt: skip
"""2 ** 2 ** -k in units of 2 ** -31, rounded to nearest, for k = 1 to 16."""


def saturate(value: int, type: Type) -> int:
    """The raw value of `type` nearest to `value`."""
    low, high = type.raw_range
    return low if value < low else high if value > high else value


def whole(value: int, type: Type) -> int:
    """The raw value of a whole number in `type`, without saturation."""
    return value * ONE if type == FIX else value


@lru_cache(1000)
def fraction(text: str) -> int:
    """The raw fix nearest to a decimal number; ties go to even."""
    from fractions import Fraction  # which takes longer to import than a short trace to run

    return round(Fraction(text) * ONE)


WHOLE: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.floordiv,
    "mod": operator.mod,
    "min": min,
    "max": max,
}

FRACTIONS: dict[str, Callable[[int, int], int]] = {
    **WHOLE,
    "mul": lambda a, b: a * b // ONE,
    "div": lambda a, b: a * ONE // b,
}


def arith(op: str, a: int, b: int, type: Type) -> int:
    """`a op b` in `type`, saturated. Division and modulo round towards negative infinity.

    Raises:
        ZeroDivisionError: `op` is div or mod, and `b` is 0.
    """
    operations = FRACTIONS if isinstance(type, FixType) else WHOLE
    return saturate(operations[op](a, b), type)


BITS = {"&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr"}
"""The operations on bits, by operator."""

ALL_BITS = (1 << 64) - 1


def bits(op: str, a: int, b: int) -> int:
    """An operation on the bits of two u64. A shift loses the bits that leave the 64, so 64 or more give 0."""
    match op:
        case "and":
            return a & b
        case "or":
            return a | b
        case "xor":
            return a ^ b
        case "shl":
            return a << b & ALL_BITS if b < 64 else 0
        case "shr":
            return a >> b if b < 64 else 0
    raise AssertionError(op)


def bits_range(op: str, left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """The lowest and highest result of `bits` for operands within these ranges, or wider bounds."""
    (a, b), (c, d) = left, right
    if a == b and c == d:
        return bits(op, a, c), bits(op, a, c)
    match op:
        case "and":
            return 0, min(b, d)
        case "or" | "xor":
            return max(a, c) if op == "or" else 0, (1 << max(b, d).bit_length()) - 1
        case "shl":
            return (a << c, b << d) if b == 0 or b.bit_length() + d <= 64 else (0, ALL_BITS)
        case "shr":
            return bits(op, a, d), bits(op, b, c)
    raise AssertionError(op)


def compare(op: str, a: int, b: int) -> bool:
    """Whether `a op b` holds for two raw values of one type."""
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


def convert(value: int, source: Type, target: Type, rounding: str = "floor") -> int:
    """Convert a raw value from `source` to `target`, saturating.

    `rounding` (floor or ceil) applies to fix to integer.
    """
    if isinstance(source, FixType) == isinstance(target, FixType):
        return saturate(value, target)
    if isinstance(source, FixType):
        value = -(-value // ONE) if rounding == "ceil" else value // ONE
    else:
        value *= ONE
    return saturate(value, target)


def log2(x: int) -> int:
    """The binary logarithm of a raw fix, as a raw fix."""
    if x <= 0:
        return LOWEST_LOG2
    whole = x.bit_length() - 1
    mantissa = x << 31 - whole if whole <= 31 else x >> whole - 31  # in [1, 2), in units of 2**-31
    fraction = 0
    for _ in range(FIX_FRACTION_BITS):
        mantissa = mantissa * mantissa >> 31
        bit = mantissa >> 32  # 1 if the square is at least 2
        mantissa >>= bit
        fraction = fraction << 1 | bit
    return (whole - FIX_FRACTION_BITS << FIX_FRACTION_BITS) + fraction


def exp2(x: int) -> int:
    """Two to the power of a raw fix, as a raw fix."""
    whole, fraction = x >> FIX_FRACTION_BITS, x & ONE - 1
    result = 1 << 31
    for k, power in enumerate(POWERS, 1):
        if fraction >> FIX_FRACTION_BITS - k & 1:
            result = result * power >> 31
    shift = whole + FIX_FRACTION_BITS - 31
    if shift > 31:
        return 2**63 - 1
    return min(result << shift, 2**63 - 1) if shift >= 0 else result >> -shift


def mix64(x: int) -> int:
    """The finaliser of SplitMix64, a bijection of 64 bits (Steele, Lea, Flood, OOPSLA '14)."""
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & ALL_BITS
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & ALL_BITS
    return x ^ x >> 31
