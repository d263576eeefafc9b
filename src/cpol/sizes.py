"""Amounts of memory and of time as people write them."""

from __future__ import annotations

import re
from typing import Final

_SIZE: Final = re.compile(r"([0-9]{1,30}(?:\.[0-9]{1,9})?)([KMGTPE])(?:i?B)?", re.IGNORECASE | re.ASCII)

MAX_CAPACITY: Final = 1 << 48
"""The most pages of a cache: more than any machine has, and few enough that no sane product with it saturates."""


def size(number: int) -> str:
    """Bytes, with the largest unit of which there is one, to four digits: `6.766 MiB`."""
    amount, unit = float(number), 0
    while amount >= 1024 and unit < 4:
        amount, unit = amount / 1024, unit + 1
    return f"{amount:,.4g} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[unit]}"


def read_size(text: str, least: int, most: int) -> int:
    """The bytes of `512M` or `1.5GiB`.

    Raises:
        ValueError: it is no size, or out of range; the message says what to give.
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None and re.fullmatch(r"\s*-\s*[0-9].*", text, re.ASCII):
        raise ValueError(f"{text!r} is less than 0; give a size, such as 4G or 512M")
    if found is None:
        raise ValueError(f"{text!r} is no size; give one with its unit, such as 4G or 512M")
    from decimal import Decimal  # which other commands start without

    amount = Decimal(found[1]) * (1 << 10 * ("KMGTPE".index(found[2].upper()) + 1))
    if amount < least:
        raise ValueError(f"{text!r} is too small; the least is {size(least)}")
    if amount > most:
        raise ValueError(f"{text!r} is too large; the most is {size(most)}")
    return int(amount)


def duration(seconds: float) -> str:
    """Seconds as a person says them: `3 h 20 min`."""
    whole = round(seconds)
    for unit, long, below, less in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if whole >= long:
            return f"{whole // long} {unit} {whole % long // less} {below}"
    return f"{whole} s"
