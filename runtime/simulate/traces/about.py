"""What a trace is like: popularity, reuse, working set."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, compress, pairwise
from statistics import StatisticsError, correlation, linear_regression

from cpol.compiler.nodes import dataclass
from cpol.runtime.simulate.traces.errors import TraceError
from cpol.runtime.simulate.traces.formats.record import REQUEST
from cpol.runtime.simulate.traces.memory import Column, typecode
from cpol.runtime.simulate.traces.trace import Trace

WINDOWS = 10
"""Parts of the trace whose working sets are told."""

RANK_STEP = 1.2
"""The ranks of the fit to Zipf's law grow by this factor: the many objects of one request would decide it otherwise."""

LEAST_RANKS = 10
"""A fit to fewer points says nothing."""

HOT = (0.01, 0.1)
"""Shares of the objects, the most popular ones, whose share of the requests is told."""


@dataclass(frozen=True)
class Zipf:
    """The line through log(requests of an object) over log(rank): requests are rank ** -skew. `fit` is R²."""

    skew: float
    fit: float


@dataclass(frozen=True)
class Window:
    """A part of the trace: how many requests it has, of how many objects, and how many of these are new."""

    requests: int
    objects: int
    new: int


@dataclass(frozen=True)
class About:
    """What a trace is like. Pages that only readahead brought are no requests."""

    requests: int
    objects: int
    once: int  # objects with one request
    seconds: float | None  # from the first request to the last; None: no times
    writes: int | None  # requests that write; None: not told
    hot: tuple[tuple[float, float], ...]  # share of the objects, and their share of the requests
    zipf: Zipf | None  # None: too few objects, or all are equally popular
    ranks: tuple[tuple[int, int], ...]  # by popularity, those of the fit: the rank of an object, and its requests
    reuse: tuple[tuple[int, float], ...]  # distance in requests, and the share of all requests that reuse within it
    windows: tuple[Window, ...]


def about(trace: Trace) -> About:
    """Count what is in a trace. It takes memory for a number an object, and a second for some million requests.

    Raises:
        TraceError: readahead brought all of its pages.
    """
    numbers = _requests(trace, trace.numbered.numbers) or array("I")
    if not numbers:
        raise no_requests(trace)
    counts = sorted(Counter(numbers).values(), reverse=True)
    total = list(accumulate(counts))
    times = _requests(trace, trace.times)
    writes = _requests(trace, trace.writes)
    return About(
        requests=len(numbers),
        objects=len(counts),
        once=counts.count(1),
        seconds=(max(times) - min(times)) / 1000 if times else None,
        writes=sum(writes) if writes else None,
        hot=tuple((share, total[max(math.ceil(share * len(counts)), 1) - 1] / total[-1]) for share in HOT),
        zipf=zipf(counts),
        ranks=tuple((rank, counts[rank - 1]) for rank in _ranks(len(counts))),
        reuse=_reuse(numbers),
        windows=tuple(_windows(numbers)),
    )


def no_requests(trace: Trace) -> TraceError:
    return TraceError(f"{trace.path}: no requests, only pages that readahead brought; record for longer")


def zipf(counts: Sequence[int]) -> Zipf | None:
    """The fit of descending counts to Zipf's law."""
    ranks = _ranks(len(counts))
    x, y = [math.log(rank) for rank in ranks], [math.log(counts[rank - 1]) for rank in ranks]
    if len(ranks) < LEAST_RANKS:
        return None
    try:
        return Zipf(-linear_regression(x, y).slope, correlation(x, y) ** 2)
    except StatisticsError:  # all are equally popular
        return None


def _ranks(objects: int) -> list[int]:
    ranks, rank = list[int](), 1.0
    while rank <= objects:
        ranks.append(int(rank))
        rank = max(rank * RANK_STEP, int(rank) + 1)
    return ranks


def _requests(trace: Trace, column: Column | None) -> Column | None:
    """The column without the pages that readahead brought."""
    if trace.ahead is None or column is None:
        return column
    return array(typecode(column), compress(column, (brings == REQUEST for brings in trace.ahead)))


def _reuse(numbers: Sequence[int]) -> tuple[tuple[int, float], ...]:
    """By powers of 16: the share of requests whose object was requested at most so many requests before."""
    last: dict[int, int] = {}
    within: Counter[int] = Counter()
    for place, number in enumerate(numbers):
        before = last.get(number)
        if before is not None:
            within[(place - before - 1).bit_length()] += 1  # distances 1, 2, 3..4, 5..8, …
        last[number] = place
    most = max(within, default=0)
    powers = range(0, most + 4, 4)
    return tuple((1 << power, sum(within[bit] for bit in range(power + 1)) / len(numbers)) for power in powers)


def _windows(numbers: Sequence[int]) -> list[Window]:
    found: list[Window] = []
    seen: set[int] = set()
    edges = [len(numbers) * part // WINDOWS for part in range(WINDOWS + 1)]
    for start, stop in pairwise(edges):
        objects = set(numbers[start:stop])
        if objects:
            found.append(Window(stop - start, len(objects), len(objects - seen)))
        seen |= objects
    return found
