"""Hashing and random numbers (docs/semantics.md, Numbers).

They use only integers, so that all executors compute the same bits.
tests/runtime/machine/interp/function_vectors.json has results that other code computed.
"""

from __future__ import annotations

from cpol.compiler.arithmetic import mix64

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
"""The increment of the random state: 2**64 over the golden ratio (SplitMix64: Steele, Lea, Flood, OOPSLA '14)."""


def hash_name(file: int, index: int, salt: int) -> int:
    """`hash(f, salt)`: a 64-bit hash of a folio's name."""
    return mix64(index ^ mix64((file + mix64((salt + 1) & MASK)) & MASK))


def random(state: int, bound: int) -> tuple[int, int]:
    """The next random state, and a number below `bound`. A bound of 0 gives 0; one above 2**32 counts as 2**32."""
    state = (state + STEP) & MASK
    return state, (mix64(state) >> 32) * min(bound, 2**32) >> 32
