"""Curves of samples: close to the exact ones, with errors that hold."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.machine.settings.assumed import Assumed
from cpol.runtime.simulate.runs.candidates import Candidate
from cpol.runtime.simulate.runs.curve import (
    LEAST_PAGES,
    MOST_SHARE,
    STEP,
    STEPS,
    Curves,
    Measured,
    Point,
    Sampling,
    sampling_of,
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
    curves, found = Curves(trace, setups(names), capacities, sampled), list[Measured]()
    for tasks in (curves.first, curves.others):
        found += [task.run() for task in tasks(found)]
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
@pytest.mark.parametrize("times", [1, 4])
def test_a_smaller_cache_is_smaller_by_its_share(capacity: int, share: float, times: int) -> None:
    """Its whole hundreds of pages come from a larger share: a cache of 758 pages is not one of 800."""
    small, least = Sampling(share, SEED).small(capacity, times), max(share, LEAST_PAGES / capacity) * times
    if small is None:
        assert least * capacity > (MOST_SHARE - 0.01) * capacity - STEP
        return
    assert least - 1e-9 <= small.share <= MOST_SHARE
    assert small.pages >= LEAST_PAGES * times
    assert small.pages == pytest.approx(small.share * capacity, abs=0.5)
    assert small.pages % STEP == 0 or small.pages >= STEP * STEPS


def test_batches_and_events_are_fewer_in_a_smaller_cache() -> None:
    (lhd,) = setups(["lhd"], batch=32)
    assert smaller(lhd, 0.25).batch == 8
    assert smaller(lhd, 0.25).params == {"period": 16_384}
    assert smaller(lhd, 0.001).params == {"period": 1024}
    assert smaller(lhd, 0.001).batch == 1


def test_the_share_that_a_policy_needs_is_found() -> None:
    """`lru` is content with the first sample. `lhd` drifts: its points come from more objects, and hold."""
    trace = make(parse(["zipf:objects=30000,skew=0.8,requests=300000"]), SEED)
    capacities, names = [3000, 4500, 6750, 10_125], ["lru", "lhd"]
    sampled = Sampling(0.04, SEED, needed=True)
    curves = Curves(trace, setups(names), capacities, sampled)
    found = [task.run() for task in curves.first()]
    others = [task.run() for task in curves.others(found)]
    assert {each.times for each in others if each.policy == 0} == {1}
    assert others and all(each.times != 1 for each in others if each.policy == 1)
    (*_, drifts), exact = curves.points([*found, *others]), points(trace, ["lhd"], capacities, None)[0]
    for point, truth in zip(drifts, exact, strict=True):
        assert abs(point.miss_ratio - truth.miss_ratio) <= (point.error or 0) + 1e-12


def test_without_a_larger_sample_the_whole_trace_runs(zipf: Trace) -> None:
    """Nothing would tell whether the policy drifts."""
    sampled = sampling_of("auto", zipf.distinct, SEED)
    assert sampled.needed and not sampling_of("0.1", zipf.distinct, SEED).needed
    (found,) = points(zipf, ["lhd"], [2 * LEAST_PAGES], sampled)
    assert [found] == points(zipf, ["lhd"], [2 * LEAST_PAGES], None)


def test_spread_capacities_grow_by_a_factor() -> None:
    assert spread(10**6, 4) == [1000, 10_000, 100_000, 1_000_000]
    assert spread(50, 1) == [5]
    assert spread(3, 20) == [1, 2, 3]


def test_where_all_objects_fit_the_curve_is_exact() -> None:
    """A sample would miss a share of the first requests, more or less: no policy misses fewer."""
    trace = make(parse(["loop:objects=30000,requests=150000"]), SEED)
    capacities = [15_000, 29_500, 30_000, 40_000]
    (found,) = points(trace, ["mru"], capacities, Sampling(0.05, SEED))
    assert [point.error is None for point in found[2:]] == [True, True]
    assert [point.miss_ratio for point in found[2:]] == [0.2, 0.2]
    assert all(point.miss_ratio >= 0.2 for point in found)


LEAVES = {
    "refuses": "on admit(f) { if f.index % 3 == 0 { refuse f } }",
    "reclaims": "every 50 events { reclaim 7 }",
    "neither": "",
}
"""What lets a policy miss an object again though all of them fit, or not."""


@pytest.mark.slow
@pytest.mark.parametrize("what", LEAVES)
@pytest.mark.parametrize("brought", [False, True])
def test_where_all_objects_fit_the_ratio_is_that_of_a_run(what: str, brought: bool, tmp_path: Path) -> None:
    """Only where nothing can leave does no run have to tell it."""
    path = tmp_path / "p.cpol"
    evicts = "on evict { scan queue from head as f { evict f } }"
    path.write_text(
        f"policy p {{ list queue\n{LEAVES[what]}\non added(f) {{ place f at tail of queue }}\n{evicts} }}\n"
    )
    trace = make(parse(["zipf:objects=300,skew=0.8,requests=3000"]), SEED)
    if brought:
        trace = replace(trace, ahead=bytes(place % 5 == 0 for place in range(trace.requests)))
    (setup,) = setups([str(path)])
    misses = setup.simulator(trace, trace.distinct).run(trace).misses
    ((point,),) = Curves(trace, [setup], [trace.distinct], None).run(1, lambda _: None)
    assert point.miss_ratio == misses / trace.requests
    assert brought or (misses == trace.distinct) == (what == "neither")
