"""Curves of samples: close to the exact ones, with errors that hold."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import pytest

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.machine.settings.assumed import Assumed
from cpol.runtime.simulate.runs.candidates import Candidate
from cpol.runtime.simulate.runs.curve import (
    LEAST_PAGES,
    MOST_SHARE,
    STEP,
    Control,
    Curves,
    Point,
    Sampling,
    regression,
    smaller,
    spread,
)
from cpol.runtime.simulate.runs.evict import Setup
from cpol.runtime.simulate.traces import Trace
from cpol.runtime.simulate.traces.synth import make, parse

SEED = 5
"""Of the traces of this file."""

CAPACITIES = [4 * LEAST_PAGES, 8 * LEAST_PAGES]


def setups(names: Sequence[str], batch: int = 1) -> list[Setup]:
    found = [Candidate(name, compiled(resolve(name)), {}, [], name, {}) for name in names]
    return [Setup(each, batch, 1, Assumed(), False) for each in found]


def points(
    trace: Trace, names: Sequence[str], capacities: Sequence[int], sampled: Sampling | None
) -> list[list[Point]]:
    curves = Curves(trace, setups(names), capacities, sampled)
    found = [task.run() for task in curves.tasks()]
    random.Random(SEED).shuffle(found)
    return curves.points(found)


@pytest.fixture(scope="module")
def zipf() -> Trace:
    return make(parse(["zipf:objects=30000,skew=0.8,requests=200000"]), SEED)


@pytest.mark.slow
def test_the_interval_of_a_sample_holds_the_exact_ratio(zipf: Trace) -> None:
    names = ["fifo", "s3fifo"]
    exact = points(zipf, names, CAPACITIES, None)
    held = 0
    for seed in range(30):
        sampled = points(zipf, names, CAPACITIES, Sampling(0.01, seed))
        for point, truth in zip(chain(*sampled), chain(*exact), strict=True):
            assert point.capacity == truth.capacity
            assert truth.error is None and point.error is not None
            assert 0 < point.error < 0.02
            assert abs(point.miss_ratio - truth.miss_ratio) < 0.015, (seed, point, truth)
            held += abs(point.miss_ratio - truth.miss_ratio) <= point.error
    assert held >= 0.9 * 120, f"{held} of 120 intervals hold"


def test_lru_of_a_sample_is_exact(zipf: Trace) -> None:
    """A sample tells by how much a policy differs from LRU."""
    ((*found,),) = points(zipf, ["lru"], CAPACITIES, Sampling(0.01, SEED))
    ((*exact,),) = points(zipf, ["lru"], CAPACITIES, None)
    for point, truth in zip(found, exact, strict=True):
        assert point.miss_ratio == pytest.approx(truth.miss_ratio, abs=1e-12)
        assert point.error == pytest.approx(0, abs=1e-12)


def test_small_capacities_run_as_they_are(zipf: Trace) -> None:
    capacities = [LEAST_PAGES // 2, LEAST_PAGES]
    (found,) = points(zipf, ["s3fifo"], capacities, Sampling(0.01, SEED))
    assert [found] == points(zipf, ["s3fifo"], capacities, None)


def test_pages_that_only_readahead_brings_are_no_requests(zipf: Trace) -> None:
    rng = random.Random(SEED)
    brings = replace(zipf, ahead=bytes(rng.random() < 0.1 for _ in zipf.ids))
    (exact,) = points(brings, ["fifo"], CAPACITIES, None)
    (found,) = points(brings, ["fifo"], CAPACITIES, Sampling(0.1, SEED))
    for point, truth in zip(found, exact, strict=True):
        assert point.miss_ratio == pytest.approx(truth.miss_ratio, abs=0.01)


@pytest.mark.parametrize("capacity", [1, LEAST_PAGES, 1234, 56_789, 1_000_000])
@pytest.mark.parametrize("share", [0.001, 0.1, 0.69])
def test_a_smaller_cache_has_enough_whole_hundreds_of_pages(capacity: int, share: float) -> None:
    small = Sampling(share, SEED).small(capacity)
    if small is None:
        assert LEAST_PAGES / capacity > MOST_SHARE
        return
    assert share <= small.share <= MOST_SHARE
    assert small.pages >= LEAST_PAGES and small.pages % STEP == 0
    assert small.pages == pytest.approx(small.share * capacity, abs=STEP / 2)


def test_batches_and_events_are_fewer_in_a_smaller_cache() -> None:
    (lhd,) = setups(["lhd"], batch=32)
    assert smaller(lhd, 0.25).batch == 8
    assert smaller(lhd, 0.25).params == {"period": 16_384}
    assert smaller(lhd, 0.001).params == {"period": 1024}
    assert smaller(lhd, 0.001).batch == 1


@pytest.mark.slow
def test_a_regression_takes_what_is_known_from_the_whole() -> None:
    """A sum of two controls is known exactly, and of noise beside them the interval tells."""
    rng = random.Random(SEED)
    first, second = ([rng.randrange(1000) for _ in range(64)] for _ in range(2))
    known = [Control(first, 10.1 * sum(first)), Control(second, 9.9 * sum(second))]
    both = [2 * one + 3 * other for one, other in zip(first, second, strict=True)]
    truth = 2 * known[0].whole + 3 * known[1].whole
    assert regression(both, known, 0.1) == pytest.approx((truth, 0), abs=1e-6)
    held = 0
    for _ in range(200):
        noise = [rng.gauss(0, 5) for _ in both]
        total, error = regression([one + other for one, other in zip(both, noise, strict=True)], known, 0.1)
        held += abs(total - truth) <= error
    assert 180 <= held < 200, f"{held} of 200 intervals hold"


def test_controls_that_say_the_same_count_once() -> None:
    same = [float(each) for each in range(64)]
    known = [Control(same, 5000.0), Control(same, 5000.0), Control([7.0] * 64, 4480.0)]
    assert regression(same, known, 0.1) == pytest.approx((5000, 0), abs=1e-6)


def test_spread_capacities_grow_by_a_factor() -> None:
    assert spread(10**6, 4) == [1000, 10_000, 100_000, 1_000_000]
    assert spread(50, 1) == [5]
    assert spread(3, 20) == [1, 2, 3]
