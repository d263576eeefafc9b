"""Amounts of memory and of time as people write them."""

from __future__ import annotations

from typing import Final

MAX_CAPACITY: Final = 1 << 48
"""The most pages of a cache: more than any machine has, and few enough that no sane product with it saturates."""


def size(number: int) -> str:
    """Bytes, with the largest unit of which there is one, to four digits: `6.766 MiB`."""
    amount, unit = float(number), 0
    while amount >= 1024 and unit < 4:
        amount, unit = amount / 1024, unit + 1
    return f"{amount:,.4g} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[unit]}"


def duration(seconds: float) -> str:
    """Seconds as a person says them: `3 h 20 min`."""
    whole = round(seconds)
    for unit, long, below, less in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if whole >= long:
            return f"{whole // long} {unit} {whole % long // less} {below}"
    return f"{whole} s"
