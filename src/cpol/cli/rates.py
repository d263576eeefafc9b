"""The table of `cpolc top`."""

from __future__ import annotations

from collections.abc import Sequence

from cpol.printable import shown
from cpol.runtime.operate.loader.rates import Interval, intervals
from cpol.runtime.operate.loader.statistics import Statistics

NOT_COUNTED, NOTHING = "n/a", "-"
"""What this kernel does not count; what has no value in this interval."""
PAGES_A_MIB = 256
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


def number(row: Interval, column: str) -> float | None:
    """The value of a column of numbers, if there is one."""
    if column in RATES:
        return row.rate(RATES[column])
    if column == MEMORY:
        return row.owned
    return row.programs_percent if column == "PROGRAMS%" else row.hit_percent


def cell(row: Interval, column: str) -> str:
    """A column as text."""
    if column in LEFT:
        text = {"CGROUP": row.cgroup, "POLICY": row.policy, LISTS: lists(row.source) if row.source else ""}[column]
        return shown(text, keep="")
    if column == MEMORY:
        return f"{mebibytes(row.owned)} / {mebibytes(row.capacity)}"
    value = number(row, column)
    if value is not None:
        return f"{value:,.1f}" if column.endswith("%") else f"{value:,.0f}"
    needs = {"HIT%": ("hits", "misses"), "PROGRAMS%": ("prog_ns",)}.get(column, ())
    return NOTHING if needs and all(row.grown[key] is not None for key in needs) else NOT_COUNTED


def table(before: Sequence[Statistics], after: Sequence[Statistics], seconds: float) -> list[str]:
    """A header, and a line for each policy."""
    rows = intervals(before, after, seconds)
    if not rows:
        return ["no policy is attached"]
    return aligned([HEAD, *(tuple(cell(row, column) for column in HEAD) for row in rows)], LEFT)


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


def mebibytes(pages: int | None) -> str:
    """Pages of 4 KiB in MiB."""
    return NOT_COUNTED if pages is None else f"{pages / PAGES_A_MIB:,.1f}"


def lists(one: Statistics, most: int = SHOWN_LISTS) -> str:
    """The sizes of the policy's lists, or of the first ones if there are many."""
    parts = [f"{one.list_name(number)} {pages}" for number, pages in enumerate(one.lists[:most])]
    more = max(len(one.lists), one.numbers.get("nr_lists", 0)) - len(parts)
    return ", ".join(parts) + (f", and {more} more" if more else "")
