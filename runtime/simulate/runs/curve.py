"""Miss ratio curves: each policy over many capacities, exact or of samples of the objects.

A sample runs in a cache that is smaller by the same factor: Waldspurger et al., "Cache Modeling and Optimization using
Miniature Simulations", ATC '17. Its misses are a share of the requests that a sample of this size should have, not of
those that it has, since popular objects are in it or not: SHARDS-adj, Waldspurger et al., FAST '15.

Three things make the error small.

- The sample tells only by how much a policy differs from LRU. What LRU misses is known exactly, with all capacities
  from one pass. Objects that one misses often the other does, too, so most of the error of the sample is in both: a
  control variate.
- The sample is larger for small capacities, so that its cache has `LEAST_PAGES` at least. In fewer, a policy does not
  do what it does in many.
- Its cache has whole hundreds of pages, so that parts of a few percent have whole pages.

The objects of a sample are in groups. How far these differ tells how far the sample is off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from statistics import covariance, pvariance, variance
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

from cpol.errors import RequestError
from cpol.runtime.machine.settings.params import read_params
from cpol.runtime.simulate.runs.evict import Setup, Workload, tasks_of
from cpol.runtime.simulate.runs.jobs import Task
from cpol.runtime.simulate.runs.run import Run
from cpol.runtime.simulate.traces import Numbered, Sample, Trace, lru_misses, requested, sample
from cpol.student import quantile

T = TypeVar("T")

LEAST_PAGES = 600
"""Of the cache of a sample."""

MOST_SHARE = 0.7
"""Of the objects. A larger sample takes about as long as all."""

STEP = 100
"""Such a cache has a multiple of so many pages."""

AUTO_OBJECTS = 20_000
"""Objects of a sample, unless a share is given."""

CONFIDENCE = 0.95

PARTS = (1, 1 / 4)
"""LRU tells of such parts of a capacity, too: of a quarter, how soon a FIFO forgets."""

TINY = 1e-9
"""A control that differs by less, as a share of the variance of the first, is one of the others."""

GROUPS = 64
"""Of the objects of a sample."""


class Point(NamedTuple):
    """A point of a curve. `error` is half of the 95 % interval of the ratio; None: it is exact."""

    capacity: int
    miss_ratio: float
    error: float | None


class Sampling(NamedTuple):
    """Samples of at least such a share of the objects. The same seed takes the same."""

    share: float
    seed: int

    def small(self, capacity: int) -> Small | None:
        """What stands for a cache of so many pages; None: nothing, since it would take about as long."""
        share = max(self.share, LEAST_PAGES / capacity)
        if share > MOST_SHARE:
            return None
        return Small(share, max(LEAST_PAGES, round(capacity * share / STEP) * STEP))


class Small(NamedTuple):
    """A smaller cache for a sample of such a share."""

    share: float
    pages: int


class Measured(NamedTuple):
    """What a task found: a point, and whose it is, by the numbers of the policy and the capacity."""

    policy: int
    place: int
    point: Point


def spread(objects: int, count: int) -> list[int]:
    """So many capacities from a thousandth of the objects to all of them, each larger by the same factor; fewer of few
    objects."""
    low = max(objects / 1000, 1.0)
    if count == 1:
        return [max(objects // 10, 1)]
    found = {round(low * (objects / low) ** (step / (count - 1))) for step in range(count)}
    return sorted(found)


def sampling_of(text: str, objects: int, seed: int) -> Sampling:
    """What `--sample` says: a share of the objects, or `auto`.

    Raises:
        RequestError: it is neither.
    """
    if text == "auto":
        return Sampling(min(1.0, AUTO_OBJECTS / objects), seed)
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0 < share < 1:
        raise RequestError(f"{text!r} is no share of the objects; give auto, or a share such as 0.01", "--sample")
    return Sampling(share, seed)


class Curves:
    """What runs for the curves of some policies.

    Args:
        trace: the whole trace.
        setups: the policies.
        capacities: in pages, of the whole trace, ascending.
        sampled: None for exact curves.
    """

    def __init__(
        self, trace: Trace, setups: Sequence[Setup], capacities: Sequence[int], sampled: Sampling | None
    ) -> None:
        self._trace, self._setups, self._capacities, self._sampled = trace, setups, capacities, sampled
        self._building = {id(setup.candidate.compiled): Lock() for setup in setups}

    def tasks(self) -> list[Task[Measured]]:
        """The runs. Those of a capacity follow one another, so that a sample is in memory while it is used."""
        whole = Workload(self._trace, 0)
        runs = tasks_of(self._setups, whole, self._capacities, None, optimum=False)
        small = [self._sampled and self._sampled.small(capacity) for capacity in self._capacities]
        samples = {each.share: self._drawn(each.share, small) for each in small if each}
        exact = _Shared(partial(_lru, self._trace.numbered, self._trace.ahead, self._capacities))
        tasks: list[Task[Measured]] = []
        for place, cache in enumerate(small):
            for policy, run in enumerate(runs[place :: len(self._capacities)]):
                if cache:
                    estimate = partial(self._estimate, policy, place, cache.pages, samples[cache.share], exact)
                    tasks.append(Task(run.name, estimate))
                else:
                    tasks.append(Task(run.name, partial(self._exact, policy, place, run)))
        return tasks

    def points(self, found: Sequence[Measured]) -> list[list[Point]]:
        """The curve of each policy, from what all tasks returned, in any order."""
        ordered = iter(sorted(found))
        return [[next(ordered).point for _ in self._capacities] for _ in self._setups]

    def _exact(self, policy: int, place: int, run: Task[Run]) -> Measured:
        misses = run.run().counts.misses
        return Measured(policy, place, Point(self._capacities[place], misses / self._trace.requests, None))

    def _drawn(self, share: float, caches: Sequence[Small | None]) -> _Shared[_Drawn]:
        """A sample for all of the caches that have this share."""
        assert self._sampled
        pages = [each.pages for each in caches if each and each.share == share]
        ids = any(setup.uses.names for setup in self._setups)
        draw = partial(_draw, self._trace, share, self._sampled.seed, ids, pages)
        return _Shared(draw, len(pages) * len(self._setups))

    def _estimate(self, policy: int, place: int, pages: int, drawn: _Shared[_Drawn], lru: _Shared[Lru]) -> Measured:
        capacity = self._capacities[place]
        with drawn as (taken, of_lru):
            misses = self._missed(policy, taken, pages)
        with lru as whole:
            known = [Control(of_lru[near(pages, part)], *whole[near(capacity, part)]) for part in PARTS]
        total, error = regression(misses, known, taken.share)
        requests = self._trace.requests
        return Measured(policy, place, Point(capacity, min(1.0, max(0.0, total / requests)), error / requests))

    def _missed(self, policy: int, taken: Sample, pages: int) -> list[int]:
        """The misses of each group of a sample."""
        setup = self._setups[policy]
        with self._building[id(setup.candidate.compiled)]:
            simulator = smaller(setup, taken.share).simulator(self._trace, pages)
        simulator.group(taken.groups)
        simulator.run(taken.requests)
        return simulator.missed[:GROUPS]


def smaller(setup: Setup, share: float) -> Setup:
    """What a policy is given in a cache that is smaller by so much: events are fewer there, too."""
    policy, params = setup.policy, setup.params
    values = read_params(policy, params)
    counts = {
        each.name: min(max(round(values[each.name] * share), each.low), each.high)
        for each in policy.params
        if each.unit == "events"
    }
    candidate = setup.candidate._replace(params={**params, **counts})
    return setup._replace(candidate=candidate, batch=max(1, round(setup.batch * share)))


class Control(NamedTuple):
    """Something that is known of each group of a sample, and of the whole."""

    groups: Sequence[float]
    whole: float

    def less(self, other: Control, slope: float) -> Control:
        groups = [own - slope * theirs for own, theirs in zip(self.groups, other.groups, strict=True)]
        return Control(groups, self.whole - slope * other.whole)


def regression(found: Sequence[float], controls: Sequence[Control], share: float) -> tuple[float, float]:
    """What was found in the groups of a sample, as a sum for the whole, and half of its 95 % interval.

    What goes with the controls, in a line through the groups, is taken from the whole.
    """
    left, freedom = Control(found, 0.0), len(found) - 1
    todo = [*controls]
    while todo:
        first = todo.pop(0)
        spread = variance(first.groups)
        if spread > TINY * variance(controls[0].groups):
            left = left.less(first, covariance(left.groups, first.groups) / spread)
            todo = [each.less(first, covariance(each.groups, first.groups) / spread) for each in todo]
            freedom -= 1
    deviation = math.sqrt(len(found) * pvariance(left.groups) * len(found) / freedom * (1 - share)) / share
    return sum(left.groups) / share - left.whole, quantile((1 + CONFIDENCE) / 2, freedom) * deviation


Lru = dict[int, list[int]]
"""What LRU misses of each group, by capacity."""


class _Drawn(NamedTuple):
    sample: Sample
    lru: Lru


def _draw(trace: Trace, share: float, seed: int, ids: bool, pages: Sequence[int]) -> _Drawn:
    taken = sample(trace, share, seed, GROUPS, ids=ids)
    assert taken.requests.numbered
    return _Drawn(taken, _lru(taken.requests.numbered, taken.requests.ahead, pages, taken.groups, GROUPS))


def near(capacity: int, part: float) -> int:
    return max(1, round(capacity * part))


def _lru(
    numbered: Numbered, ahead: bytes | None, capacities: Sequence[int], groups: bytes | None = None, count: int = 1
) -> Lru:
    wanted = sorted({near(capacity, part) for capacity in capacities for part in PARTS})
    return dict(zip(wanted, lru_misses(requested(numbered, ahead), wanted, groups, count), strict=True))


class _Shared(Generic[T]):
    """What several tasks use. It is made when the first one comes, and dropped when so many have gone."""

    def __init__(self, make: Callable[[], T], users: int | None = None) -> None:
        self._make, self._users, self._lock = make, users, Lock()
        self._value: T | None = None

    def __enter__(self) -> T:
        with self._lock:
            if self._value is None:
                self._value = self._make()
            return self._value

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._users is not None:
                self._users -= 1
                if self._users == 0:
                    self._value = None
