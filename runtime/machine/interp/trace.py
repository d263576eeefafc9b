"""Runs a trace of requests, with the ticks that its times imply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from cpol.compiler.comm import Comm
from cpol.compiler.ir import walk
from cpol.runtime.machine.interp.machine import Machine
from cpol.runtime.machine.settings.assumed import NOTHING, Assumed

WRITTEN, PASSING = 4, 5
"""Of `ahead`: the first request of the page finds it; a request whose page goes at once, unless it is cached.

Readers of traces have the same numbers.
"""


class Requests(Protocol):
    """What a trace says of its requests, such as `cpol.runtime.simulate.traces.Trace` does."""

    @property
    def ids(self) -> Iterable[int]:
        """The object of each request."""

    @property
    def times(self) -> Sequence[int] | None:
        """The time of each request, in milliseconds since the first."""

    @property
    def tasks(self) -> Sequence[int] | None:
        """The thread of each request."""

    @property
    def processes(self) -> Sequence[int] | None:
        """The process of each request."""

    @property
    def names(self) -> tuple[Sequence[int], Sequence[int]] | None:
        """The file and index of each id; None: the file is assumed, and the index is the id."""

    @property
    def comms(self) -> tuple[Sequence[int], Sequence[int], Sequence[int]] | None:
        """The number of the command of each request; then both parts of the name of each command."""

    @property
    def writes(self) -> Sequence[int] | None:
        """Whether each request writes."""

    @property
    def sizes(self) -> Sequence[int] | None:
        """The bytes of each request."""

    @property
    def ahead(self) -> bytes | None:
        """For each id, 0 if it is a request, or PASSING; else readahead or, if it is WRITTEN, a write brings the page,
        unless it is cached."""


@dataclass(frozen=True)
class Given:
    """Requests that no file holds."""

    ids: Iterable[int]
    times: Sequence[int] | None = None
    tasks: Sequence[int] | None = None
    processes: Sequence[int] | None = None
    names: tuple[Sequence[int], Sequence[int]] | None = None
    comms: tuple[Sequence[int], Sequence[int], Sequence[int]] | None = None
    writes: Sequence[int] | None = None
    sizes: Sequence[int] | None = None
    ahead: bytes | None = None


def run_trace(machine: Machine, trace: Requests, first: int = 0, assumed: Assumed = NOTHING) -> None:
    """Request each id in turn.

    Args:
        first: the number of requests that came before these.
        assumed: what the trace does not say.

    Raises:
        MachineError: the policy is broken.
    """
    by_time = walk.uses_time(machine.policy)
    times, tasks, processes, names = trace.times, trace.tasks, trace.processes, trace.names
    if machine.origin != (assumed.device, assumed.cgroup):
        machine.set_origin(assumed.device, assumed.cgroup)
    for number, id in enumerate(trace.ids):
        thread = tasks[number] if tasks is not None else assumed.thread
        process = processes[number] if processes is not None else assumed.process
        comm = assumed.comm if trace.comms is None else command(trace.comms, number)
        if machine.task != (thread, process, comm):
            machine.set_task(thread, process, comm)
        ms = times[number] if times is not None else assumed.ms(first + number)
        if by_time and ms > machine.ms:
            machine.tick(ms)
        writes = bool(assumed.write if trace.writes is None else trace.writes[number])
        if machine.asks_writes and machine.writes != writes:
            machine.set_writes(writes)
        machine.reclaim()
        name = (names[0][id], names[1][id]) if names is not None else (assumed.file, id)
        if trace.sizes is not None and name not in machine.cache and name not in machine.left:
            machine.read_bytes += trace.sizes[number]
        kind = 0 if trace.ahead is None else trace.ahead[number]
        if kind == PASSING and name not in machine.cache and name not in machine.left:
            machine.misses += 1
            machine.missed_bytes += 0 if trace.sizes is None else trace.sizes[number]
        elif kind and kind != PASSING:
            machine.read_ahead(*name, by_write=kind == WRITTEN)
        elif not machine.request(*name) and trace.sizes is not None:
            machine.missed_bytes += trace.sizes[number]
        if writes:
            machine.wrote(*name)


def command(comms: tuple[Sequence[int], Sequence[int], Sequence[int]], request: int) -> Comm:
    """The name of the command of a request."""
    numbers, firsts, seconds = comms
    return firsts[numbers[request]], seconds[numbers[request]]
