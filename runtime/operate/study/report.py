"""The report of a study: as lines of text, and as JSON. page.py makes the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from cpol.runtime.operate.study.distributions import ALPHA, POWER
from cpol.runtime.operate.study.kept import Kept
from cpol.runtime.operate.study.latency import PERCENTILES, Latency
from cpol.runtime.operate.study.notes import notes
from cpol.runtime.operate.study.statistics import COUNTED, WANTED, Against, Compared, Row, missing

SHOWN: Final = 5
"""Failures of a cell."""
LEGEND: Final = (
    "mean ± half of its 95 % interval (Student). difference: to the baseline's mean, with its 95 % interval (Welch).",
    f"p: Welch's test of means, and of spreads Levene's about medians (Brown, Forsythe); each after Holm for all "
    f"variants of a cell; below {ALPHA} is a difference.",
    f"shows: the smallest difference of means that so many trials find with a power of {100 * POWER:.0f} % at {ALPHA}, "
    "shared among the variants of a cell, if the spread is as measured. needs: the trials of each variant to find "
    f"{100 * WANTED:.0f} %.",
    "The spread itself is only estimated: with 5 trials it may be off by more than a factor of 2, and so is what they "
    "show.",
)


def verdict(found: Compared) -> str:
    """What a cell shows, in a sentence, and how much of it does not count."""
    failed = sum(row.failed for row in found.rows)
    trials = "1 trial failed and counts" if failed == 1 else f"{failed:,} trials failed and count"
    return _shown(found) + (f" ({trials} nowhere)" if failed else "")


def _shown(found: Compared) -> str:
    names = [row.variant for row in found.rows]
    short = [row.variant for row in found.rows if row.times is None]
    if short:
        return f"too few trials of {', '.join(short)} to compare"
    if not found.pairs:
        could = "" if found.shown is None else f": it would find {percent(found.shown)} of the baseline's mean"
        return f"no difference that N = {found.least} can show{could}"
    if len(found.best) == len(names):
        (fast, slow), more = found.pairs[0], len(found.pairs) - 1
        others = f", and {more} more {'pair differs' if more == 1 else 'pairs differ'}" if more else ""
        return f"N = {found.least} cannot tell which is best; {fast} is faster than {slow}{others}"
    if len(found.best) == 1:
        return f"best: {found.best[0]}"
    return f"best: {found.best[0]}; N = {found.least} cannot tell it from {', '.join(found.best[1:])}"


def percent(share: float) -> str:
    """With two digits that matter."""
    amount = 100 * share
    return f"{amount:.1f} %" if abs(amount) < 100 else f"{amount:,.0f} %"


def signed(share: float) -> str:
    return f"{100 * share:+.1f} %"


def trials(count: int | None) -> str:
    return "more than 10 million" if count is None else f"{count:,}"


def p_value(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def seconds(value: float) -> str:
    return f"{value:,.1f}" if value >= 100 else f"{value:.4g}"


def nanoseconds(value: int | None) -> str:
    """With the unit of which there is one."""
    if value is None:
        return "too few"
    for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if value >= size:
            return f"{value / size:.4g} {unit}"
    return f"{value} ns"


def lines(kept: Kept, found: Sequence[Compared]) -> Iterator[str]:
    """The report as text."""
    yield kept.study.title
    for note in notes(kept, found):
        yield f"  {note}"
    for each in found:
        yield ""
        yield from _cell_lines(kept, each)
    yield ""
    yield from LEGEND


def _cell_lines(kept: Kept, found: Compared) -> Iterator[str]:
    cell = found.cell
    yield f"{cell.program}, memory for {100 * cell.ratio:g} %, swap: {cell.swap}"
    yield verdict(found)
    width = max(10, *(len(row.variant) for row in found.rows))
    yield f"{'variant':<{width}}{'N':>6}{'seconds':>18}{'quartiles':>25}{'major faults':>14}{'r²':>7}{'swap-ins':>12}"
    for row in found.rows:
        yield _times_line(row, width)
    if any(row.against for row in found.rows):
        yield (
            f"{f'beside {kept.study.baseline}':<{max(width, 18)}}{'difference':>28}{'p mean':>8}{'p spread':>10}"
            f"{'shows':>9}{'needs':>12}"
        )
    for row in found.rows:
        if row.against:
            yield f"{row.variant:<{max(width, 18)}}{_against(row.against)}"
    for row in found.rows:
        if row.failed or row.missing:
            yield f"{row.variant}: {row.failed:,} failed, {row.missing:,} are missing"
    for row in found.rows:
        for each in row.latencies:
            yield f"{row.variant}, {each.kind}: {_latency(each)}"
    failures = sorted(
        f"{trial.id}: {outcome.failure}"
        for trial, outcome in kept.outcomes.items()
        if trial.cell == cell and outcome.failure
    )
    yield from failures[:SHOWN]
    if len(failures) > SHOWN:
        yield f"and {len(failures) - SHOWN:,} more that failed"


def _times_line(row: Row, width: int) -> str:
    begin = f"{row.variant:<{width}}{len(row.seconds):>6}"
    if row.times is None:
        return f"{begin}{'too few':>18}"
    times = row.times
    middle = f"{seconds(times.mean)} ± {seconds(times.high - times.mean)}"
    quarters = " ".join(seconds(each) for each in times.quartiles[1:4])
    r2 = "" if row.line is None else f"{row.line.r2:.2f}"
    counts = row.counters
    return f"{begin}{middle:>18}{quarters:>25}{counts['pgmajfault']:>14,.0f}{r2:>7}{counts['pswpin']:>12,.0f}"


def _against(beside: Against) -> str:
    return (
        f"{between(beside):>28}{p_value(beside.mean_p):>8}{p_value(beside.spread_p):>10}{percent(beside.shown):>9}"
        f"{trials(beside.needed):>12}"
    )


def between(beside: Against) -> str:
    """A difference with its interval."""
    return f"{signed(beside.difference)} ({100 * beside.low:+.1f} to {100 * beside.high:+.1f})"


def _latency(found: Latency) -> str:
    shares = (f"p{share} {nanoseconds(value)}" for share, value in zip(PERCENTILES, found.percentiles, strict=True))
    return f"{', '.join(shares)} (of {found.total:,})"


def facts(kept: Kept, found: Sequence[Compared]) -> dict[str, Any]:
    """The report as JSON."""
    study = kept.study
    return {
        "title": study.title,
        "baseline": study.baseline,
        "trials": study.trials,
        "done": len(kept.outcomes),
        "missing": missing(kept),
        "notes": notes(kept, found),
        "cells": [
            {
                **each.cell._asdict(),
                "verdict": verdict(each),
                "best": [*each.best],
                "pairs": [[*pair] for pair in each.pairs],
                "shown": each.shown,
                "rows": [*map(_row, each.rows)],
            }
            for each in found
        ],
    }


def _row(row: Row) -> dict[str, Any]:
    told = row._asdict() | {"counters": {COUNTED[name]: value for name, value in row.counters.items()}}
    for name in ("times", "against", "line"):
        told[name] = told[name] and told[name]._asdict()
    told["latencies"] = [
        {
            "kind": each.kind,
            "count": each.total,
            "percentiles": dict(zip(PERCENTILES, each.percentiles, strict=True)),
        }
        for each in row.latencies
    ]
    return told
