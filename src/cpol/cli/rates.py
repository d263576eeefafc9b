"""The table of `cpolc top`: rates between two readings of the statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cpol.cli.messages import shown
from cpol.runtime.operate.loader.statistics import Statistics

NOT_COUNTED, NOTHING = "n/a", "-"
"""What this kernel does not count; what has no value in this interval."""
PAGES_A_MIB = 256
REFUSED = "refused_"
SHOWN_LISTS = 8

RATES = {
    "ADDED/s": "added", "ADOPTED/s": "adopted", "ACCESSED/s": "accessed", "REFAULT/s": "refaults",
    "EVICTED/s": "evicted", "REFUSED/s": "refused", "FALLBACK/s": "fallback",
}  # fmt: skip
"""Columns that are a counter's increase in a second."""
MEMORY, LISTS = "OWNED/CAPACITY MiB", "LISTS (pages)"
HEAD = (
    "CGROUP", "POLICY", "ADDED/s", "ADOPTED/s", "ACCESSED/s", "HIT%", "REFAULT/s", "EVICTED/s", "REFUSED/s",
    "FALLBACK/s", "PROGRAMS%", MEMORY, LISTS,
)  # fmt: skip
LEFT = {"CGROUP", "POLICY", LISTS}
"""Columns of text, aligned left. Numbers are aligned right."""


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
    capacity: int | None
    lists: str = ""
    source: Statistics | None = None
    """None: all policies together."""

    def number(self, column: str) -> float | None:
        """The value of a column of numbers, if there is one."""
        grown = self.grown
        if column in RATES:
            value = grown[RATES[column]]
            return None if value is None else value / self.seconds
        if column == MEMORY:
            return self.owned
        if column == "PROGRAMS%":  # a program that ran took time, so 0 is: not measured, or none ran
            return grown["prog_ns"] / self.seconds / 1e7 if grown["prog_ns"] else None
        hits, misses = grown["hits"], grown["misses"]
        return 100 * hits / (hits + misses) if hits is not None and misses is not None and hits + misses else None

    def cell(self, column: str) -> str:
        """A column as text."""
        if column in LEFT:
            return {"CGROUP": self.cgroup, "POLICY": self.policy, LISTS: self.lists}[column]
        if column == MEMORY:
            return f"{mebibytes(self.owned)} / {mebibytes(self.capacity)}"
        value = self.number(column)
        if value is not None:
            return f"{value:,.1f}" if column.endswith("%") else f"{value:,.0f}"
        needs = {"HIT%": ("hits", "misses"), "PROGRAMS%": ("prog_ns",)}.get(column, ())
        return NOTHING if needs and all(self.grown[key] is not None for key in needs) else NOT_COUNTED


def table(before: Sequence[Statistics], after: Sequence[Statistics], seconds: float) -> list[str]:
    """A header, and a line for each policy."""
    rows = intervals(before, after, seconds)
    if not rows:
        return ["no policy is attached"]
    return aligned([HEAD, *(tuple(map(row.cell, HEAD)) for row in rows)], LEFT)


def aligned(cells: Sequence[tuple[str, ...]], left: set[str]) -> list[str]:
    """Lines of cells, the first with the names of the columns. The columns in `left` are aligned left."""
    head = cells[0]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    return [
        "  ".join(
            cell.ljust(width) if name in left else cell.rjust(width)
            for cell, width, name in zip(line, widths, head, strict=True)
        ).rstrip()
        for line in cells
    ]


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
        shown(after.called, keep=""),
        shown(after.policy + (f" ({after.state}: {why})" if why else ""), keep=""),
        seconds,
        {key: increase(key) for key in keys} | {"refused": added_up(refused)},
        after.numbers.get("owned"),
        after.numbers.get("capacity"),
        lists(after),
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


def mebibytes(pages: int | None) -> str:
    """Pages of 4 KiB in MiB."""
    return NOT_COUNTED if pages is None else f"{pages / PAGES_A_MIB:,.1f}"


def lists(one: Statistics, most: int = SHOWN_LISTS) -> str:
    """The sizes of the policy's lists, or of the first ones if there are many."""
    parts = [f"{one.list_name(number)} {pages}" for number, pages in enumerate(one.lists[:most])]
    more = max(len(one.lists), one.numbers.get("nr_lists", 0)) - len(parts)
    return shown(", ".join(parts) + (f", and {more} more" if more else ""), keep="")
