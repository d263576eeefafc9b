"""The second table of `cpolc top`: what policies that prefetch did between two readings of the statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cpol.cli.rates import NOTHING, aligned
from cpol.printable import shown
from cpol.runtime.operate.loader.rates import growth
from cpol.runtime.operate.loader.statistics import Statistics

HEAD = (
    "CGROUP", "PREFETCHES", "FAULTS/s", "READ/s", "SWAPPED IN/s", "ACCURACY%", "COVERAGE%", "WASTED/s", "LATE/s",
    "FILE PAGES/s", "FILE ACCURACY%", "FILE WASTED/s",
)  # fmt: skip
"""READ/s: faults that had to read. SWAPPED IN/s: pages that were prefetched."""
LEFT = {"CGROUP", "PREFETCHES"}


def table(before: Sequence[Statistics], after: Sequence[Statistics], seconds: float) -> list[str]:
    """A header, and a line for each policy that prefetches. No lines if there is none."""
    earlier = {(one.cgroup, one.policy): one for one in before if one.prefetches}
    rows = [
        row(one, growth(earlier.get((one.cgroup, one.policy)), one), seconds)
        for one in after
        if one.prefetches and (one.end is None or one.end.held)
    ]
    return aligned([HEAD, *rows], LEFT) if rows else []


def row(one: Statistics, grown: Callable[[str], int | None], seconds: float) -> tuple[str, ...]:
    """The cells of a policy. A share has no value if nothing happened."""

    def rate(key: str) -> str:
        value = grown(key)
        return NOTHING if value is None else f"{value / seconds:,.0f}"

    def share(part: int | None, whole: int | None) -> str:
        return NOTHING if part is None or not whole else f"{min(100.0, 100 * part / whole):.1f}"

    faults, cached, used = grown("faults"), grown("cached"), grown("used")
    read = None if faults is None or cached is None else max(faults - cached, 0)
    why = one.end.exit if one.end else ""
    return (
        shown(one.called, keep=""),
        shown(one.policy + (f" ({one.state}: {why})" if why else ""), keep=""),
        rate("faults"),
        NOTHING if read is None else f"{read / seconds:,.0f}",
        rate("prefetched"),
        share(used, grown("prefetched")),
        share(used, None if used is None or read is None else used + read),
        rate("wasted"),
        rate("late"),
        rate("ra_prefetched"),
        share(grown("ra_used"), grown("ra_prefetched")),
        rate("ra_wasted"),
    )
