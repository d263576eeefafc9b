"""Samples of a trace: some of its objects, with all of their requests."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from cpol.runtime.simulate.traces.memory import Column, address, zeros
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
    bits, renumbered, group = zeros("Q", objects // 64 + 1), zeros("I", objects), zeros("B", objects)
    marked, renumbered_at, group_at = (address(each) for each in (bits, renumbered, group))
    below = round(share * 2**32)
    while not (taken := native.sample_objects(objects, seed, below, marked, renumbered_at, group_at, groups)):
        below = 2 * below + 1
    listed = address(numbers), len(numbers)
    count = native.sample_count(*listed, marked)
    own = zeros("I", count)
    native.sample_numbers(*listed, marked, renumbered_at, address(own))

    @cache
    def places() -> Column:
        found = zeros("Q", count + 1)
        native.sample_places(*listed, marked, address(found))
        return found

    def column(of: Column) -> Column:
        values = zeros("Q", count)
        native.sample_column(address(of), address(places()), count, address(values))
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
        ahead=trace.ahead and bytes(map(trace.ahead.__getitem__, places()[:count])),
        numbered=Numbered(own, taken),
    )
    return Sample(chosen, taken / objects, group[:taken].tobytes())
