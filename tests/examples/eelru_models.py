"""EELRU in plain Python, twice: with the epochs of examples/literature/eelru.cpol, and with exact recency positions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

CUTS = 8
LAST = 20
EPOCHS = 48


def points(hits: list[float]) -> tuple[int, int] | None:
    """The early and the late point with the most benefit: of the hits between them, a page has its share of the room.

    LRU has those up to the capacity. None: it is as good as any pair.
    """
    best, chosen = 0.0, None
    for early in range(1, CUTS):
        lru = sum(hits[early:CUTS])
        for late in range(CUTS + 1, LAST + 1):
            between = sum(hits[early:late])
            benefit = between * (CUTS - early) // (late - early) - lru
            if benefit > best:
                best, chosen = benefit, (early, late)
    return chosen


class Epoch:
    """Pages that were read last at about the same time, cached or not, in the order of these reads."""

    def __init__(self) -> None:
        self.pages: list[int] = []
        self.segment = 0


class Axis:
    """All pages that are known, by epochs from the newest to the oldest, and hits of their segments."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.least = max(capacity // 16, 1)
        self.epochs = [Epoch()]
        self.hits: list[float] = [0.0] * (LAST + 1)
        self.points: tuple[int, int] | None = None

    def at(self, key: int) -> Epoch | None:
        return next((epoch for epoch in self.epochs if key in epoch.pages), None)

    def forget(self, key: int) -> None:
        epoch = self.at(key)
        assert epoch is not None
        epoch.pages.remove(key)

    def read(self, key: int) -> None:
        epoch = self.at(key)
        if epoch is not None:
            self.hits[epoch.segment] += 256
            epoch.pages.remove(key)
        self.epochs[0].pages.append(key)

    def end_of_read(self, now: int) -> None:
        if now % self.least or len(self.epochs[0].pages) < self.least:
            return
        self.epochs.insert(0, Epoch())
        if len(self.epochs) > EPOCHS:
            rest = self.epochs.pop()
            self.epochs[-1].pages[:0] = rest.pages
        through = 0
        for number, epoch in enumerate(self.epochs, 1):
            through += len(epoch.pages) if number < EPOCHS else 1
            epoch.segment = min(max(through * CUTS - 1, 0) // self.capacity, LAST)
        self.points = points(self.hits)
        self.hits = [hits - hits // 32 for hits in self.hits]

    def victim(self, cached: set[int]) -> int:
        oldest_first = [(key, epoch.segment) for epoch in self.epochs[::-1] for key in epoch.pages if key in cached]
        if self.points is None:
            return oldest_first[0][0]
        early, late = self.points
        behind = [key for key, segment in oldest_first if segment >= late]
        between = [key for key, segment in oldest_first if early <= segment < late]
        return behind[0] if behind else between[-1] if between else oldest_first[0][0]


def eelru(keys: list[int], capacity: int) -> Iterator[int]:
    """What is evicted, with the policy's segments."""
    axis = Axis(capacity)
    cached = set[int]()
    gone = deque[int]()
    for now, key in enumerate(keys, 1):
        if key in cached:
            if key not in axis.epochs[0].pages:
                axis.read(key)
        else:
            if key in gone:
                gone.remove(key)
            if len(cached) == capacity:
                out = axis.victim(cached)
                cached.remove(out)
                if len(gone) == 2 * capacity:
                    axis.forget(gone.popleft())
                gone.append(out)
                yield out
            axis.read(key)
            cached.add(key)
        axis.end_of_read(now)


def misses_by_positions(keys: list[int], capacity: int) -> int:
    """Misses with exact positions: the page at the late point or behind it goes, or that at the early point."""
    stack: list[int] = []  # all pages that were read, last read first
    cached = set[int]()
    hits = [0.0] * (LAST + 1)
    chosen: tuple[int, int] | None = None
    misses = reads = 0
    for key in keys:
        position = stack.index(key) if key in stack else None
        if key not in cached:
            misses += 1
            if len(cached) == capacity:
                order = [each for each in stack if each in cached]
                victim = order[-1]
                if chosen is not None:
                    early, late = (point * capacity // CUTS for point in chosen)
                    if stack.index(victim) < late:
                        victim = next((each for each in stack[early:] if each in cached), victim)
                cached.remove(victim)
            cached.add(key)
        if position is not None:
            stack.pop(position)
            hits[min(position * CUTS // capacity, LAST)] += 256
        stack.insert(0, key)
        if position is None or position >= capacity // 16:
            hits = [count * (1 - 1 / (2 * capacity)) for count in hits]
            reads += 1
            chosen = points(hits) if reads % (capacity // 16) == 0 else chosen
    return misses
