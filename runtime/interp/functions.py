"""Mixing and random numbers: integers only, so that each executor computes the same bits.

tests/runtime/interp/function_vectors.json has what they give, computed by other means.
"""

from __future__ import annotations

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
"""What the state of the random source advances by: 2**64 over the golden ratio (SplitMix64, Steele et al. 2014)."""


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
