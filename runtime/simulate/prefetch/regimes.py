"""The six regimes of FetchBPF, section 5.3: an array that is filled in one order, and then read in another."""

from __future__ import annotations

from itertools import accumulate, cycle, takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cpol.runtime.simulate.prefetch.rows import Rows

ALLOCATIONS = ("sequential", "random")
STRIDES = {"sequential": (1,), "stride": (3,), "ladder": (1, 2, 3, 4, 5, 6, 3, 20)}
"""The steps from one access to the next, again and again. FetchBPF tells the ladder in words: a stride that grows with
each access, then one of 3 and one of 20."""

REGIMES = tuple(f"{allocation}/{access}" for allocation in ALLOCATIONS for access in STRIDES)
PAGES = 16384
"""64 MiB."""


def order(access: str, pages: int) -> list[int]:
    """The pages in the order of the accesses. A single stride goes over the array until each page was read."""
    strides = STRIDES[access]
    rounds = strides[0] if len(strides) == 1 else 1
    return [
        page
        for begin in range(rounds)
        for page in takewhile(lambda page: page < pages, accumulate(cycle(strides), initial=begin))
    ]


def regime(name: str, pages: int = PAGES, seed: int = 1) -> Rows:
    """The trace of a regime.

    Args:
        name: one of REGIMES.
        pages: of the array.
        seed: of the order of a random allocation.
    """
    import random  # which those who only name regimes do without

    from cpol.runtime.simulate.prefetch.rows import Rows, Touch

    allocation, _, access = name.partition("/")
    filled = [*range(pages)]
    if allocation == "random":
        random.Random(seed).shuffle(filled)
    first, last = BEGIN, BEGIN + pages - 1
    rows = [Touch(BEGIN + page, first=first, last=last, writes=True) for page in filled]
    rows += [Touch(BEGIN + page, first=first, last=last) for page in order(access, pages)]
    return Rows(rows, name)


BEGIN = 1 << 20
"""The first page of the array."""
