"""What a candidate misses on the traces of the search, as a share of what LRU misses.

A trace with many objects runs as a sample of them, in a cache that is smaller by as much, as for `cpolc mrc --sample`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from threading import Lock
from typing import NamedTuple

from cpol.compiler.analysis.cost.bounds import bounds_of
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.compiled import Compiled, compiled_text
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.toolchain.digest import digest
from cpol.runtime.explore.discover.genome import Genome, lines_of
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.simulate.runs.curve import Sampling
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Requests, Trace, lru_misses, requested, sample

MOST_STEPS = 256
"""Folios that a candidate's scans visit for an eviction, on average: more take too long, in a kernel and here."""

PARTS = (64, 16, 4, 1)
"""A run is looked at after such parts of its requests, so that a slow one ends early."""

MOST_ROUNDS = {"every": 1 << 17}
"""Of the loops of a call: `every` may go over a table now and then. All other handlers have OTHER_ROUNDS."""

OTHER_ROUNDS = 1024

MOST_LINES = 120

CAPACITY = 1 << 18
"""Pages for which the bounds of loops are taken, as `cpolc cost` does by default."""

TINY = ((1, 1), (2, 1), (5, 4), (40, 32))
"""Capacities and batches in which a candidate must find something to evict, too."""

TINY_REQUESTS = 3000

GROUPS = 1
"""Of a sample's objects: nothing is asked of its error."""


class Case(NamedTuple):
    """One trace in one cache. `lru` are the misses of LRU on the same requests."""

    name: str
    parts: tuple[Trace | Requests, ...]
    named: bool
    pages: int
    batch: int
    lru: int
    size: int

    def simulator(self, made: Compiled, params: Mapping[str, int | str], seed: int, *, steps: bool = True) -> Simulator:
        return Simulator(
            made.policy, self.pages, params, self.batch, seed, named=self.named, steps=steps, code=made.code
        )


def cases_of(
    traces: Iterable[tuple[str, Trace, Sequence[int], int]], sampling: Sampling | None, seed: int
) -> list[Case]:
    """The cases: each trace with each of its capacities, those with few requests first.

    Args:
        traces: name, trace, capacities in pages, batch.
        sampling: None: the whole traces run.
    """
    found = []
    for name, trace, capacities, batch in traces:
        for pages in capacities:
            small = sampling.small(pages) if sampling and pages < trace.distinct else None
            if small is None:
                lru = _lru(trace, pages)
                case = Case(
                    f"{name} {pages:,}",
                    _parts(trace, trace.requests),
                    trace.names is not None,
                    pages,
                    batch,
                    lru,
                    trace.requests,
                )
            else:
                taken = sample(trace, small.share, seed, GROUPS).requests
                lru, size = _lru(taken, small.pages), len(taken.numbered.numbers if taken.numbered else ())
                one = max(1, round(batch * small.share))
                case = Case(
                    f"{name} {pages:,}", _parts(taken, size), trace.names is not None, small.pages, one, lru, size
                )
            found.append(case)
    return sorted(found, key=lambda case: case.size)


def _lru(requests: Trace | Requests, pages: int) -> int:
    numbered = requests.numbered
    assert numbered is not None
    return max(1, lru_misses(requested(numbered, requests.ahead), [pages])[0][0])


