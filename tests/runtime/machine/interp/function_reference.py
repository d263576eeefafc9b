"""Reference of random numbers, hashes, log2 and exp2 (docs/semantics.md) in exact fractions, independent of cpol.

`python tests/runtime/machine/interp/function_reference.py` writes function_vectors.json, which tests compare executors
with.
"""

from __future__ import annotations

import json
from fractions import Fraction
from math import floor, isqrt
from pathlib import Path

VECTORS = Path(__file__).with_name("function_vectors.json")
MODULUS = 2**64


def mix64(x: int) -> int:
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = ((x ^ (x // 2**shift)) * factor) % MODULUS
    return x ^ (x // 2**31)


def draws(seed: int, bounds: list[int]) -> list[int]:
    drawn = []
    for bound in bounds:
        seed = (seed + 0x9E3779B97F4A7C15) % MODULUS
        drawn.append(floor(Fraction(mix64(seed) // 2**32 * min(bound, 2**32), 2**32)))
    return drawn


def hash_name(file: int, index: int, salt: int) -> int:
    return mix64(index ^ mix64((file + mix64((salt + 1) % MODULUS)) % MODULUS))


def truncated(x: Fraction) -> Fraction:
    """To a multiple of 2**-31."""
    return Fraction(floor(x * 2**31), 2**31)


def log2(raw: int) -> int:
    if raw <= 0:
        return -16 * 65536
    whole = max(n for n in range(64) if 2**n <= raw)
    mantissa = truncated(Fraction(raw, 2**whole))
    fraction = Fraction(0)
    for place in range(1, 17):
        mantissa = truncated(mantissa * mantissa)
        if mantissa >= 2:
            fraction += Fraction(1, 2**place)
            mantissa = truncated(mantissa / 2)
    return int((whole - 16 + fraction) * 65536)


def power(k: int) -> Fraction:
    """2 ** 2 ** -k to the nearest multiple of 2**-31: k square roots of 2, each with 128 bits behind the point."""
    root = 2 << 128
    for _ in range(k):
        root = isqrt(root << 128)
    return Fraction(((root >> 96) + 1) // 2, 2**31)


POWERS = {k: power(k) for k in range(1, 17)}


def exp2(raw: int) -> int:
    whole, fraction = floor(Fraction(raw, 65536)), raw % 65536
    result = Fraction(1)
    for k in range(1, 17):
        if fraction // 2 ** (16 - k) % 2:
            result = truncated(result * POWERS[k])
    if whole > 64:
        return 2**63 - 1
    return min(floor(result * Fraction(2) ** max(whole, -99) * 65536), 2**63 - 1)


def sample(count: int, seed: int) -> list[int]:
    """So many numbers of 64 bits, of all magnitudes."""
    state, numbers = seed, []
    for number in range(count):
        state = mix64((state + number + 1) % MODULUS)
        numbers.append(state >> (number * 7 % 64))
    return numbers


def signed(x: int) -> int:
    return x - MODULUS if x >= 2**63 else x


def vectors() -> dict[str, object]:
    words = [0, 1, 2, 3, 2**31, 2**32, 2**63, 2**64 - 1, *sample(24, 5)]
    fixes = [0, 1, 2, 3, 65535, 65536, 65537, 98304, 131072, 2**31, 2**32 - 1, 2**47, 2**62, 2**63 - 1]
    fixes += [-fix for fix in fixes if fix] + [-(2**63)] + [signed(x) for x in sample(64, 9)]
    powers = [0, 1, -1, 2**16, -(2**16), 32768, 65535, 46 * 65536, 47 * 65536 - 1, 47 * 65536, -16 * 65536]
    powers += [-16 * 65536 - 1, -17 * 65536, 2**63 - 1, -(2**63), 31 * 65536 + 7, 15 * 65536 + 1]
    powers += [signed(x) % (64 * 65536) - 17 * 65536 for x in sample(64, 11)] + [2**k for k in range(16)]
    bounds = [0, 1, 2, 3, 10, 1000, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**64 - 1, 7, 7, 7, 100, 100]
    names = [(0, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, 1), (2**64 - 1, 2**64 - 1, 2**64 - 1)]
    names += list(zip(sample(16, 1), sample(16, 2), [*range(8), *sample(8, 3)], strict=True))
    return {
        "mix64": [[x, mix64(x)] for x in words],
        "random": [{"seed": s, "bounds": bounds, "drawn": draws(s, bounds)} for s in (0, 1, 1234567, 2**64 - 1)],
        "hash": [{"file": f, "index": i, "salt": k, "hash": hash_name(f, i, k)} for f, i, k in names],
        "log2": [[x, log2(x)] for x in fixes],
        "exp2": [[x, exp2(x)] for x in powers],
    }


def text() -> str:
    groups = [f' "{name}": [\n  ' + ",\n  ".join(map(json.dumps, rows)) + "\n ]" for name, rows in vectors().items()]  # type: ignore[call-overload]  # each value is a list
    return "{\n" + ",\n".join(groups) + "\n}\n"


if __name__ == "__main__":
    VECTORS.write_text(text(), encoding="utf-8")
