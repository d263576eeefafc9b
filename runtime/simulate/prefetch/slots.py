"""Which page of a process is in which slot of swap."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeVar

from cpol.runtime.simulate.prefetch.memory import Key
from cpol.runtime.simulate.prefetch.rows import Row, Touch

CLUSTER = 256
"""Slots that the kernel hands out one after another (SWAPFILE_CLUSTER)."""


class Place(NamedTuple):
    """A slot of a swap device."""

    device: int
    slot: int


class Swap(Protocol):
    """Swap as the model sees it at one row of the trace."""

    def begin(self, number: int) -> None:
        """The row of this number is next."""

    def slots(self, device: int) -> int:
        """Slots of a device, the first one included, which is its header."""

    def place_of(self, key: Key) -> Place | None:
        """Where a page is that memory does not hold; None: it never was anywhere."""

    def page_at(self, place: Place) -> Key | None:
        """The page in a slot; None: the slot is free."""

    def has_place(self, key: Key) -> bool:
        """Whether the page in memory still has its slot, so that it needs none when it goes."""

    def put_out(self, key: Key) -> None:
        """The page left memory."""

    def wrote(self, key: Key) -> None:
        """The page in memory differs from that in its slot, which becomes free."""


class Clusters:
    """Slots as the kernel assigns them: in the order of swap-out, one after another in clusters of 256. A page that is
    not written keeps its slot while it is in memory.

    Args:
        slots: of the only device. There must be more than pages.
    """

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._free_clusters = deque(range(1, -(-slots // CLUSTER)))
        self._next, self._end = 1, min(CLUSTER, slots)
        self._used = defaultdict[int, int](int)
        self._holes: list[int] = []
        self._place: dict[Key, Place] = {}
        self._page: dict[int, Key] = {}

    def begin(self, number: int) -> None:
        """The past decides."""

    def slots(self, device: int) -> int:
        return self._slots

    def place_of(self, key: Key) -> Place | None:
        return self._place.get(key)

    def page_at(self, place: Place) -> Key | None:
        return self._page.get(place.slot)

    def has_place(self, key: Key) -> bool:
        return key in self._place

    def put_out(self, key: Key) -> None:
        if key in self._place:
            return
        slot = self._allocate()
        self._place[key], self._page[slot] = Place(0, slot), key
        self._used[slot // CLUSTER] += 1

    def wrote(self, key: Key) -> None:
        place = self._place.pop(key, None)
        if place is None:
            return
        del self._page[place.slot]
        cluster = place.slot // CLUSTER
        self._used[cluster] -= 1
        if self._used[cluster] == 0 and cluster != (self._end - 1) // CLUSTER:
            self._free_clusters.append(cluster)
        else:
            heapq.heappush(self._holes, place.slot)

    def _allocate(self) -> int:
        """The next slot of the cluster, the first of a free one, or the lowest that is free."""
        while True:
            while self._next < self._end:
                self._next += 1
                if self._next - 1 not in self._page:
                    return self._next - 1
            if self._free_clusters:
                first = self._free_clusters.popleft() * CLUSTER
                self._next, self._end = max(first, 1), min(first + CLUSTER, self._slots)
                continue
            slot = heapq.heappop(self._holes)
            if slot not in self._page:
                return slot


class Recorded:
    """Slots as a recording has them: a page is where its next fault finds it, or else where its last one did."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._faults = [
            (number, row) for number, row in enumerate(rows) if isinstance(row, Touch) and row.slot is not None
        ]
        self._now = 0
        self._of_page = defaultdict[Key, list[tuple[int, Place]]](list)
        self._of_slot = defaultdict[Place, list[tuple[int, Key]]](list)
        self._slots = defaultdict[int, int](lambda: 1)
        for number, row in self._faults:
            assert row.slot is not None
            place = Place(row.device, row.slot)
            self._of_page[row.key].append((number, place))
            self._of_slot[place].append((number, row.key))
            self._slots[row.device] = max(self._slots[row.device], row.slot + 1)

    def begin(self, number: int) -> None:
        self._now = number

    def slots(self, device: int) -> int:
        return self._slots[device]

    def place_of(self, key: Key) -> Place | None:
        return _next(self._of_page.get(key), self._now)

    def page_at(self, place: Place) -> Key | None:
        return _next(self._of_slot.get(place), self._now)

    def has_place(self, key: Key) -> bool:
        """Its next fault finds it where its last one did."""
        events = self._of_page.get(key, [])
        at = bisect_right(events, self._now, key=lambda event: event[0])
        return 0 < at < len(events) and events[at - 1][1] == events[at][1]

    def put_out(self, key: Key) -> None:
        """The recording says where it went."""

    def wrote(self, key: Key) -> None:
        """The recording says whether it moves."""


_T = TypeVar("_T")


def _next(events: list[tuple[int, _T]] | None, now: int) -> _T | None:
    """Of events in the order of rows, the first at this row or later, or else the last."""
    if not events:
        return None
    at = bisect_right(events, now - 1, key=lambda event: event[0])
    return events[min(at, len(events) - 1)][1]


def swap_of(rows: Sequence[Row], pages: int) -> Swap:
    """Swap for a trace that touches so many pages: with slots if the trace has them."""
    if any(isinstance(row, Touch) and row.slot is not None for row in rows):
        return Recorded(rows)
    return Clusters((2 * pages // CLUSTER + 2) * CLUSTER)
