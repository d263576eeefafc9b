"""Samples of a trace: some of its objects, with all of their requests."""

from __future__ import annotations

from array import array
from itertools import compress
from typing import NamedTuple

from cpol.runtime.simulate.traces.parser import library
from cpol.runtime.simulate.traces.requests import Numbered, Requests
from cpol.runtime.simulate.traces.trace import Trace

NONE = 2**32 - 1
"""As SAMPLE_NONE in sample.h: the object is not in the sample."""


class Sample(NamedTuple):
    """`share` is its part of all objects, `groups` the group of each of its objects, by their numbers."""

    requests: Requests
    share: float
    groups: bytes


def sample(trace: Trace, share: float, seed: int, groups: int, *, ids: bool = True) -> Sample:
    """About such a share of the objects, at least one, in so many groups, at most 256. `ids`: somebody reads names.

    A hash of an object's number and of the seed decides. With the same seed, a smaller sample is part of a larger one.
    """
    (numbers, objects), native = trace.numbered, library()
    renumbered, group = array("I", bytes(4 * objects)), array("B", bytes(objects))
    renumbered_at = renumbered.buffer_info()[0]
    below = round(share * 2**32)
    while not (taken := native.sample_objects(objects, seed, below, renumbered_at, group.buffer_info()[0], groups)):
        below = 2 * below + 1
    requests = (numbers.buffer_info()[0], len(numbers), renumbered_at)
    found = native.sample_count(*requests)
    own = array("I", bytes(4 * (found + 1)))
    native.sample_requests(*requests, own.buffer_info()[0])
    own.pop()

    def column(of: array[int]) -> array[int]:
        values = array("Q", bytes(8 * (found + 1)))
        native.sample_column(*requests, of.buffer_info()[0], values.buffer_info()[0])
        values.pop()
        return values

    columns = (trace.times, trace.tasks, trace.processes, trace.writes, trace.sizes)
    times, tasks, processes, writes, sizes = (each and column(each) for each in columns)
    chosen = Requests(
        ids=column(trace.ids) if ids or trace.names else None,
        times=times,
        tasks=tasks,
        processes=processes,
        names=trace.names,
        comms=trace.comms and trace.comms._replace(numbers=column(trace.comms.numbers)),
        writes=writes,
        sizes=sizes,
        ahead=trace.ahead and bytes(compress(trace.ahead, (renumbered[number] != NONE for number in numbers))),
        numbered=Numbered(own, taken),
    )
    return Sample(chosen, taken / objects, group[:taken].tobytes())
