"""What is known of the groups of a sample, and of the whole: control variates, by a linear regression."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from operator import mul
from typing import NamedTuple

from cpol.student import quantile

CONFIDENCE = 0.95

TINY = 1e-9
"""A control of whose variance less is left by those before it says the same as they do."""


class Control(NamedTuple):
    """Something that is known of each group of a sample, and of the whole."""

    groups: Sequence[float]
    whole: float


class _Part(NamedTuple):
    """What a control says beside those before it. `mean` and `whole` are of its groups, `square` the sum of squares."""

    centred: list[float]
    mean: float
    whole: float
    square: float


class Controls:
    """Controls of a sample of such a share of the objects, for any number of regressions."""

    def __init__(self, controls: Sequence[Control], share: float) -> None:
        self._share, self._parts = share, list[_Part]()
        for groups, whole in controls:
            mean = math.fsum(groups) / len(groups)
            centred = [each - mean for each in groups]
            least = TINY * _dot(centred, centred)
            for part in self._parts:
                slope = _dot(centred, part.centred) / part.square
                centred = _less(centred, part.centred, slope)
                mean, whole = mean - slope * part.mean, whole - slope * part.whole
            if (square := _dot(centred, centred)) > least:
                self._parts.append(_Part(centred, mean, whole, square))

    def regression(self, found: Sequence[float]) -> tuple[float, float]:
        """What was found in the groups, as a sum for the whole, and half of its 95 % interval.

        What goes with the controls, in a line through the groups, is taken from the whole.
        """
        count, known = len(found), 0.0
        mean = math.fsum(found) / count
        left = [each - mean for each in found]
        for part in self._parts:
            slope = _dot(left, part.centred) / part.square
            left = _less(left, part.centred, slope)
            mean, known = mean - slope * part.mean, known + slope * part.whole
        freedom = count - 1 - len(self._parts)
        deviation = math.sqrt(count * _dot(left, left) / freedom * (1 - self._share)) / self._share
        return count * mean / self._share + known, _reach(freedom) * deviation


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return float(sum(map(mul, left, right)))


def _less(left: Sequence[float], right: Sequence[float], slope: float) -> list[float]:
    return [own - slope * other for own, other in zip(left, right, strict=True)]


@cache
def _reach(freedom: int) -> float:
    """Half of the interval, in deviations. It takes 10 ms."""
    return quantile((1 + CONFIDENCE) / 2, freedom)
