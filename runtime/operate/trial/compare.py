"""Two groups of cgroups: who gets the new policy, and how far the groups differ (Welch's t)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance
from typing import Final

CONFIDENCE: Final = 0.95
LEAST: Final = 4
"""Cgroups for a trial with two groups: a group of one has no variance."""


@dataclass(frozen=True)
class Difference:
    """New less old of one measure, with the bounds of its confidence interval."""

    old: float
    new: float
    low: float
    high: float

    @property
    def value(self) -> float:
        return self.new - self.old


def assign(count: int, seed: int) -> set[int]:
    """Which of `count` cgroups get the new policy: half of them, rounded down, by chance."""
    return set(random.Random(seed).sample(range(count), count // 2))


def difference(old: Sequence[float], new: Sequence[float]) -> Difference | None:
    """The difference of the means, with Welch's interval. None: a group has fewer than two values."""
    if len(old) < 2 or len(new) < 2:
        return None
    means = fmean(old), fmean(new)
    parts = variance(old) / len(old), variance(new) / len(new)
    error = sum(parts)
    if error == 0:
        margin = 0.0
    else:
        shares = [part / error for part in parts]  # so that no square is too small for a float
        freedom = 1 / (shares[0] ** 2 / (len(old) - 1) + shares[1] ** 2 / (len(new) - 1))
        margin = quantile((1 + CONFIDENCE) / 2, freedom) * math.sqrt(error)
    value = means[1] - means[0]
    return Difference(*means, value - margin, value + margin)


def quantile(share: float, freedom: float) -> float:
    """The quantile of Student's t above 1/2, with any number of degrees of freedom from 1 on."""
    low, high = 0.0, 1.0
    while cumulative(high, freedom) < share:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if cumulative(middle, freedom) < share else (low, middle)
    return (low + high) / 2


def cumulative(t: float, freedom: float) -> float:
    """The distribution of Student's t, for t >= 0.

    With t = sqrt(freedom) * tan(angle), the density is a power of cos(angle), which is smooth: Simpson's rule.
    """
    steps, angle = 400, math.atan(t / math.sqrt(freedom))
    width = angle / steps
    total = math.fsum(
        (1 if i in (0, steps) else 4 if i % 2 else 2) * math.cos(i * width) ** (freedom - 1) for i in range(steps + 1)
    )
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    return 0.5 + scale * total * width / 3
