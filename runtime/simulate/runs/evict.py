"""Runs of policies that evict: each policy with each capacity, and Belady's optimum."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from cpol.compiler.ir import Policy
from cpol.compiler.ir.uses import Uses
from cpol.runtime.machine.native import Counts
from cpol.runtime.machine.settings.assumed import Assumed
from cpol.runtime.machine.settings.inputs import Setting
from cpol.runtime.simulate.runs.candidates import BELADY, Candidate
from cpol.runtime.simulate.runs.inputs import check_fits
from cpol.runtime.simulate.runs.jobs import Task
from cpol.runtime.simulate.runs.room import OTHER_ROOMS, Followed, doubts
from cpol.runtime.simulate.runs.run import Run
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Aside, Numbers, Requests, Stream, Trace, TraceError
from cpol.runtime.simulate.traces.memory import Column

if TYPE_CHECKING:
    from cpol.runtime.simulate.runs.state import Watch

AHEAD = 4
"""So many parts of a trace are read before they run, at most: new objects take longer to read, others longer to run."""


class Setup(NamedTuple):
    """A policy and the settings of its runs, apart from the capacity."""

    candidate: Candidate
    batch: int
    seed: int
    assumed: Assumed
    steps: bool

    @property
    def policy(self) -> Policy:
        return self.candidate.policy

    @property
    def params(self) -> dict[str, int | str]:
        return self.candidate.params

    @property
    def inputs(self) -> list[Setting]:
        return self.candidate.inputs

    @property
    def uses(self) -> Uses:
        return self.candidate.compiled.uses

    def simulator(self, trace: Trace | Stream, size: int, checks: bool = False) -> Simulator:
        named = trace.names is not None
        settings = (self.params, self.batch, self.seed, self.inputs, self.assumed)
        steps = self.steps and not checks
        code = self.candidate.compiled.code
        simulator = Simulator(self.policy, size, *settings, named, steps, checks, code)
        check_fits(self.policy, simulator, size)
        if isinstance(trace, Trace) and trace.readers is not None:
            simulator.readers(trace.readers)
        return simulator


class Workload:
    """The requests of a trace, which all runs share and none changes: those of the warm-up, then those that count.

    With a room, the capacity of all runs follows it.
    """

    def __init__(self, trace: Trace, warmup: int, room: Followed | None = None) -> None:
        self.trace, self.warmup, self.room = trace, warmup, room
        self._warm = trace.position(warmup)
        self._rooms = dict(room.changes) if room else {}
        self._parts = [(0, trace)]
        _ = trace.numbered  # before any clock starts
        self.bytes = None if trace.sizes is None else sized(trace.path, bytes_of(trace.path, trace.sizes[self._warm :]))
        starts = sorted({0, self._warm, *self._rooms})
        if len(starts) > 1:
            bounds = [*zip(starts, [*starts[1:], len(trace.ids)], strict=True)]
            self._parts = [(start, trace.part(start, stop)) for start, stop in bounds]

    def run(self, simulator: Simulator, percent: int = 100) -> Counts:
        """Run all, with so much of the room, and return the counts without the warm-up."""
        counts = before = simulator.counts
        for start, part in self._parts:
            if start and start == self._warm:
                before = counts
            if start in self._rooms:
                simulator.room(of_room(self._rooms[start], percent))
            counts = simulator.run(part)
        return since(before, counts) if self.warmup else counts


def of_room(pages: int, percent: float) -> int:
    return max(1, int(pages * percent / 100))


def bytes_of(trace: Path, sizes: Column | None, before: int = 0) -> int:
    """The sum of the sizes of work, and of those before. Raises TraceError if native code cannot count so far."""
    total = before + sum(sizes or ())
    if total >= 1 << 64:
        raise TraceError(f"{trace}: the sizes add up to 2^64 bytes or more; leave out --bytes, or correct the sizes")
    return total


def sized(trace: Path, total: int) -> int:
    """The sum of all sizes. Raises TraceError if it is 0: nothing is a share of that."""
    if total == 0:
        raise TraceError(f"{trace}: all sizes are 0, so there is no byte miss ratio; leave out --bytes")
    return total


def since(before: Counts, counts: Counts) -> Counts:
    """What was counted since `before`; the size is the one at the end."""
    differences = (now - then for now, then in zip(counts, before, strict=True))
    return Counts(*differences)._replace(size=counts.size)


def tasks_of(
    setups: Sequence[Setup], work: Workload, sizes: Sequence[int], watch: Watch | None, optimum: bool
) -> list[Task[Run]]:
    """The runs, policy by policy, and then those of the optimum."""
    locks = {id(setup.candidate.compiled): Lock() for setup in setups}

    def runs(setup: Setup, size: int) -> Callable[[], Run]:
        return lambda: simulate(setup, work, size, watch, locks[id(setup.candidate.compiled)])

    def optima(size: int) -> Callable[[], Run]:
        return lambda: best(work, size)

    own = [Task(f"{setup.candidate.label} {size:,}", runs(setup, size)) for setup in setups for size in sizes]
    return own + [Task(f"{BELADY} {size:,}", optima(size)) for size in sizes if optimum]


def simulate(setup: Setup, work: Workload, size: int, watch: Watch | None, building: Lock) -> Run:
    """A run. `building` is held while its policy is compiled, which then happens once."""
    with building:
        simulator = setup.simulator(work.trace, work.room.first if work.room else size)
    start = time.perf_counter()
    counts = work.run(simulator) if watch is None else watch.run(simulator)
    seconds = time.perf_counter() - start
    more = {} if watch is None else watch.as_json()
    more |= work.room.as_json() if work.room else {}
    if work.trace.format == "record":
        others = {percent: run_with(setup, work, percent) for percent in OTHER_ROOMS if work.room}
        follows = work.room is not None
        more["doubts"] = doubts(work.trace, size, setup.batch, follows, counts, others.values())
        more |= {"misses_by_percent_of_room": others} if follows else {}
    run = run_of(setup, work.trace, size, simulator, counts, seconds, {"warmup": work.warmup, **more})
    return run._replace(bytes=work.bytes)


def run_with(setup: Setup, work: Workload, percent: int) -> int:
    """The misses with so much of the room."""
    assert work.room
    return work.run(setup.simulator(work.trace, of_room(work.room.first, percent)), percent).misses


def simulate_once(setup: Setup, stream: Stream, size: int, show: Callable[[str], None]) -> Run:
    """Run a trace part by part, while another thread reads parts that follow.

    It numbers their objects, too, if the trace is a plain binary one, of which nothing else takes it long. Then nobody
    keeps ids, unless the policy reads them.
    """
    numbers, plain = Numbers(stream.records or 0), stream.records is not None
    parts = stream.parts(numbers if plain and not setup.uses.names else None)

    def read() -> Requests | None:
        part = next(parts, None)
        if part is None or part.ids is None or not plain:
            return part
        return replace(part, numbered=numbers.of(part.ids))

    with Aside[Requests | None]() as aside:
        for _ in range(AHEAD):
            aside.begin(read)
        simulator = setup.simulator(stream, size)
        if stream.records is not None:
            simulator.reserve(stream.records)
        counts, seconds, total = simulator.counts, 0.0, 0
        while (part := aside.result()) is not None:
            aside.begin(read)
            if part.numbered is None:
                part = replace(part, numbered=numbers.of(part.ids or array("Q")))
            start = time.perf_counter()
            counts = simulator.run(part)
            seconds += time.perf_counter() - start
            total = bytes_of(trace=stream.path, sizes=part.sizes, before=total)
            show(f"{setup.candidate.label} {size:,}: {counts.requests:,} requests")
    show("")
    stream.distinct = numbers.count
    run = run_of(setup, stream, size, simulator, counts, seconds, {"warmup": 0})
    return run._replace(bytes=sized(stream.path, total) if stream.sized else None)


def run_of(
    setup: Setup,
    trace: Trace | Stream,
    size: int,
    simulator: Simulator,
    counts: Counts,
    seconds: float,
    more: dict[str, Any],
) -> Run:
    candidate, batch, seed = setup.candidate, setup.batch, setup.seed
    more = {**candidate.facts(), **more}
    names = (candidate.policy.name, candidate.label)
    return Run(*names, trace.path, size, batch, seed, counts, seconds, steps=simulator.steps, more=more)


def best(work: Workload, size: int) -> Run:
    """Belady's optimal policy. It evicts one page at a time, for any batch, and has the most room that there was."""
    trace, warmup = work.trace, work.warmup
    size = work.room.most if work.room else size
    start = time.perf_counter()
    misses = trace.belady_misses(size, warmup)
    seconds = time.perf_counter() - start
    counted, used = trace.requests - warmup, min(size, trace.distinct)
    counts = Counts(counted, counted - misses, max(0, misses - used), 0, 0, 0, used)
    more: dict[str, Any] = {"label": BELADY, "path": None, "params": {}, "inputs": {}, "warmup": warmup}
    return Run(BELADY, BELADY, trace.path, size, 1, 0, counts, seconds, more=more)
