"""log2 and exp2 of Q47.16, to the last bit as docs/semantics.md defines them.

Both work bit by bit on integers, so that every executor can do the same.
"""

from __future__ import annotations

from math import isqrt

FRACTION = 16
LOWEST = -16 << FRACTION
"""What log2 gives for zero and below: the logarithm of the least number above zero."""

_S64_MAX = (1 << 63) - 1
_ROOT_BITS = 128


def log2(raw: int) -> int:
    """The logarithm of the raw value `raw`, raw."""
    if raw <= 0:
        return LOWEST
    n = raw.bit_length() - 1
    m = raw << (31 - n) if n <= 31 else raw >> (n - 31)
    fraction = 0
    for _ in range(FRACTION):
        m = m * m >> 31
        fraction <<= 1
        if m >= 1 << 32:
            fraction |= 1
            m >>= 1
    return (n - FRACTION) * (1 << FRACTION) + fraction


def _roots() -> tuple[int, ...]:
    """round(2^(2^-k) * 2^31) for k = 1 to 16, by repeated square roots in 128 fraction bits."""
    value = 2 << _ROOT_BITS
    found = []
    for _ in range(FRACTION):
        value = isqrt(value << _ROOT_BITS)
        found.append((value + (1 << (_ROOT_BITS - 32))) >> (_ROOT_BITS - 31))
    return tuple(found)


ROOTS = _roots()
"""ROOTS[k - 1] is 2^(2^-k) with 31 fraction bits."""


def exp2(raw: int) -> int:
    """2 to the power of the raw value `raw`, raw; truncated, saturated."""
    whole, fraction = raw >> FRACTION, raw & ((1 << FRACTION) - 1)
    r = 1 << 31
    for k, root in enumerate(ROOTS, 1):
        if fraction >> (FRACTION - k) & 1:
            r = r * root >> 31
    shift = whole + FRACTION - 31
    if shift >= 0:
        return _S64_MAX if shift > 63 else min(_S64_MAX, r << shift)
    return r >> -shift if shift > -64 else 0
