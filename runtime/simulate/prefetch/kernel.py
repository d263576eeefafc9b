"""The kernel's own readahead of swap, in its two kinds: around the virtual page, or around the slot.

The window is as large as earlier readahead was of use. Linux decides between the kinds for the whole machine: by slots
if a swap device rotates.
"""

from __future__ import annotations

from typing import Protocol

from cpol.runtime.simulate.prefetch.protocol import Fault, Target

WINDOW = 8
"""Pages: 2^page-cluster, with page-cluster as it is unless somebody sets it."""

FIRST_HITS = 4
"""The kernel assumes so many before it knows any."""

MAX_HITS = 63
TABLE = 512
"""Pages of a page table, beyond which readahead by virtual pages does not look."""


class SwapReadahead(Protocol):
    """The kernel's own prefetching."""

    def hit(self, fault: Fault) -> None:
        """A fault found its page in the swap cache."""

    def targets(self, fault: Fault) -> list[Target]:
        """What to read, in order: the window, in which the page that faults has its place; empty: that page alone."""


def window_of(hits: int, is_next: bool, most: int, before: int) -> int:
    """The pages of the window: a power of two that grows with the hits, and shrinks by no more than half.

    Args:
        hits: pages read ahead that were used since the last window.
        is_next: the fault is beside the last one.
        most: pages.
        before: the last window.
    """
    grown = 4
    while grown < hits + 2:
        grown *= 2
    wanted = grown if hits else 1 + is_next
    return max(min(wanted, most), before // 2)


class Vma:
    """Around the virtual page, with a history for each area."""

    def __init__(self) -> None:
        self._areas: dict[tuple[int, int], tuple[int, int, int]] = {}

    def _area(self, fault: Fault) -> tuple[int, int, int]:
        """The last page, the window and the hits."""
        return self._areas.get((fault.process, fault.first), (0, 0, FIRST_HITS))

    def hit(self, fault: Fault) -> None:
        _, window, hits = self._area(fault)
        hits = min(hits + 1, MAX_HITS) if fault.prefetched else hits
        self._areas[fault.process, fault.first] = (fault.page, window, hits)

    def targets(self, fault: Fault) -> list[Target]:
        if fault.window == 1:
            return []
        page = fault.page
        last, before, hits = self._area(fault)
        window = window_of(hits, abs(page - last) == 1, fault.window, before)
        self._areas[fault.process, fault.first] = (page, window, 0)
        if window == 1:
            return []
        if page == last + 1:
            start = page
        elif page == last - 1:
            start = page - window + 1
        else:
            start = page - (window - 1) // 2
        table = page - page % TABLE
        low, high = max(start, fault.first, table), min(start + window - 1, fault.last, table + TABLE - 1)
        return [Target("page", number) for number in range(low, high + 1)]


class Cluster:
    """The aligned block of slots around the slot, with one history for the whole machine."""

    def __init__(self) -> None:
        self._hits = FIRST_HITS
        self._slot = 0
        self._window = 0

    def hit(self, fault: Fault) -> None:
        self._hits += fault.prefetched

    def targets(self, fault: Fault) -> list[Target]:
        if fault.window == 1:
            return []
        slot, hits = fault.slot, self._hits
        self._window = window_of(hits, abs(slot - self._slot) == 1, fault.window, self._window)
        self._slot = slot if hits == 0 else self._slot
        self._hits = 0
        start = slot - slot % self._window
        block = range(max(start, 1), min(start + self._window, fault.slots))
        return [Target("slot", number) for number in block]
