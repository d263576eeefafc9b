"""Two groups: their assignment, and Welch's interval held against tables and against simulated trials."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpol.runtime.operate.trial.compare import assign, difference
from cpol.student import quantile

values = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12)


@pytest.mark.parametrize(
    ("freedom", "expected"), [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)]
)
def test_quantile_is_that_of_tables(freedom: float, expected: float) -> None:
    assert round(quantile(0.975, freedom), 3) == expected


def test_known_example() -> None:
    """Welch's first example in Wikipedia's article on the test: t = -2.46, 25.0 degrees of freedom, P = 0.021."""
    old = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4]
    new = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4]
    found = difference(old, new)
    assert found is not None
    assert (round(found.old, 1), round(found.new, 1)) == (20.8, 23.0)
    half = (found.high - found.low) / 2
    assert round(found.value / (half / quantile(0.975, 24.99)), 2) == 2.46
    assert 0 < found.low < found.value < found.high


@pytest.mark.long
def test_interval_covers_the_truth_as_often_as_it_says() -> None:
    source, covered = random.Random(3), 0
    for _ in range(1000):
        old = [source.gauss(10, 1) for _ in range(4)]
        new = [source.gauss(12, 5) for _ in range(6)]
        found = difference(old, new)
        assert found is not None
        covered += found.low <= 2 <= found.high
    assert 930 <= covered <= 970, covered


@pytest.mark.slow
@given(values, values)
def test_interval_holds_the_difference_and_turns_with_the_groups(old: list[float], new: list[float]) -> None:
    found, turned = difference(old, new), difference(new, old)
    assert found is not None and turned is not None
    assert found.low <= found.value <= found.high
    assert turned.low == pytest.approx(-found.high, abs=1e-6) and turned.high == pytest.approx(-found.low, abs=1e-6)


def test_a_group_of_one_has_no_interval() -> None:
    assert difference([1.0], [1.0, 2.0]) is None


@given(st.integers(2, 200), st.integers(0, 2**64 - 1))
def test_half_get_it_and_the_seed_decides(count: int, seed: int) -> None:
    chosen = assign(count, seed)
    assert len(chosen) == count // 2 and chosen <= set(range(count))
    assert assign(count, seed) == chosen


def test_each_cgroup_has_the_same_chance() -> None:
    times = [0] * 6
    for seed in range(3000):
        for number in assign(6, seed):
            times[number] += 1
    assert all(1350 <= n <= 1650 for n in times), times
