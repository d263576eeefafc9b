"""Mixing, random numbers, logarithm and power: integers only, so that each executor computes the same bits.

tests/runtime/interp/function_vectors.json has what they give, computed by other means.
"""

from __future__ import annotations

from cpol.compiler.ir import FIX_FRACTION_BITS

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
"""What the state of the random source advances by: 2**64 over the golden ratio (SplitMix64, Steele et al. 2014)."""

LOWEST_LOG2 = -16 << FIX_FRACTION_BITS
"""log2 of the smallest positive fix, and of what has no logarithm."""

POWERS = (
    0xB504F334, 0x9837F052, 0x8B95C1E4, 0x85AAC368, 0x82CD8699, 0x8164D1F4, 0x80B1ED50, 0x8058D7D3,
    0x802C6437, 0x8016302F, 0x800B179D, 0x80058BAF, 0x8002C5D0, 0x800162E6, 0x8000B173, 0x800058B9,
)  # fmt: skip
"""2 ** 2 ** -k in units of 2 ** -31, to the nearest, for k = 1 to 16."""


def mix64(x: int) -> int:
    """A bijection of 64 bits (the finaliser of SplitMix64)."""
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def hash_name(file: int, index: int, salt: int) -> int:
    return mix64(index ^ mix64((file + mix64((salt + 1) & MASK)) & MASK))


def random(state: int, bound: int) -> tuple[int, int]:
    """The next state of the source, and a number below `bound` (0 if that is 0; at most 2**32 counts)."""
    state = (state + STEP) & MASK
    return state, (mix64(state) >> 32) * min(bound, 2**32) >> 32


def log2(x: int) -> int:
    """Of a raw fix, as a raw fix."""
    if x <= 0:
        return LOWEST_LOG2
    whole = x.bit_length() - 1
    mantissa = x << 31 - whole if whole <= 31 else x >> whole - 31  # in units of 2**-31: 1 to 2
    fraction = 0
    for _ in range(FIX_FRACTION_BITS):
        mantissa = mantissa * mantissa >> 31
        bit = mantissa >> 32  # the square is 2 or more
        mantissa >>= bit
        fraction = fraction << 1 | bit
    return (whole - FIX_FRACTION_BITS << FIX_FRACTION_BITS) + fraction


def exp2(x: int) -> int:
    """Of a raw fix, as a raw fix."""
    whole, fraction = x >> FIX_FRACTION_BITS, x & 0xFFFF
    result = 1 << 31
    for k, power in enumerate(POWERS, 1):
        if fraction >> FIX_FRACTION_BITS - k & 1:
            result = result * power >> 31
    shift = whole + FIX_FRACTION_BITS - 31
    if shift > 31:
        return 2**63 - 1
    return min(result << shift, 2**63 - 1) if shift >= 0 else result >> -shift
