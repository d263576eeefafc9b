"""Amounts of memory as people write them."""

from __future__ import annotations


def size(number: int) -> str:
    """Bytes, with the largest unit of which there is one, to four digits: `6.766 MiB`."""
    amount, unit = float(number), 0
    while amount >= 1024 and unit < 4:
        amount, unit = amount / 1024, unit + 1
    return f"{amount:,.4g} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[unit]}"
