"""Two groups of cgroups: who gets the new policy, and how far the groups differ (Welch's t)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance
from typing import Final

from cpol.student import quantile

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
