"""Samples of a trace: some of its objects, with all of their requests."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from cpol.runtime.simulate.traces.memory import Column, address
from cpol.runtime.simulate.traces.parser import library
from cpol.runtime.simulate.traces.requests import Numbered, Requests
from cpol.runtime.simulate.traces.trace import Trace


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
    bits, renumbered, group = _zeros("Q", objects // 64 + 1), _zeros("I", objects), _zeros("B", objects)
    marked, renumbered_at, group_at = (each.buffer_info()[0] for each in (bits, renumbered, group))
    below = round(share * 2**32)
    while not (taken := native.sample_objects(objects, seed, below, marked, renumbered_at, group_at, groups)):
        below = 2 * below + 1
    listed = address(numbers), len(numbers)
    places = _zeros("Q", native.sample_count(*listed, marked) + 1)
    native.sample_places(*listed, marked, places.buffer_info()[0])
    places.pop()
    found = places.buffer_info()
    own = _zeros("I", len(places))
    native.sample_numbers(listed[0], *found, renumbered_at, own.buffer_info()[0])

    def column(of: Column) -> array[int]:
        values = _zeros("Q", len(places))
        native.sample_column(address(of), *found, values.buffer_info()[0])
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
        ahead=trace.ahead and bytes(map(trace.ahead.__getitem__, places)),
        numbered=Numbered(own, taken),
    )
    return Sample(chosen, taken / objects, group[:taken].tobytes())


def _zeros(code: str, count: int) -> array[int]:
    return array(code, [0]) * count
