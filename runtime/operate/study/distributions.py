"""What is taken of scipy, which is loaded when somebody asks, and has no types."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from statistics import variance
from typing import NamedTuple

from cpol.errors import UserError

POWER = 0.8
ALPHA = 0.05
MOST = 10_000_000
"""Trials: more than anybody runs."""


class Line(NamedTuple):
    """A straight line through points."""

    slope: float
    r2: float


def check_installed() -> None:
    """Raise UserError if scipy is not there."""
    if find_spec("scipy") is None:
        raise UserError("the report of a study needs scipy, which is not installed: pip install scipy")


def t_quantile(share: float, freedom: float) -> float:
    """The quantile of Student's t."""
    from scipy import stats

    return float(stats.t.ppf(share, freedom))


def welch(first: Sequence[float], second: Sequence[float]) -> float:
    """Welch's test: the p-value of two samples whose means do not differ, whatever their spreads.

    Without any spread, means are the same or are not.
    """
    from scipy import stats

    return _p(lambda: stats.ttest_ind(sorted(first), sorted(second), equal_var=False).pvalue, first, second)


def levene(first: Sequence[float], second: Sequence[float]) -> float:
    """The test of Brown and Forsythe, which is Levene's about the medians: the p-value of spreads that do not differ.

    Of fewer than three values each, it can tell nothing: both are as far from their median.
    """
    from scipy import stats

    if min(len(first), len(second)) < 3:
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = float(stats.levene(sorted(first), sorted(second), center="median").pvalue)
    return 1.0 if math.isnan(found) else found


def _p(test: object, first: Sequence[float], second: Sequence[float]) -> float:
    if variance(first) == variance(second) == 0:
        return 1.0 if first[0] == second[0] else 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of values that are nearly the same: the p-value is good enough for that
        assert callable(test)
        found = float(test())
    return 1.0 if math.isnan(found) else found


def line(x: Sequence[float], y: Sequence[float]) -> Line | None:
    """The line of least squares. None: fewer than three points, or all above one another."""
    from scipy import stats

    points = sorted(zip(x, y, strict=True))
    if len(points) < 3 or points[0][0] == points[-1][0]:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = stats.linregress(*zip(*points, strict=True))
    slope, r = float(found.slope), float(found.rvalue)
    return Line(slope, 0.0 if math.isnan(r) else min(1.0, r * r)) if math.isfinite(slope) else None


def power(difference: float, spread: float, count: int, alpha: float) -> float:
    """How likely two samples of `count` values each show a difference of means, at that level.

    Args:
        spread: the standard deviation of each.
    """
    from scipy import stats

    freedom = 2 * count - 2
    shift = difference / (spread * math.sqrt(2 / count))
    if shift > 100:
        return 1.0
    limit = t_quantile(1 - alpha / 2, freedom)
    above = float(stats.nct.sf(limit, freedom, shift))
    return 1.0 if math.isnan(above) else above + max(0.0, float(stats.nct.cdf(-limit, freedom, shift)))


def least_difference(spread: float, count: int, alpha: float) -> float:
    """The smallest difference of means that `count` values each show with the power POWER."""
    if spread == 0:
        return 0.0
    low, high = 0.0, 100 * spread * math.sqrt(2 / count)
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle, spread, count, alpha) < POWER else (low, middle)
    return high


def count_for(difference: float, spread: float, alpha: float) -> int | None:
    """How many values each show that difference with the power POWER. None: more than MOST."""
    if spread == 0:
        return 2
    low, high = 1, 2
    while power(difference, spread, high, alpha) < POWER:
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if power(difference, spread, middle, alpha) < POWER else (low, middle)
    return high


def holm(values: Sequence[float]) -> list[float]:
    """Holm's correction of p-values: as many tests were made as there are values."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    found, largest = [0.0] * len(values), 0.0
    for rank, at in enumerate(order):
        largest = max(largest, min(1.0, (len(values) - rank) * values[at]))
        found[at] = largest
    return found
