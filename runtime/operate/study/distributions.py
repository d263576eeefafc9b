"""What is taken of scipy, which is loaded when somebody asks, and has no types."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.util import find_spec
from statistics import correlation, fmean, linear_regression, median, variance
from typing import NamedTuple

from cpol.errors import UserError

POWER = 0.8
ALPHA = 0.05
MOST = 10_000_000
"""Trials: more than anybody runs."""
MOST_SHIFT = 1000.0
"""Of the noncentral t: beyond that, a difference is shown whatever the level."""


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
    from scipy import special

    return float(special.stdtrit(freedom, share))


def error_of(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """The standard error of the difference of two means, and its degrees of freedom after Welch and Satterthwaite."""
    one, two = (variance(each) / len(each) for each in (first, second))
    if one + two == 0:
        return 0.0, 1.0
    freedom = (one + two) ** 2 / (one**2 / (len(first) - 1) + two**2 / (len(second) - 1))
    return math.sqrt(one + two), freedom


def welch(first: Sequence[float], second: Sequence[float]) -> float:
    """Welch's test: the p-value of two samples whose means do not differ, whatever their spreads.

    Without any spread, means are the same or are not.
    """
    from scipy import special

    difference = abs(fmean(first) - fmean(second))
    error, freedom = error_of(first, second)
    if error == 0:
        return 1.0 if difference == 0 else 0.0
    return 2 * float(special.stdtr(freedom, -difference / error))


def levene(first: Sequence[float], second: Sequence[float]) -> float:
    """The test of Brown and Forsythe, which is Levene's about the medians: the p-value of spreads that do not differ.

    Of fewer than three values each, it can tell nothing: both are as far from their median.
    """
    from scipy import special

    if min(len(first), len(second)) < 3:
        return 1.0
    groups = [[abs(value - median(each)) for value in each] for each in (first, second)]
    means = [fmean(each) for each in groups]
    whole = fmean([*groups[0], *groups[1]])
    between = math.fsum(len(each) * (mean - whole) ** 2 for each, mean in zip(groups, means, strict=True))
    within = math.fsum((value - mean) ** 2 for each, mean in zip(groups, means, strict=True) for value in each)
    freedom = len(first) + len(second) - 2
    if within == 0:
        return 1.0 if means[0] == means[1] else 0.0
    return float(special.fdtrc(1, freedom, freedom * between / within))


def line(x: Sequence[float], y: Sequence[float]) -> Line | None:
    """The line of least squares. None: fewer than three points, or all above one another."""
    if len(x) < 3 or min(x) == max(x):
        return None
    slope = linear_regression(x, y).slope
    return Line(slope, 0.0 if min(y) == max(y) else min(1.0, correlation(x, y) ** 2))


def power(difference: float, spread: float, count: int, alpha: float) -> float:
    """How likely two samples of `count` values each show a difference of means, at that level.

    Args:
        spread: the standard deviation of each.
    """
    from scipy import special

    freedom = 2 * count - 2
    shift = difference / (spread * math.sqrt(2 / count))
    if shift > MOST_SHIFT:
        return 1.0
    limit = t_quantile(1 - alpha / 2, freedom)
    above = 1.0 - float(special.nctdtr(freedom, shift, limit))
    below = float(special.nctdtr(freedom, shift, -limit)) if shift < 3 else 0.0  # less than 10^-6, and scipy has nan
    return above + below


def least_difference(spread: float, count: int, alpha: float) -> float:
    """The smallest difference of means that `count` values each show with the power POWER."""
    if spread == 0:
        return 0.0
    low, high = 0.0, MOST_SHIFT * spread * math.sqrt(2 / count)
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
