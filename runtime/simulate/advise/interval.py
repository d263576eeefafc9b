"""How sure a ratio of two sums is: the block bootstrap.

Requests depend on those shortly before them, so whole blocks are drawn, with replacement: Künsch, "The Jackknife and
the Bootstrap for General Stationary Observations", Annals of Statistics 17(3), 1989. Both runs of a block are drawn
together, since they had the same requests.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

DRAWS = 2000
CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A ratio, and the ends of its 95 % interval."""

    ratio: float
    low: float
    high: float


def interval(ours: Sequence[int], theirs: Sequence[int], seed: int) -> Interval:
    """The sum of `ours` as a share of the sum of `theirs`, block by block the same requests.

    The same seed gives the same interval. Of two sums of 0, each is as much as the other; else 0 counts as 1.
    """
    source = random.Random(seed)
    blocks = range(len(ours))
    ratios = []
    for _ in range(DRAWS):
        drawn = source.choices(blocks, k=len(blocks))
        ratios.append(_ratio(sum(ours[each] for each in drawn), sum(theirs[each] for each in drawn)))
    ratios.sort()
    tail = round(DRAWS * (1 - CONFIDENCE) / 2)
    return Interval(_ratio(sum(ours), sum(theirs)), ratios[tail], ratios[-tail - 1])


def _ratio(ours: int, theirs: int) -> float:
    return ours / max(1, theirs) if ours or theirs else 1.0
