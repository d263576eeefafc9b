"""Miss ratio curves: each policy over many capacities, exact or of a sample of the objects.

A sample runs in a cache that is smaller by the same factor: Waldspurger et al., "Cache Modeling and Optimization using
Miniature Simulations", ATC '17. Its misses are a share of the requests that a sample of this size should have, not of
those that it has, since popular objects are in it or not: SHARDS-adj, Waldspurger et al., FAST '15. Several samples
tell how far the ratio is off.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import partial
from statistics import fmean, stdev
from typing import NamedTuple

from cpol.errors import RequestError
from cpol.runtime.simulate.runs.evict import Setup, Workload, tasks_of
from cpol.runtime.simulate.runs.jobs import Task
from cpol.runtime.simulate.runs.run import Run
from cpol.runtime.simulate.traces import Trace
from cpol.student import quantile

LEAST_PAGES = 16
"""Of a smaller cache of a sample, the ratio says little: its point carries a doubt."""

AUTO_OBJECTS = 20_000
"""Objects of a sample, unless a rate is given."""

CONFIDENCE = 0.95

MOST_SAMPLES = 100


class Point(NamedTuple):
    """A point of a curve. `error` is half of the 95 % interval of the ratio; None: it is exact."""

    capacity: int
    miss_ratio: float
    error: float | None
    doubtful: bool = False


class Sample(NamedTuple):
    """A part of the objects, with all of their requests. `share` is its part of all objects."""

    trace: Trace
    share: float

    def pages(self, capacity: int) -> int:
        return max(1, round(capacity * self.share))


def spread(objects: int, count: int) -> list[int]:
    """So many capacities from a thousandth of the objects to all of them, each larger by the same factor; fewer of few
    objects."""
    low = max(objects / 1000, 1.0)
    if count == 1:
        return [max(objects // 10, 1)]
    found = {round(low * (objects / low) ** (step / (count - 1))) for step in range(count)}
    return sorted(found)


def rate_of(text: str, objects: int) -> float:
    """The value of `--sample`: a share of the objects, or `auto`.

    Raises:
        RequestError: it is neither.
    """
    if text == "auto":
        return min(1.0, AUTO_OBJECTS / objects)
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    if not 0 < rate < 1:
        raise RequestError(f"{text!r} is no share of the objects; give auto, or a share such as 0.01", "--sample")
    return rate


def samples(trace: Trace, rate: float, count: int, seed: int) -> list[Sample]:
    """Samples of the objects, each of its own seed. The same seed takes the same objects."""
    numbers, objects = trace.numbered
    size = max(1, round(rate * objects))
    found = []
    for each in range(count):
        taken = bytearray(objects)
        for number in random.Random(f"{seed} {each}").sample(range(objects), size):
            taken[number] = 1
        found.append(Sample(trace.chosen(bytes(map(taken.__getitem__, numbers))), size / objects))
    return found


class Curves:
    """What runs for the curves of some policies.

    Args:
        trace: the whole trace.
        setups: the policies.
        capacities: in pages, of the whole trace.
        sampled: none for exact curves.
    """

    def __init__(
        self, trace: Trace, setups: Sequence[Setup], capacities: Sequence[int], sampled: Sequence[Sample]
    ) -> None:
        self._trace, self._setups, self._capacities, self._sampled = trace, setups, capacities, sampled

    def tasks(self) -> list[Task[float]]:
        """The runs, each of which returns a miss ratio."""
        if not self._sampled:
            work = Workload(self._trace, 0)
            runs = tasks_of(self._setups, work, self._capacities, None, optimum=False)
            return [Task(run.name, partial(_ratio, run, self._trace.requests)) for run in runs]
        return [task for sample in self._sampled for task in self._of(sample)]

    def _of(self, sample: Sample) -> list[Task[float]]:
        expected = self._trace.requests * sample.share
        work = Workload(sample.trace, 0)
        pages = [sample.pages(capacity) for capacity in self._capacities]
        small = [each._replace(batch=max(1, round(each.batch * sample.share))) for each in self._setups]
        runs = tasks_of(small, work, pages, None, optimum=False)
        return [Task(run.name, partial(_ratio, run, expected)) for run in runs]

    def points(self, ratios: Sequence[float]) -> list[list[Point]]:
        """The curve of each policy, from what the tasks returned, in their order."""
        width = len(self._capacities)
        each = len(self._setups) * width
        by_run = [ratios[place::each] for place in range(each)]
        return [[*map(self._point, by_run[start : start + width], self._capacities)] for start in range(0, each, width)]

    def _point(self, ratios: Sequence[float], capacity: int) -> Point:
        if not self._sampled:
            return Point(capacity, ratios[0], None)
        error = quantile((1 + CONFIDENCE) / 2, len(ratios) - 1) * stdev(ratios) / math.sqrt(len(ratios))
        return Point(capacity, fmean(ratios), error, self._sampled[0].pages(capacity) < LEAST_PAGES)


def _ratio(task: Task[Run], requests: float) -> float:
    """The misses as a share of so many requests."""
    return min(1.0, task.run().counts.misses / requests)
