"""Capacities and warm-ups, as users write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cpol.errors import RequestError, UserError
from cpol.sizes import MAX_CAPACITY

if TYPE_CHECKING:
    from decimal import Decimal

PAGE = 4096
"""The page size in bytes."""

_CAPACITY = (
    r"(?P<pages>[0-9]+(e[0-9]{1,3})?)|(?P<share>[0-9]+\.[0-9]+)|(?P<size>[0-9]+(\.[0-9]+)?)(?P<unit>[KMGTP])(iB)?"
)
HELP = "; give pages (1000), a size (64M), or a share of the objects (0.01); several with commas"
"""What to give."""

_FLAGS = re.ASCII | re.IGNORECASE
_UNITS = {unit: 1 << 10 * power for power, unit in enumerate("KMGTP", 1)}


def read_capacities(text: str) -> list[int | Decimal]:
    """Capacities in pages, or as shares of the trace's objects. Raises RequestError, also if two are equal."""
    words = [word.strip() for word in text.split(",")]
    sizes = [read_capacity(word) for word in words]
    if same := equal_pair(words, sizes):
        raise bad_capacity(f"{same} are the same capacity; leave out one of them", "")
    return sizes


def equal_pair(words: Sequence[object], sizes: Sequence[int | Decimal]) -> str | None:
    """The words of the first two capacities that are equal, as `1000 and 1e3`."""
    for number, size in enumerate(sizes):
        if size in sizes[:number]:
            return f"{words[sizes.index(size)]} and {words[number]}"
    return None


def read_capacity(word: str, kind: str = "capacity", help: str = HELP) -> int | Decimal:
    """A capacity: pages (`1000`, `1e6`), bytes (`64M`) converted to pages, or a share (`0.01`).

    Args:
        kind: what messages call it.
        help: what they say to give.

    Raises:
        RequestError: it is none of these, or out of range.
    """
    if word.isascii() and word.isdecimal() and len(word) < 20 and 1 <= int(word) <= MAX_CAPACITY:
        return int(word)
    found = re.fullmatch(_CAPACITY, word, _FLAGS)
    if not found and re.fullmatch(f"-({_CAPACITY})", word, _FLAGS):
        raise bad_capacity(f"{word} is less than 0", help)
    if not found:
        raise bad_capacity(f"{word!r} is no {kind}", help)
    from decimal import Decimal  # which takes longer to import than a short trace to run

    if found["share"]:
        share = Decimal(found["share"])
        if not 0 < share <= 1:
            raise bad_capacity(f"{word} is no share: a share is more than 0 and at most 1.0", help)
        return share
    pages = Decimal(found["pages"] or found["size"])
    if pages <= MAX_CAPACITY and found["unit"]:
        pages *= Decimal(_UNITS[found["unit"].upper()]) / PAGE
    if pages > MAX_CAPACITY:
        raise bad_capacity(f"{word} is too large: the most is {MAX_CAPACITY:,} pages (1024P)", help)
    if pages < 1:
        raise bad_capacity(f"{word} is less than one page" + (" of 4 KiB" if found["unit"] else ""), help)
    return int(pages)


def read_warmup(text: str) -> int | Decimal:
    """A warm-up: requests (`1000`, `1e6`), or a share of all (`0.1`).

    Raises:
        RequestError: it is neither.
    """
    found = re.fullmatch(_CAPACITY, text.strip(), _FLAGS)
    if not found or found["size"] or (found["share"] and float(text) >= 1):
        raise RequestError(
            f"{text!r} is no warm-up; give requests (1000, 1e6), or a share of the trace below 1 (0.1)", "--warmup"
        )
    from decimal import Decimal  # which takes longer to import than a short trace to run

    return Decimal(found["share"]) if found["share"] else int(Decimal(found["pages"]))


def in_requests(warmup: int | Decimal, requests: int) -> int:
    """A warm-up of so many requests. Raises RequestError if none is left to count."""
    found = warmup if isinstance(warmup, int) else int(warmup * requests)
    if found >= requests:
        message = f"the trace has {requests:,} requests, so none would count; give fewer"
        raise RequestError(message, "--warmup")
    return found


def bad_capacity(what: str, help: str = HELP) -> RequestError:
    return RequestError(what + help, "--capacity")


def all_in_pages(sizes: Sequence[int | Decimal], distinct: int) -> list[int]:
    """The pages of each capacity, for so many objects. Raises UserError if a share is no page, or two are equal."""
    pages = [size if isinstance(size, int) else pages_of_share(size, distinct) for size in sizes]
    if same := equal_pair(sizes, pages):
        raise UserError(
            f"the capacities {same} are the same number of this trace's {distinct:,} objects; leave out one"
        )
    return pages


def pages_of_share(share: Decimal, distinct: int) -> int:
    """The pages of a share of so many objects. Raises UserError if there is none."""
    pages = int(share * distinct)
    if pages < 1:
        raise UserError(f"a capacity of {share} of {distinct} objects is not one page; give a larger one")
    return pages
