"""The interval of a ratio holds the true one, and gets smaller with more blocks."""

from __future__ import annotations

import random

import pytest

from cpol.runtime.simulate.advise.interval import interval

SEED = 11
"""Of the blocks of this file."""


def test_the_same_seed_gives_the_same_interval() -> None:
    ours, theirs = [number * 37 % 29 for number in range(20)], [*range(61, 81)]
    assert interval(ours, theirs, 1) == interval(ours, theirs, 1) != interval(ours, theirs, 2)
    assert interval(theirs, theirs, 1) == (1.0, 1.0, 1.0)
    assert interval([0, 0], [0, 0], 1) == (1.0, 1.0, 1.0)


@pytest.mark.slow
def test_nine_of_ten_intervals_hold_the_truth() -> None:
    source = random.Random(SEED)
    held = 0
    for seed in range(60):
        theirs = [source.randrange(80, 120) for _ in range(20)]
        ours = [sum(source.random() < 0.6 for _ in range(each)) for each in theirs]
        found = interval(ours, theirs, seed)
        held += found.low <= 0.6 <= found.high
    assert held >= 53  # 95 % are meant; a bootstrap of 20 blocks is somewhat narrow


def test_more_blocks_are_surer() -> None:
    source = random.Random(SEED)
    theirs = [100] * 320
    ours = [source.randrange(40, 80) for _ in theirs]
    few, many = interval(ours[:20], theirs[:20], 1), interval(ours, theirs, 1)
    assert many.high - many.low < (few.high - few.low) / 2
