"""Runs of policies that prefetch: each with each capacity, on the model of runtime/simulate/prefetch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cpol.compiler.compiled import Compiled
from cpol.runtime.machine.settings.assumed import STEP, Assumed
from cpol.runtime.simulate.prefetch.kernel import Cluster, SwapReadahead, Vma
from cpol.runtime.simulate.prefetch.medium import Medium
from cpol.runtime.simulate.prefetch.model import Model, Result
from cpol.runtime.simulate.prefetch.protocol import DEFAULT, NOTHING, Nobody, Prefetcher
from cpol.runtime.simulate.prefetch.read import read_rows
from cpol.runtime.simulate.prefetch.regimes import regime
from cpol.runtime.simulate.prefetch.rows import Rows
from cpol.runtime.simulate.runs.assumptions import Assumptions
from cpol.runtime.simulate.runs.candidates import BUILT_IN, Candidate
from cpol.runtime.simulate.runs.inputs import check_fits
from cpol.runtime.simulate.runs.native_policy import NativePolicy
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Columns

LATENCY_NS = 100_000
BANDWIDTH = 100 << 20

KERNELS: dict[str, Callable[[], SwapReadahead]] = {"vma": Vma, "cluster": Cluster}
"""The kernel's own readahead of swap: around the virtual page, or around the slot."""

_ANSWERS = dict(zip(BUILT_IN, (NOTHING, DEFAULT), strict=True))


@dataclass(frozen=True)
class Source:
    """Where the trace comes from: a file, or a regime and its pages."""

    path: Path | None
    made: tuple[str, int] | None
    format: str | None
    pages: bool
    columns: Columns | None
    assumed: Assumptions

    @property
    def name(self) -> str:
        return str(self.path) if self.made is None else "{}:{}".format(*self.made)

    def read(self, seed: int) -> Rows:
        """The trace. Raises TraceError."""
        if self.made is not None:
            return regime(*self.made, seed)
        assert self.path is not None
        writes = self.assumed.values.write
        return read_rows(self.path, self.format, pages=self.pages, columns=self.columns, writes=writes)

    def step_of(self, trace: Rows) -> int | None:
        """Nanoseconds from one row to the next; None: as the trace says."""
        if "time" in self.assumed.names:
            return self.assumed.values.step
        return None if "time" in trace.carries else STEP


@dataclass(frozen=True)
class Machine:
    """What the policies have in common; None: not on the command line."""

    latency: int | None
    bandwidth: int | None
    kernel: str | None
    seed: int

    @property
    def latency_ns(self) -> int:
        return LATENCY_NS if self.latency is None else self.latency

    @property
    def bytes_a_second(self) -> int:
        return self.bandwidth or BANDWIDTH

    @property
    def readahead(self) -> str:
        return self.kernel or "vma"


@dataclass(frozen=True)
class PrefetchRun:
    """One policy with one capacity (pages). Times are in nanoseconds, the bandwidth in bytes a second."""

    policy: str
    trace: str
    capacity: int
    latency_ns: int
    bandwidth: int
    kernel: str
    seed: int
    result: Result
    label: str
    facts: Mapping[str, Any]  # for JSON

    @property
    def misses(self) -> int:
        """Accesses that waited for the medium, with nothing on its way."""
        return self.result.total.missed

    @property
    def miss_ratio(self) -> float:
        return self.misses / max(1, self.result.total.accesses)


@dataclass(frozen=True)
class Contender:
    """A row of the table: its name, and what makes the policy for a run with so many pages on a trace. `facts` are for
    JSON."""

    name: str
    make: Callable[[int, Rows], Prefetcher]
    compiled: Compiled | None
    label: str
    facts: Mapping[str, Any]


def contenders(words: Sequence[str], candidates: Sequence[Candidate], seed: int, assumed: Assumed) -> list[Contender]:
    """The rows of the table, in the order of the command line.

    Args:
        candidates: the policies that are not built in.
        assumed: the tasks of a trace that tells none.
    """
    rows = []
    for word in dict.fromkeys(words):
        rows += [built_in(word)] if word in BUILT_IN else []
        rows += [native(each, seed, assumed) for each in candidates if each.word == word]
    return rows


def native(candidate: Candidate, seed: int, assumed: Assumed) -> Contender:
    """A policy, in native code."""
    compiled = candidate.compiled

    def make(capacity: int, trace: Rows) -> Prefetcher:
        settings = (candidate.params, 1, seed, candidate.inputs, assumed)
        simulator = Simulator(compiled.policy, capacity, *settings, code=compiled.code)
        check_fits(compiled.policy, simulator, capacity)
        return NativePolicy(simulator, assumed, trace.carries, "swap" in compiled.policy.handlers)

    return Contender(compiled.policy.name, make, compiled, candidate.label, candidate.facts())


def built_in(name: str) -> Contender:
    """A row that needs no policy."""
    answer = _ANSWERS[name]
    facts: dict[str, Any] = {"label": name, "path": None, "params": {}, "inputs": {}}
    return Contender(name, lambda _capacity, _trace: Nobody(answer), None, name, facts)


def simulate(
    contenders: Sequence[Contender],
    trace: Rows,
    capacities: Sequence[int],
    source: Source,
    machine: Machine,
    show: Callable[[str], None],
) -> Iterator[PrefetchRun]:
    """The runs, one after another. `show` is told which one begins."""
    step_ns = source.step_of(trace)
    for contender in contenders:
        for capacity in capacities:
            show(f"{contender.label}, {capacity:,} pages")
            medium = Medium(machine.latency_ns, machine.bytes_a_second)
            kernel = KERNELS[machine.readahead]()
            model = Model(trace, capacity, medium, contender.make(capacity, trace), kernel, step_ns)
            settings = (source.name, capacity, machine.latency_ns, machine.bytes_a_second)
            result = model.run()
            show("")
            yield PrefetchRun(
                contender.name, *settings, machine.readahead, machine.seed, result, contender.label, contender.facts
            )
