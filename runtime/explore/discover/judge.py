"""Held-out traces: what a found policy misses there beside every policy of the standard library.

Nothing was chosen by these requests. The interval is that of `cpolc advise`, a block bootstrap. In all cases together,
blocks count as shares of what LRU misses in their case, so that a large trace counts no more than a small one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from cpol.compiler.compiled import Compiled
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.simulate.advise.blocks import BLOCKS
from cpol.runtime.simulate.advise.interval import Interval, interval
from cpol.runtime.simulate.runs.jobs import Task, completed
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Trace

SCALE = 1_000_000
"""What LRU misses in a case, where cases are added up."""


class Held(NamedTuple):
    """A trace and a capacity. Blocks from number `first` on judge; those before fill the cache."""

    name: str
    trace: Trace
    pages: int
    batch: int
    first: int

    def misses(self, made: Compiled, params: Mapping[str, int | str], seed: int) -> list[int]:
        """The misses of a policy, block by block, of those that judge."""
        named = self.trace.names is not None
        simulator = Simulator(made.policy, self.pages, params, self.batch, seed, named=named, code=made.code)
        ends = [self.trace.position(self.trace.requests * number // BLOCKS) for number in range(BLOCKS)]
        found, before = [], 0
        for start, stop in pairwise([*ends, len(self.trace.ids)]):
            misses = simulator.run(self.trace.part(start, stop)).misses
            found.append(misses - before)
            before = misses
        return found[self.first :]


class Row(NamedTuple):
    """A case: our misses, those of the best policy of the standard library in it, and of LRU."""

    name: str
    ours: int
    best: str
    theirs: int
    lru: int
    ratio: Interval


class Judged(NamedTuple):
    """Of all cases: the best policy of the standard library by the mean share of LRU's misses, and that share."""

    rows: list[Row]
    best: str
    theirs: float
    ours: float
    ratio: Interval
    """Ours as a share of that of the best policy."""
    beats_all: bool
    """Whether it misses less than each policy of the standard library, beyond chance."""


def judge(
    made: Compiled,
    ours: str,
    library: Mapping[str, Compiled],
    cases: Sequence[Held],
    seed: int,
    jobs: int,
    show: Callable[[str], None],
) -> Judged:
    """Run all policies in all cases.

    Args:
        ours: the name of the found policy.
        library: policies of the standard library, `lru` among them.
    """
    policies = {**library, "": made}
    keys = [(policy, number) for number in range(len(cases)) for policy in policies]
    tasks = [
        Task(f"judges {policy or ours} on {cases[number].name}", partial(_run, cases[number], policies[policy], seed))
        for policy, number in keys
    ]
    found = {keys[number]: blocks for number, blocks in completed(tasks, jobs, show)}
    rivals = [name for name in library if all(found[name, number] is not None for number in range(len(cases)))]
    rows = [_row(case, number, found, rivals, seed) for number, case in enumerate(cases)]
    scaled = {name: _scaled(name, rows, found) for name in [*rivals, ""]}
    means = {name: sum(blocks) / (SCALE * len(rows)) for name, blocks in scaled.items()}
    best = min(rivals, key=lambda name: (means[name], name))
    ratios = {name: interval(scaled[""], scaled[name], seed) for name in rivals}
    beats_all = all(each.high < 1 for each in ratios.values())
    return Judged(rows, best, means[best], means[""], ratios[best], beats_all)


Found = Mapping[tuple[str, int], "list[int] | None"]


def _run(case: Held, made: Compiled, seed: int) -> list[int] | None:
    """None: the policy cannot run there."""
    try:
        return case.misses(made, {}, seed)
    except (SimulationError, MachineError):
        return None


def _row(case: Held, number: int, found: Found, rivals: Sequence[str], seed: int) -> Row:
    sums = {name: sum(found[name, number] or ()) for name in rivals}
    best = min(rivals, key=lambda name: (sums[name], name))
    ours, theirs = found["", number] or [], found[best, number] or []
    return Row(case.name, sum(ours), best, sums[best], max(1, sums["lru"]), interval(ours, theirs, seed))


def _scaled(name: str, rows: Sequence[Row], found: Found) -> list[int]:
    return [round(each * SCALE / row.lru) for number, row in enumerate(rows) for each in found[name, number] or ()]
