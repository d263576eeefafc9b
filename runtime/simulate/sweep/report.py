"""What a sweep found: how the policies compare over the traces, for each capacity, and why runs failed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import NamedTuple

from cpol.runtime.simulate.runs.candidates import BELADY
from cpol.runtime.simulate.sweep.plan import KEY
from cpol.runtime.simulate.sweep.store import Stored
from cpol.runtime.simulate.sweep.unit import Row


class Line(NamedTuple):
    """A policy with its settings and one capacity, over the traces on which all policies ran with it. One that ran on
    none is left out.

    `best` is on how many of them none missed less; None: it is the optimum, which is out of the contest. `of_base` is
    the mean of its misses as a share of the base's; None: there is no base, or it missed nothing.
    """

    capacity: str
    policy: str
    traces: int
    mean: float
    median: float
    best: int | None
    of_base: float | None


class Failed(NamedTuple):
    """Runs on a trace that failed for the same reason."""

    trace: str
    runs: int
    error: str


class Report(NamedTuple):
    """`lines` by capacity, the best first; `base` is the label that others are compared with."""

    base: str | None
    lines: list[Line]
    failed: list[Failed]


class Status(NamedTuple):
    """How far a sweep is. `left` are seconds, as its progress tells them; None: it is not known."""

    runs: int
    done: int
    failed: int
    running: bool
    left: float | None
    last: float | None


def status(stored: Stored) -> Status:
    """How far a sweep is."""
    done = len(stored.rows)
    failed = sum(bool(row.error) for row in stored.rows.values())
    left = None
    if stored.running and stored.paid and stored.last:
        rest = sum(cost for key, cost in stored.costs.items() if key not in stored.rows)
        left = max(0.0, (stored.last - stored.since) / stored.paid * rest - (time.time() - stored.last))
    return Status(len(stored.costs), done, failed, stored.running, left, stored.last)


def report(stored: Stored, base: str | None = None) -> Report:
    """Compare what there is.

    Args:
        base: the policy that others are compared with; None: the one that the sweep names.
    """
    several = len({key[KEY.index("batch")] for key in stored.costs} - {None}) > 1
    capacities = dict.fromkeys(str(key[KEY.index("capacity")]) for key in stored.costs)
    rows = [*stored.rows.values()]
    shown = next((_label(row, several) for row in rows if row.policy == (base or stored.base)), None)
    lines: list[Line] = []
    for capacity in capacities:
        lines += _lines(capacity, [row for row in rows if row.capacity == capacity], several, shown)
    return Report(shown, lines, [*_failures(rows)])


def _label(row: Row, several: bool) -> str:
    """The policy with its params, and the batch if the sweep has several."""
    batch = f"batch {row.batch}" if several and row.batch is not None else ""
    return " ".join(filter(None, (row.policy, row.params, batch)))


def _lines(capacity: str, rows: Iterable[Row], several: bool, base: str | None) -> list[Line]:
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        if not row.error:
            found.setdefault(_label(row, several), {})[row.trace] = row
    common = sorted(set.intersection(*map(set, found.values()))) if found else []
    if not common:
        return []
    able = [own for label, own in found.items() if label != BELADY]
    least = {trace: min((own[trace].misses or 0 for own in able), default=0) for trace in common}
    made = []
    for label, own in found.items():
        ratios = [own[trace].miss_ratio or 0.0 for trace in common]
        best = None if label == BELADY else sum(own[trace].misses == least[trace] for trace in common)
        made.append(Line(capacity, label, len(common), fmean(ratios), median(ratios), best, None))
        if base in found:
            pairs = [(own[trace].misses or 0, found[base][trace].misses or 0) for trace in common]
            shares = [misses / of_base for misses, of_base in pairs if of_base]
            made[-1] = made[-1]._replace(of_base=fmean(shares) if shares else None)
    return sorted(made, key=lambda line: (line.mean, line.policy))


def _failures(rows: Sequence[Row]) -> Iterable[Failed]:
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        if row.error:
            key = (row.trace, row.error)
            counts[key] = counts.get(key, 0) + 1
    return (Failed(trace, runs, error) for (trace, error), runs in counts.items())
