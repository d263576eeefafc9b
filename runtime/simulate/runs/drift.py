"""How the miss ratio of a policy depends on the share of the objects that a sample has.

A policy that adapts or learns decides otherwise in a few pages than in many: what it learns from has fewer events, and
is noisier. So its miss ratio drifts as the sample grows. Two samples of the same capacity tell by how much, and those
of other capacities of the same policy tell how sure that is.

The drift goes with share^-1/4. Between samples of 2 % and of 70 % of a trace, that of `arc` was seen to go with the
logarithm of the share, that of `lhd` with the logarithm at some capacities and with share^-1/2 at others. This is
between the two, and what it adds is told as an error, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

POWER = 1 / 4

WIDTH = 4
"""Capacities so far away tell nothing about a drift."""

WIDER = 2.25
"""Intervals are, than the groups of a sample tell: what happens in its cache happens to all of them."""

UNSURE = 1.0
"""Of what was added for the drift."""

LEAST = 0.5
"""Of the mean interval of a curve: no point is surer than that."""

REACH = 2
"""Deviations in half an interval."""

MOST = 0.003
"""Of the requests: a sample is too small if the drift or the groups tell of more."""


class Seen(NamedTuple):
    """What a sample of such a share of the objects told: a miss ratio, and half of the interval from its groups."""

    share: float
    ratio: float
    half: float


class _Slope(NamedTuple):
    """Of the miss ratio over `less(share)`."""

    value: float
    variance: float


def less(share: float) -> float:
    """How far a sample is from all of the objects."""
    return math.pow(share, -POWER) - 1


class Drift:
    """That of a policy, from a smaller and a larger sample at some of its capacities, by their numbers."""

    def __init__(self, pairs: Mapping[int, tuple[Seen, Seen]]) -> None:
        self._slopes = {place: _slope(*pair) for place, pair in pairs.items()}
        self.excess = 1.0
        """By how much samples differ more than their groups tell, as a factor of at least 1."""
        squares, freedom = 0.0, float(len(pairs))
        for place, slope in self._slopes.items():
            weights = self._weights(place)
            squares += (slope.value - self._smooth(weights).value) ** 2 / slope.variance
            freedom -= weights[place]
        if freedom > 0.5:
            self.excess = max(1.0, math.sqrt(squares / freedom))

    def _weights(self, place: int) -> dict[int, float]:
        """How much each capacity tells about this one; 1 together."""
        near = {each: max(0.0, 1 - abs(each - place) / WIDTH) / slope.variance for each, slope in self._slopes.items()}
        total = sum(near.values())
        if total == 0:
            return {min(self._slopes, key=lambda each: abs(each - place)): 1.0}
        return {each: weight / total for each, weight in near.items() if weight}

    def _smooth(self, weights: Mapping[int, float]) -> _Slope:
        slopes = [(self._slopes[each], weight) for each, weight in weights.items()]
        value = sum(slope.value * weight for slope, weight in slopes)
        return _Slope(value, sum(slope.variance * weight**2 for slope, weight in slopes))

    def at(self, place: int) -> tuple[float, float]:
        """The slope at a capacity, and its deviation. What may be chance is taken from the slope (James and Stein)."""
        if not self._slopes:
            return 0.0, 0.0
        value, variance = self._smooth(self._weights(place))
        variance *= self.excess**2
        return (value - variance / value if value**2 > variance else 0.0), math.sqrt(variance)

    def needed(self, place: int, seen: Seen) -> float:
        """The share of the objects with which neither the drift nor the interval of the groups is above `MOST`."""
        slope, half = abs(self.at(place)[0]), seen.half * self.excess
        odds = (1 - seen.share) / seen.share
        of_drift = (1 + MOST / slope) ** (-1 / POWER) if slope else 0.0
        of_groups = 1 / (1 + odds * (MOST / half) ** 2) if half > MOST else 0.0
        return max(of_drift, of_groups)

    def corrected(self, found: Mapping[int, Seen]) -> dict[int, tuple[float, float]]:
        """The miss ratio at each capacity with all of the objects, and half of its interval."""
        wide = {place: WIDER * self.excess * seen.half for place, seen in found.items()}
        least = LEAST * sum(wide.values()) / max(1, len(wide))
        told = {}
        for place, seen in found.items():
            slope, deviation = self.at(place)
            far = less(seen.share)
            half = math.hypot(wide[place], REACH * deviation * far, least) + UNSURE * abs(slope) * far
            told[place] = (seen.ratio - slope * far, half)
        return told


def _slope(small: Seen, large: Seen) -> _Slope:
    """The larger sample has all of the smaller one. So what the smaller one is off beside it is what both differ by."""
    far = less(small.share) - less(large.share)
    squared = max(small.half**2 - large.half**2, small.half**2 / 4, 1e-12)
    return _Slope((small.ratio - large.ratio) / far, squared / (REACH * far) ** 2)
