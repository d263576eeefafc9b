"""What the trials of a study show, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import fmean, median, quantiles, stdev, variance
from typing import Final, NamedTuple

from cpol.runtime.operate.study import distributions
from cpol.runtime.operate.study.distributions import ALPHA, Line, holm
from cpol.runtime.operate.study.kept import Kept
from cpol.runtime.operate.study.latency import Latency, latency
from cpol.runtime.operate.study.order import Cell, cells
from cpol.runtime.operate.study.outcome import Outcome

ENOUGH: Final = 2
"""Times that have a spread."""
WANTED: Final = 0.05
"""The difference, as a share of the baseline's mean, for which the report says how many trials it takes."""
COUNTED: Final = {
    "pgmajfault": "major faults",
    "pswpin": "swap-ins",
    "workingset_refault_anon": "refaults, anonymous",
    "workingset_refault_file": "refaults, file",
}


class Times(NamedTuple):
    """The seconds of a variant in a cell."""

    mean: float
    low: float
    high: float
    """Ends of the 95 % interval of the mean."""
    spread: float
    """The standard deviation."""
    quartiles: tuple[float, float, float, float, float]
    """With the least and the largest value."""


class Against(NamedTuple):
    """A variant beside the baseline; shares of the baseline's mean."""

    difference: float
    low: float
    high: float
    mean_p: float
    """Welch's, corrected for all variants of the cell."""
    spread_p: float
    """Levene's about medians, corrected."""
    shown: float
    """The smallest difference that so many trials show."""
    needed: int | None
    """Trials that show a difference of WANTED; None: more than anybody runs."""


class Row(NamedTuple):
    """A variant in a cell."""

    variant: str
    seconds: tuple[float, ...]
    faults: tuple[int, ...]
    """Major faults of the same trials."""
    failed: int
    missing: int
    times: Times | None
    """None: too few trials have ended."""
    against: Against | None
    """None: it is the baseline, or one of them has too few trials."""
    line: Line | None
    """Seconds over major faults."""
    counters: Mapping[str, float]
    """Means, by the names of COUNTED."""
    operations: float | None
    """A second."""
    latencies: tuple[Latency, ...]


class Compared(NamedTuple):
    """A cell with its variants."""

    cell: Cell
    rows: tuple[Row, ...]
    best: tuple[str, ...]
    """Variants of which none is shown to be slower than another. All: there is no difference that can be shown."""
    least: int
    """The fewest trials of a variant."""
    pairs: tuple[tuple[str, str], ...]
    """Variants that are shown to differ, the faster one first."""
    shown: float | None
    """The smallest difference that so many trials show of each pair, as a share of the baseline's mean."""


def compared(kept: Kept) -> list[Compared]:
    """All cells, with the baseline first."""
    return [_cell(kept, cell) for cell in cells(kept.study)]


def _cell(kept: Kept, cell: Cell) -> Compared:
    study = kept.study
    names = [study.baseline, *(name for name in study.variants if name != study.baseline)]
    found: dict[str, list[Outcome]] = {name: [] for name in names}
    for trial, outcome in kept.outcomes.items():
        if trial.cell == cell:
            found[trial.variant].append(outcome)
    good = {name: sorted_by_time(each for each in found[name] if each.counts) for name in names}
    seconds = {name: [each.seconds for each in good[name]] for name in names}
    against = _against(study.baseline, seconds)
    rows = tuple(_row(name, found[name], good[name], study.trials, against.get(name)) for name in names)
    pairs = differing(seconds)
    least = min(map(len, seconds.values()))
    return Compared(cell, rows, best(seconds, pairs), least, pairs, shown(study.baseline, seconds))


