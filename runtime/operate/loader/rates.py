"""What policies did between two readings of the statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cpol.runtime.operate.loader.statistics import Statistics

REFUSED = "refused_"


@dataclass(frozen=True)
class Interval:
    """What one policy did between two readings, or all together."""

    cgroup: str
    policy: str
    """With its state, unless it is attached."""
    seconds: float
    grown: dict[str, int | None]
    """The increase of counters; None: the kernel does not count it."""
    owned: int | None
    """Pages, as the capacity."""
    capacity: int | None
    source: Statistics | None = None
    """None: all policies together."""

    def rate(self, counter: str) -> float | None:
        """The increase of a counter in a second."""
        value = self.grown[counter]
        return None if value is None else value / self.seconds

    @property
    def programs_percent(self) -> float | None:
        """Of the time, spent in programs. A program that ran took time, so 0 is: not measured, or none ran."""
        return self.grown["prog_ns"] / self.seconds / 1e7 if self.grown["prog_ns"] else None

    @property
    def hit_percent(self) -> float | None:
        hits, misses = self.grown["hits"], self.grown["misses"]
        return 100 * hits / (hits + misses) if hits is not None and misses is not None and hits + misses else None


def intervals(before: Sequence[Statistics], after: Sequence[Statistics], seconds: float) -> list[Interval]:
    """What each policy that evicts did. One that is new or was replaced counts from its start.

    One that has ended is among them as long as its link exists.
    """
    earlier = {(one.cgroup, one.policy): one for one in before if not one.prefetches}
    return [
        interval(earlier.get((one.cgroup, one.policy)), one, seconds)
        for one in after
        if not one.prefetches and (one.end is None or one.end.held)
    ]


def interval(before: Statistics | None, after: Statistics, seconds: float) -> Interval:
    """What a policy did."""
    increase = growth(before, after)
    keys = ("added", "adopted", "accessed", "hits", "misses", "refaults", "evicted", "fallback", "prog_ns")
    refused = [increase(key) for key in after.numbers if key.startswith(REFUSED)]
    why = after.reason or (after.end.exit if after.end else "")
    return Interval(
        after.called,
        after.policy + (f" ({after.state}: {why})" if why else ""),
        seconds,
        {key: increase(key) for key in keys} | {"refused": added_up(refused)},
        after.numbers.get("owned"),
        after.numbers.get("capacity"),
        after,
    )


def total(rows: Sequence[Interval]) -> Interval:
    """What all policies did together, as far as it is counted."""
    first = rows[0]
    return Interval(
        "total",
        f"{len(rows)} {'policy' if len(rows) == 1 else 'policies'}",
        first.seconds,
        {key: added_up([row.grown[key] for row in rows]) for key in first.grown},
        added_up([row.owned for row in rows]),
        added_up([row.capacity for row in rows]),
    )


def added_up(numbers: Sequence[int | None]) -> int | None:
    """The sum of those that are counted; None if none is."""
    counted = [number for number in numbers if number is not None]
    return sum(counted) if counted else None


def growth(before: Statistics | None, after: Statistics) -> Callable[[str], int | None]:
    """The increase of a counter; None if the kernel does not count it. A smaller number means a restart."""

    def grown(key: str) -> int | None:
        now = after.numbers.get(key)
        if now is None:
            return None
        then = before.numbers.get(key, 0) if before is not None else 0
        return now - then if now >= then else now

    return grown
