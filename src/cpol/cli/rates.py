"""The table of `cpolc top`: rates between two readings of the statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cpol.cli.messages import shown
from cpol.runtime.loader.statistics import Statistics

NOT_COUNTED = "n/a"
PAGES_A_MIB = 256
REFUSED = "refused_"
SHOWN_LISTS = 8

HEAD = (
    "POLICY", "ADDED/s", "ACCESSED/s", "HIT%", "REFAULT/s", "EVICTED/s", "REFUSED/s", "FALLBACK/s", "PROGRAMS%",
    "OWNED/CAPACITY MiB", "CGROUP", "LISTS (pages)",
)  # fmt: skip
LEFT = {"POLICY", "CGROUP", "LISTS (pages)"}
"""Columns of text, aligned left. Numbers are aligned right."""


def table(before: Sequence[Statistics], after: Sequence[Statistics], seconds: float) -> list[str]:
    """A header, and a line for each policy. A policy that is new or was replaced counts from its start.

    One that has ended is shown as long as its link exists.
    """
    after = [one for one in after if one.end is None or one.end.held]
    if not after:
        return ["no policy is attached"]
    earlier = {(one.cgroup, one.policy): one for one in before}
    cells = [HEAD, *(row(earlier.get((one.cgroup, one.policy)), one, seconds) for one in after)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEAD))]
    return [
        "  ".join(
            cell.ljust(width) if name in LEFT else cell.rjust(width)
            for cell, width, name in zip(line, widths, HEAD, strict=True)
        ).rstrip()
        for line in cells
    ]


def row(before: Statistics | None, after: Statistics, seconds: float) -> tuple[str, ...]:
    """The cells of a policy's line."""
    grown = growth(before, after)

    def rate(key: str) -> str:
        value = grown(key)
        return NOT_COUNTED if value is None else f"{value / seconds:,.0f}"

    refused = [grown(key) for key in after.numbers if key.startswith(REFUSED)]
    program_ns = grown("prog_ns")
    why = after.reason or (after.end.exit if after.end else "")
    return (
        shown(after.policy + (f" ({after.state}: {why})" if why else ""), keep=""),
        rate("added"),
        rate("accessed"),
        hit_ratio(grown("hits"), grown("misses")),
        rate("refaults"),
        rate("evicted"),
        f"{sum(value or 0 for value in refused) / seconds:,.0f}" if refused else NOT_COUNTED,
        rate("fallback"),
        NOT_COUNTED if program_ns is None else f"{program_ns / seconds / 1e7:.1f}",
        " / ".join(mebibytes(after.numbers.get(key)) for key in ("owned", "capacity")),
        shown(after.called, keep=""),
        lists(after),
    )


def growth(before: Statistics | None, after: Statistics) -> Callable[[str], int | None]:
    """The increase of a counter; None if the kernel does not count it. A smaller number means a restart."""

    def grown(key: str) -> int | None:
        now = after.numbers.get(key)
        if now is None:
            return None
        then = before.numbers.get(key, 0) if before is not None else 0
        return now - then if now >= then else now

    return grown


def hit_ratio(hits: int | None, misses: int | None) -> str:
    """The hit ratio, or a dash without accesses."""
    if hits is None or misses is None:
        return NOT_COUNTED
    return f"{100 * hits / (hits + misses):.1f}" if hits + misses else "-"


def mebibytes(pages: int | None) -> str:
    """Pages of 4 KiB in MiB."""
    return NOT_COUNTED if pages is None else f"{pages / PAGES_A_MIB:,.1f}"


def lists(one: Statistics) -> str:
    """The sizes of the policy's lists, or of the first ones if there are many."""
    parts = [f"{one.list_name(number)} {pages}" for number, pages in enumerate(one.lists[:SHOWN_LISTS])]
    more = max(len(one.lists), one.numbers.get("nr_lists", 0)) - len(parts)
    return shown(", ".join(parts) + (f", and {more} more" if more else ""), keep="")