def sorted_by_time(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """So that nothing depends on the order in which trials ran."""
    return sorted(outcomes, key=lambda each: (each.seconds, each.counters.get("pgmajfault", 0), each.id))


def _row(name: str, all_: Sequence[Outcome], good: Sequence[Outcome], trials: int, against: Against | None) -> Row:
    seconds = tuple(each.seconds for each in good)
    faults = tuple(each.counters.get("pgmajfault", 0) for each in good)
    kinds = sorted({kind for each in good for kind in each.latency})
    rates = [each.operations / each.seconds for each in good if each.operations is not None]
    return Row(
        name,
        seconds,
        faults,
        len(all_) - len(good),
        trials - len(all_),
        times(seconds),
        against,
        distributions.line(faults, seconds),
        {key: fmean(each.counters.get(key, 0) for each in good) for key in COUNTED} if good else {},
        fmean(rates) if rates else None,
        tuple(latency(kind, [each.latency[kind] for each in good if kind in each.latency]) for kind in kinds),
    )


def times(seconds: Sequence[float]) -> Times | None:
    """Mean, interval and quartiles."""
    if len(seconds) < ENOUGH:
        return None
    mean, spread = fmean(seconds), stdev(seconds)
    half = distributions.t_quantile(0.975, len(seconds) - 1) * spread / math.sqrt(len(seconds))
    first, _, third = quantiles(seconds, n=4, method="inclusive")
    fifths = (min(seconds), first, median(seconds), third, max(seconds))
    return Times(mean, mean - half, mean + half, spread, fifths)


def _against(baseline: str, seconds: Mapping[str, Sequence[float]]) -> dict[str, Against]:
    """Each variant beside the baseline."""
    base = seconds[baseline]
    names = [name for name, each in seconds.items() if name != baseline and len(each) >= ENOUGH]
    if len(base) < ENOUGH or not names:
        return {}
    means = holm([distributions.welch(base, seconds[name]) for name in names])
    spreads = holm([distributions.levene(base, seconds[name]) for name in names])
    return {
        name: _beside(base, seconds[name], mean_p, spread_p, ALPHA / len(names))
        for name, mean_p, spread_p in zip(names, means, spreads, strict=True)
    }


def _beside(base: Sequence[float], other: Sequence[float], mean_p: float, spread_p: float, alpha: float) -> Against:
    mean = fmean(base)
    difference = fmean(other) - mean
    error, freedom = distributions.error_of(base, other)
    half = distributions.t_quantile(0.975, freedom) * error
    spread = pooled(base, other)
    return Against(
        difference / mean,
        (difference - half) / mean,
        (difference + half) / mean,
        mean_p,
        spread_p,
        distributions.least_difference(spread, min(len(base), len(other)), alpha) / mean,
        distributions.count_for(WANTED * mean, spread, alpha),
    )


def pooled(one: Sequence[float], two: Sequence[float]) -> float:
    """The standard deviation of both."""
    return math.sqrt((variance(one) + variance(two)) / 2)


def differing(seconds: Mapping[str, Sequence[float]]) -> tuple[tuple[str, str], ...]:
    """Pairs of variants that are shown to differ, the faster one first. None, if one has too few trials.

    All pairs are tested, since the fastest is not known beforehand, and corrected for that.
    """
    if any(len(each) < ENOUGH for each in seconds.values()):
        return ()
    pairs = list(combinations(by_mean(seconds), 2))
    values = holm([distributions.welch(seconds[one], seconds[two]) for one, two in pairs])
    return tuple(pair for pair, value in zip(pairs, values, strict=True) if value < ALPHA)


def by_mean(seconds: Mapping[str, Sequence[float]]) -> list[str]:
    """The fastest variant first."""
    return sorted(seconds, key=lambda name: (fmean(seconds[name]), name))


def best(seconds: Mapping[str, Sequence[float]], pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The fastest variant, and those that are not shown to be slower."""
    if any(len(each) < ENOUGH for each in seconds.values()):
        return tuple(seconds)
    first, *others = by_mean(seconds)
    return (first, *(name for name in others if (first, name) not in pairs))


def shown(baseline: str, seconds: Mapping[str, Sequence[float]]) -> float | None:
    """The smallest difference that so many trials show of each pair, as a share of the baseline's mean."""
    if any(len(each) < ENOUGH for each in seconds.values()):
        return None
    pairs = list(combinations(seconds.values(), 2))
    found = (
        distributions.least_difference(pooled(one, two), min(len(one), len(two)), ALPHA / len(pairs))
        for one, two in pairs
    )
    return max(found) / fmean(seconds[baseline])


def missing(kept: Kept) -> int:
    return len(cells(kept.study)) * len(kept.study.variants) * kept.study.trials - len(kept.outcomes)
