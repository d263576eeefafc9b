"""The runs of `cpolc sim`: each policy with each capacity, and Belady's optimum."""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from cpol.cli.fill import check_fits
from cpol.cli.progress import progress
from cpol.cli.sim_rows import Run
from cpol.compiler.ir import Policy
from cpol.compiler.ir.uses import Uses
from cpol.runtime.native import Counts, Simulator
from cpol.runtime.settings.assumed import Assumed
from cpol.runtime.settings.inputs import Setting
from cpol.runtime.traces import Aside, Numbers, Part, Stream, Trace

if TYPE_CHECKING:
    from cpol.cli.sim_state import Watch

BELADY = "belady"
"""The name of the optimum in the results."""

AHEAD = 4
"""So many parts of a trace are read before they run, at most: new objects take longer to read, others longer to run."""


class Setup(NamedTuple):
    """A policy and the settings of its runs, apart from the capacity."""

    policy: Policy
    params: dict[str, int | str]
    inputs: list[Setting]
    batch: int
    seed: int
    assumed: Assumed
    steps: bool
    uses: Uses
    code: str

    def simulator(self, trace: Trace | Stream, size: int, checks: bool = False) -> Simulator:
        named = trace.names is not None
        settings = (self.params, self.batch, self.seed, self.inputs, self.assumed)
        steps = self.steps and not checks
        simulator = Simulator(self.policy, size, *settings, named, steps, checks, self.code)
        check_fits(self.policy, simulator, size)
        return simulator


def simulate(setups: list[Setup], trace: Trace, sizes: list[int], watch: Watch | None) -> Iterator[Run]:
    numbered = trace.numbered  # before any clock starts
    for setup in setups:
        for size in sizes:
            simulator = setup.simulator(trace, size)
            start = time.perf_counter()
            if watch is None:
                facts = (trace.times, trace.tasks, trace.processes, trace.names, trace.comms, trace.writes)
                counts = simulator.run(trace.ids, *facts, numbered)
            else:
                counts = watch.run(simulator)
            seconds = time.perf_counter() - start
            yield run_of(setup, trace, size, simulator, counts, seconds, {} if watch is None else watch.as_json())


def simulate_once(setup: Setup, stream: Stream, size: int) -> Run:
    """Run a trace part by part, while another thread reads parts that follow.

    It numbers their objects, too, if the trace is a plain binary one, of which nothing else takes it long. Then nobody
    keeps ids, unless the policy reads them.
    """
    numbers, plain = Numbers(stream.records or 0), stream.records is not None
    parts = stream.parts(numbers if plain and not setup.uses.names else None)

    def read() -> Part | None:
        part = next(parts, None)
        if part is None or part.ids is None or not plain:
            return part
        return part._replace(numbered=numbers.of(part.ids))

    with Aside[Part | None]() as aside:
        for _ in range(AHEAD):
            aside.begin(read)
        simulator = setup.simulator(stream, size)
        if stream.records is not None:
            simulator.reserve(stream.records)
        counts, seconds = simulator.counts, 0.0
        while (part := aside.result()) is not None:
            aside.begin(read)
            numbered = part.numbered or numbers.of(part.ids or array("Q"))
            start = time.perf_counter()
            counts = simulator.run(part.ids, part.times, part.tasks, numbered=numbered)
            seconds += time.perf_counter() - start
    stream.distinct = numbers.count
    return run_of(setup, stream, size, simulator, counts, seconds, {})


def run_of(
    setup: Setup,
    trace: Trace | Stream,
    size: int,
    simulator: Simulator,
    counts: Counts,
    seconds: float,
    more: dict[str, Any],
) -> Run:
    name, batch, seed = setup.policy.name, setup.batch, setup.seed
    return Run(name, trace.path, size, batch, seed, counts, seconds, steps=simulator.steps, more=more)


def check(setups: list[Setup], trace: Trace, sizes: list[int]) -> bool:
    """Whether the invariants of all policies hold on the trace."""
    from cpol.cli.sim_check import holds  # which brings the whole of `cpolc check` along
    from cpol.runtime.interp import Machine

    good = True
    with progress() as show_progress:
        for setup in setups:
            for size in sizes:
                machine = Machine(setup.policy, size, setup.params, setup.batch, setup.seed, setup.inputs)
                simulator = setup.simulator(trace, size, checks=True)
                good = holds(machine, simulator, trace, setup.assumed, show_progress) and good
    return good


def optimum(trace: Trace, sizes: list[int]) -> Iterator[Run]:
    """Belady's optimal policy. It evicts one page at a time, for any batch."""
    requests, distinct = len(trace.ids), trace.distinct
    for size in sizes:
        start = time.perf_counter()
        misses = trace.belady_misses(size)
        seconds = time.perf_counter() - start
        used = min(size, distinct)
        counts = Counts(requests, requests - misses, misses - used, 0, 0, 0, used)
        yield Run(BELADY, trace.path, size, 1, 0, counts, seconds)