def _parts(requests: Trace | Requests, size: int) -> tuple[Trace | Requests, ...]:
    """The requests in pieces, each up to one of PARTS."""
    ends = [size // part for part in PARTS]
    return tuple(_cut(requests, start, stop) for start, stop in pairwise([0, *ends]) if start < stop)


def _cut(requests: Trace | Requests, start: int, stop: int) -> Trace | Requests:
    if isinstance(requests, Trace):
        return requests.part(start, stop if stop < requests.requests else len(requests.ids))
    span, given = slice(start, stop), requests
    columns = (given.ids, given.times, given.tasks, given.processes, given.writes, given.sizes)
    ids, times, tasks, processes, writes, sizes = (each and each[span] for each in columns)
    numbered = given.numbered
    assert numbered is not None
    return Requests(
        ids=ids,
        times=times,
        tasks=tasks,
        processes=processes,
        names=given.names,
        comms=given.comms and given.comms._replace(numbers=given.comms.numbers[span]),
        writes=writes,
        sizes=sizes,
        ahead=given.ahead and given.ahead[span],
        numbered=numbered._replace(numbers=numbered.numbers[span]),
    )


class Candidate(NamedTuple):
    """A genome that compiles, with what it misses in each case.

    `score` is the mean of its misses as a share of LRU's. `cost`: instructions for a hit and a miss; None: unknown yet.
    """

    genome: Genome
    made: Compiled
    misses: tuple[int, ...]
    score: float
    lines: int
    cost: float | None = None

    @property
    def fitness(self) -> tuple[float, int, str]:
        """Less is better. A line costs a twenty-thousandth, so that what gains nothing does not stay."""
        return self.score * (1 + self.lines / 20_000), self.lines, self.genome.text


class Evaluator:
    """Compiles and runs candidates, from several threads. Each distinct policy is compiled once."""

    def __init__(self, cases: Sequence[Case], name: str, seed: int) -> None:
        self.cases, self.name, self.seed = cases, name, seed
        self._few = _cut(cases[0].parts[-1], 0, TINY_REQUESTS)
        self.compiling = Lock()
        """The compiler is of one thread at a time."""

    def compile(self, genome: Genome) -> Compiled | None:
        """None: it does not compile. The caller holds `compiling`."""
        try:
            return compiled_text(genome.text, f"{self.name}.cpol")
        except CompileError:
            return None

    def run(
        self,
        genome: Genome,
        made: Compiled,
        most: Sequence[int] = (),
        beside: Candidate | None = None,
        slack: float = 0,
    ) -> Candidate | None:
        """What a candidate misses; None: it is too slow, or leaves the choice to the kernel, or does not attach.

        Args:
            most: of misses in each case; it misses more in some: None.
            beside: a candidate; this one misses more than it by more than `slack` in the shorter cases: None. The
                longest ones take most of the time.
        """
        misses: list[int] = []
        lines = lines_of(genome.text)
        if lines > MOST_LINES or not _loops_are_short(made):
            return None
        own = {param.name for param in made.policy.params}
        params = {name: value for name, value in genome.params if name in own}
        genome = genome._replace(params=tuple(params.items()))
        try:
            if not self._copes(made, params):
                return None
            for case in self.cases:
                simulator = case.simulator(made, dict(params), self.seed)
                for part in case.parts:
                    counts = simulator.run(part)
                    if counts.fallback or (simulator.steps and simulator.steps.mean > MOST_STEPS):
                        return None
                if most and counts.misses > most[len(misses)]:
                    return None
                misses.append(counts.misses)
                if beside and len(misses) * 3 >= len(self.cases):
                    pairs = zip(misses, beside.misses, self.cases, strict=False)
                    if sum((ours - theirs * (1 + slack)) / one.lru for ours, theirs, one in pairs) > 0:
                        return None
        except (SimulationError, MachineError):
            return None
        ratios = [found / case.lru for found, case in zip(misses, self.cases, strict=True)]
        return Candidate(genome, made, tuple(misses), sum(ratios) / len(ratios), lines)

    def _copes(self, made: Compiled, params: Mapping[str, int | str]) -> bool:
        """Whether it always finds something to evict in tiny caches, where lists are empty more often."""
        for pages, batch in TINY:
            simulator = self.cases[0]._replace(pages=pages, batch=batch).simulator(made, params, self.seed)
            if simulator.run(self._few).fallback:
                return False
        return True


def _loops_are_short(made: Compiled) -> bool:
    """Whether no call goes round its loops too often, by the upper bounds of `cpolc cost`."""
    efforts = bounds_of(made.policy, Setting.of(made.policy, CAPACITY)).efforts
    return all(
        effort.rounds <= MOST_ROUNDS.get(name.split()[0].split("(")[0], OTHER_ROUNDS)
        for name, effort in efforts.items()
    )


def fingerprint(made: Compiled) -> bytes:
    """A hash of what a policy does: its C without the lines of its text."""
    return digest("\n".join(line for line in made.code.splitlines() if not line.startswith("#line")).encode())
