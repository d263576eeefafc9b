"""Miss ratio curves: each policy over many capacities, exact or of samples of the objects.

A sample runs in a cache that is smaller by the same factor: Waldspurger et al., "Cache Modeling and Optimization using
Miniature Simulations", ATC '17. Its misses are a share of the requests that a sample of this size should have, not of
those that it has, since popular objects are in it or not: SHARDS-adj, Waldspurger et al., FAST '15.

Four things make the error small.

- The sample tells only by how much a policy differs from LRU. What LRU misses is known exactly, with all capacities
  from one pass. Objects that one misses often the other does, too, so most of the error of the sample is in both: a
  control variate.
- The sample is larger for small capacities, so that its cache has `LEAST_PAGES` at least. In fewer, a policy does not
  do what it does in many.
- A small cache has whole hundreds of pages, so that parts of a few percent have whole pages.
- Where nobody gave a share, some capacities run with a larger sample, too. What a policy misses drifts as the sample
  grows, or does not: that tells which sample each policy needs, up to all of the objects, and what to add (`Drift`).

The objects of a sample are in groups. How far these differ tells how far the sample is off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from functools import partial
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

from cpol.errors import RequestError
from cpol.runtime.machine.settings.params import read_params
from cpol.runtime.simulate.runs.controls import Control, Controls
from cpol.runtime.simulate.runs.drift import WIDER, Drift, Seen
from cpol.runtime.simulate.runs.evict import Setup, Workload, tasks_of
from cpol.runtime.simulate.runs.jobs import Task, completed
from cpol.runtime.simulate.runs.run import Run
from cpol.runtime.simulate.traces import Numbered, Sample, Trace, lru_misses, requested, sample

T = TypeVar("T")

LEAST_PAGES = 600
"""Of the cache of a sample."""

MOST_SHARE = 0.7
"""Of the objects. A larger sample takes about as long as all."""

STEP = 100
"""A cache of fewer than `STEPS` of these has a multiple of so many pages."""

STEPS = 20

AUTO_OBJECTS = 20_000
"""Objects of a sample, unless a share is given."""

PARTS = (1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 2, 4)
"""LRU tells of such parts of a capacity: of a quarter, how soon a FIFO forgets."""

GROUPS = 64
"""Of the objects of a sample."""

PILOT = 4
"""So many times as large are the samples that tell of a drift, and the largest has `MOST_PILOT` of the objects."""

MOST_PILOT = 0.5

LARGER = (1, 2, 4, 8, 16)
"""So many times as large is the sample of a policy whose first one is too small."""

NEARLY = 0.9
"""Of a share that is needed."""


class Point(NamedTuple):
    """A point of a curve. `error` is half of the 95 % interval of the ratio; None: it is exact."""

    capacity: int
    miss_ratio: float
    error: float | None


class Sampling(NamedTuple):
    """Samples of at least such a share of the objects. The same seed takes the same.

    `needed`: as much larger as each policy needs.
    """

    share: float
    seed: int
    needed: bool = False

    def small(self, capacity: int, times: int = 1) -> Small | None:
        """What stands for a cache of so many pages; None: nothing, since it would take about as long.

        Args:
            times: so many times as large a sample.
        """
        share = max(self.share, LEAST_PAGES / capacity) * times
        pages = round(capacity * share)
        if pages < STEP * STEPS:
            pages = math.ceil(round(capacity * share / STEP, 6)) * STEP
            share = pages / capacity
        return Small(share, pages) if share <= MOST_SHARE else None


class Small(NamedTuple):
    """A smaller cache for a sample of such a share."""

    share: float
    pages: int


class Measured(NamedTuple):
    """What a task found: a miss ratio, and whose it is, by the numbers of the policy and the capacity.

    `seen` is what a sample told, the first one or one so many times as large; the whole trace has a share of 1.
    """

    policy: int
    place: int
    times: int
    seen: Seen


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
        return Sampling(min(1.0, AUTO_OBJECTS / objects), seed, needed=True)
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
        self._runs = tasks_of(setups, Workload(trace, 0), capacities, None, optimum=False)
        self._lru = _Shared(partial(_lru, trace.numbered, trace.ahead, capacities))

    def run(self, jobs: int, show: Callable[[str], None]) -> list[list[Point]]:
        """The curve of each policy."""
        found = list[Measured]()
        for tasks in (self.first, self.others):
            with closing(completed(tasks(found), jobs, show)) as ended:
                found += [each for _, each in ended]
        return self.points(found)

    def _tasks(self, wanted: Collection[tuple[int, int, int]]) -> list[Task[Measured]]:
        """Runs of capacities and policies with samples of such sizes; 0: the whole trace.

        Those of a capacity follow one another, so that a sample is in memory while it is used.
        """
        todo = [(key, self._small(key[0], key[2])) for key in sorted(wanted)]
        samples = {cache.share: self._drawn(cache.share, [each for _, each in todo]) for _, cache in todo if cache}
        tasks: list[Task[Measured]] = []
        for (place, policy, times), cache in todo:
            run = self._runs[policy * len(self._capacities) + place]
            if cache:
                estimate = partial(self._estimate, policy, place, times, cache.pages, samples[cache.share])
                tasks.append(Task(run.name, estimate))
            else:
                tasks.append(Task(run.name, partial(self._exact, policy, place, run)))
        return tasks

    def _small(self, place: int, times: int) -> Small | None:
        """None: the whole trace runs. Where all objects fit, a sample tells nothing: each object may miss once, or
        policies differ in what they refuse."""
        capacity = self._capacities[place]
        if not self._sampled or not times or capacity >= self._trace.distinct:
            return None
        return self._sampled.small(capacity, times)

    def first(self, found: Sequence[Measured] = ()) -> list[Task[Measured]]:
        """The runs that tell which others a policy needs: at every second capacity that a larger sample is for, and at
        those that are too small for one."""
        policies, places = range(len(self._setups)), range(len(self._capacities))
        sizes = [(place, 1) for place in places]
        if self._sampled and self._sampled.needed:
            larger = ((place, self._small(place, PILOT)) for place in places)
            pilots = [place for place, cache in larger if cache and cache.share <= MOST_PILOT][::2]
            sizes = [(place, 0) for place in places]
            if pilots:
                sizes = [(place, 1) for place in (*places[: pilots[0]], *pilots)]
                sizes += [(place, PILOT) for place in pilots]
        return self._tasks([(place, policy, times) for place, times in sizes for policy in policies])

    def others(self, found: Sequence[Measured]) -> list[Task[Measured]]:
        """The runs that each policy needs after the first ones, which found this."""
        wanted = list[tuple[int, int, int]]()
        if self._sampled and self._sampled.needed:
            for policy in range(len(self._setups)):
                seen = _by_place(found, policy)
                drift, known = _drift(seen), [place for place, samples in seen.items() if 1 in samples]
                for place in range(len(self._capacities)):
                    samples = seen.get(place, {})
                    if 0 not in samples:
                        near = min(known, key=lambda each: (abs(each - place), each))
                        times = self._times(place, drift.needed(place, seen[near][1]), samples)
                        wanted += [] if times in samples else [(place, policy, times)]
        return self._tasks(wanted)

    def _times(self, place: int, share: float, samples: Mapping[int, Seen]) -> int:
        """The smallest size of a sample that has such a share; one that has run is as good as a smaller one."""
        for times in LARGER:
            cache = self._small(place, times)
            if cache and cache.share >= NEARLY * share:
                return PILOT if PILOT in samples and times < PILOT else times
        return 0

    def points(self, found: Sequence[Measured]) -> list[list[Point]]:
        """The curve of each policy, from what all tasks returned, in any order."""
        return [self._curve(_by_place(found, policy)) for policy in range(len(self._setups))]

    def _curve(self, seen: Mapping[int, Mapping[int, Seen]]) -> list[Point]:
        drift = _drift(seen)
        sampled = {place: max(samples.values()) for place, samples in seen.items() if 0 not in samples}
        told = {place: (each.ratio, WIDER * each.half) for place, each in sampled.items()}
        if self._sampled and self._sampled.needed:
            told = drift.corrected(sampled)
        points = list[Point]()
        # The first request for each object misses; what readahead brings may be requested by nobody.
        least = self._trace.distinct / self._trace.requests if self._trace.ahead is None else 0.0
        for place, capacity in enumerate(self._capacities):
            ratio, half = told[place] if place in told else (seen[place][0].ratio, None)
            points.append(Point(capacity, min(1.0, max(least, ratio)), half))
        return points

    def _exact(self, policy: int, place: int, run: Task[Run]) -> Measured:
        setup, capacity = self._setups[policy], self._capacities[place]
        if self._keeps_all(setup, capacity):
            with self._building[id(setup.candidate.compiled)]:
                setup.simulator(self._trace, capacity)  # which refuses wrong settings
            misses = self._trace.distinct
        else:
            misses = run.run().counts.misses
        return Measured(policy, place, 0, Seen(1.0, misses / self._trace.requests, 0.0))

    def _keeps_all(self, setup: Setup, capacity: int) -> bool:
        """Whether only the first request for each object misses: all of them fit, and nothing goes before the cache is
        full, nor is kept out of it."""
        keeps = setup.policy.evicts and "admit" not in setup.policy.handlers and not setup.uses.reclaim
        return keeps and self._trace.ahead is None and capacity >= self._trace.distinct

    def _drawn(self, share: float, caches: Sequence[Small | None]) -> _Shared[_Drawn]:
        """A sample for all of the caches that have this share, one for each run."""
        assert self._sampled
        pages = [each.pages for each in caches if each and each.share == share]
        ids = any(setup.uses.names for setup in self._setups)
        draw = partial(_draw, self._trace, share, self._sampled.seed, ids, {*pages})
        return _Shared(draw, len(pages))

    def _estimate(self, policy: int, place: int, times: int, pages: int, drawn: _Shared[_Drawn]) -> Measured:
        capacity, requests = self._capacities[place], self._trace.requests
        with drawn as (taken, of_lru), self._lru as whole:
            misses = self._missed(policy, taken, pages)
            known = [Control(of_lru[near(pages, part)], *whole[near(capacity, part)]) for part in PARTS]
        total, half = Controls(known, taken.share).regression(misses)
        return Measured(policy, place, times, Seen(taken.share, total / requests, half / requests))

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


def _by_place(found: Sequence[Measured], policy: int) -> dict[int, dict[int, Seen]]:
    """What is known of a policy at each capacity, by the size of the sample; 0: of the whole trace."""
    seen = dict[int, dict[int, Seen]]()
    for each in found:
        if each.policy == policy:
            seen.setdefault(each.place, {})[each.times] = each.seen
    return seen


def _drift(seen: Mapping[int, Mapping[int, Seen]]) -> Drift:
    """From the first sample at a capacity, and the largest one."""
    samples = {place: {times: each for times, each in of.items() if times} for place, of in seen.items()}
    return Drift({place: (of[1], of[max(of)]) for place, of in samples.items() if 1 in of and len(of) > 1})


Lru = dict[int, list[int]]
"""What LRU misses of each group, by capacity."""


class _Drawn(NamedTuple):
    sample: Sample
    lru: Lru


def _draw(trace: Trace, share: float, seed: int, ids: bool, pages: Collection[int]) -> _Drawn:
    taken = sample(trace, share, seed, GROUPS, ids=ids)
    assert taken.requests.numbered
    return _Drawn(taken, _lru(taken.requests.numbered, taken.requests.ahead, pages, taken.groups, GROUPS))


def near(capacity: int, part: float) -> int:
    return max(1, round(capacity * part))


def _lru(
    numbered: Numbered, ahead: bytes | None, capacities: Collection[int], groups: bytes | None = None, count: int = 1
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
