"""`cpolc sim` for prefetch policies: each with each capacity, on the model of runtime/simulate/prefetch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from cpol.cli.assume import Assumptions, note_lacking
from cpol.cli.capacity import all_in_pages
from cpol.cli.compiled import Compiled
from cpol.cli.errors import CliError
from cpol.cli.fill import check_fits
from cpol.cli.messages import say
from cpol.cli.progress import progress
from cpol.cli.sim_candidates import Candidate
from cpol.cli.sim_evict import Evicting
from cpol.cli.sim_medium import BUILT_IN, EVICTION_ONLY, given
from cpol.cli.sim_prefetch_policy import NativePolicy
from cpol.cli.sim_prefetch_rows import PrefetchRun, show, show_both
from cpol.compiler import ir
from cpol.runtime.machine.settings.assumed import STEP, Assumed
from cpol.runtime.simulate.prefetch.kernel import Cluster, SwapReadahead, Vma
from cpol.runtime.simulate.prefetch.medium import Medium
from cpol.runtime.simulate.prefetch.model import Model
from cpol.runtime.simulate.prefetch.protocol import DEFAULT, NOTHING, Nobody, Prefetcher
from cpol.runtime.simulate.prefetch.read import read_rows
from cpol.runtime.simulate.prefetch.regimes import regime
from cpol.runtime.simulate.prefetch.rows import Rows, Touch
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Columns, TraceError

LATENCY_NS = 100_000
BANDWIDTH = 100 << 20

KERNELS: dict[str, Callable[[], SwapReadahead]] = {"vma": Vma, "cluster": Cluster}
"""The kernel's own readahead of swap: around the virtual page, or around the slot."""

_NO_FOLIOS = ("file", "page", "rw", "writeback", "mapped", "unread", "cgroup")
"""What only folios have, or what the event itself tells."""

_TRACE_ONLY = ("format", "pages", "columns")
"""Parameters of the command that say how to read a trace."""

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
        trace = read_rows(self.path, self.format, pages=self.pages, columns=self.columns, writes=writes)
        if trace.lost:
            say(f"{self.path}: {trace.lost:,} events were lost while it was recorded, so it lacks faults", "note")
        return trace

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


def compare(
    ctx: click.Context,
    contenders: Sequence[Contender],
    source: Source,
    machine: Machine,
    trial: Evicting,
    evicting: Sequence[Candidate],
) -> None:
    """Run all, and print the results: of prefetching, or, if there are policies that only evict, of both in one table.

    Args:
        trial: how the policies that only evict run.
        evicting: these policies.

    Raises:
        CliError: the trace cannot be used.
        click.BadParameter: an option is about something else.
    """
    for option in given(ctx, EVICTION_ONLY) if not evicting else ():
        raise click.BadParameter(
            "is about what a policy evicts; these policies prefetch: leave it out", param_hint=f"'{option}'"
        )
    if evicting and source.made is not None:
        raise CliError(
            f"{evicting[0].label} prefetches nothing: it has none of `on fault`, `on prefetch` and `on readahead`, but "
            "--regime is about prefetching; give --trace, or leave the policy out"
        )
    if source.path is not None and source.made is not None:
        raise click.BadParameter("makes a trace; leave out --trace, or --regime", param_hint="'--regime'")
    if source.made is not None:
        check_regime(ctx, source.assumed)
    try:
        trace = source.read(machine.seed)
    except TraceError as error:
        raise CliError(str(error)) from None
    for contender in contenders:
        if contender.compiled is not None:
            note_lacking(contender.compiled, trace, source.assumed, _NO_FOLIOS)
            note_ranges(contender.compiled.policy)
            note_unasked(contender.compiled.policy, trace)
            note_no_writes(contender.compiled.policy, trace, source)
    runs = noted(simulate(contenders, trace, trial.sizes, source, machine), contenders, trace)
    if trial.json:
        for run in runs:
            click.echo(run.as_json())
        if evicting:
            trial.compare(evicting)
    elif evicting:
        show_both([*runs], trial.runs(evicting))
    else:
        show([*runs], trace, max(len(contender.label) for contender in contenders))


def check_regime(ctx: click.Context, assumed: Assumptions) -> None:
    """Refuse what is about a trace, which a regime is not read from.

    Raises:
        click.BadParameter: there is such an option.
    """
    for option in given(ctx, _TRACE_ONLY):
        raise click.BadParameter(
            "is about the file of a trace; --regime makes its trace: leave out one of them", param_hint=f"'{option}'"
        )
    for name in sorted(assumed.names & {*_NO_FOLIOS}):
        raise click.BadParameter(
            f"{name} is about the requests of a trace file; --regime touches memory without: leave out {name}",
            param_hint="'--assume'",
        )


def note_ranges(policy: ir.Policy) -> None:
    """Say which handlers of a policy the model never calls: it has no files that are opened, read or written."""
    handled = [f"`on {event}`" for event in ir.RANGE_EVENTS if event in policy.handlers]
    if handled:
        say(f"{policy.name}: the model has no ranges of files, so it calls none of {', '.join(handled)}", "note")


def note_unasked(policy: ir.Policy, trace: Rows) -> None:
    """Say so if a trace of one kind, memory or files, asks a policy nothing that prefetches only for the other."""
    memory, files = {"fault", "prefetch", "swap"} & set(policy.handlers), "readahead" in policy.handlers
    if memory and not files and not trace.touches:
        what, other = (
            f"touches of memory, so nothing {'goes out to swap' if memory == {'swap'} else 'faults'}",
            "csv with --columns page=COLUMN, or a text of page numbers",
        )
    elif files and not memory and trace.touches == len(trace.rows):
        what, other = "reads of files, so `on readahead` is never called", "csv with --columns file=COLUMN,page=COLUMN"
    else:
        return
    say(f"{policy.name}: the trace has no {what}; give {other}, or what cpolc record wrote", "note")


def note_no_writes(policy: ir.Policy, trace: Rows, source: Source) -> None:
    """Say so if a policy that is asked about pages that go out gets a trace in which all keep their slots."""
    tells = any(isinstance(row, Touch) and (row.writes or row.is_fault) for row in trace.rows)
    if "swap" in policy.handlers and trace.touches and not tells and "rw" not in source.assumed.names:
        say_it = "say it with --assume rw=write, or give csv with --columns rw=COLUMN"
        advice = say_it if source.made is None else "give a trace with writes in place of --regime"
        say(
            f"{policy.name}: the trace has no writes, so a page that comes back from swap keeps its place there, and "
            f"`on swap` is not called for it again; {advice}",
            "note",
        )


def noted(runs: Iterator[PrefetchRun], contenders: Sequence[Contender], trace: Rows) -> Iterator[PrefetchRun]:
    """The runs. Of one that never called `on swap`, a note says so."""
    asked = {each.name for each in contenders if each.compiled and "swap" in each.compiled.policy.handlers}
    for run in runs:
        if run.policy in asked and trace.touches and not run.result.swap.out_asked:
            say(
                f"{run.policy}: with {run.capacity:,} pages nothing needs a place in swap, so `on swap` is never "
                "called; give a smaller --capacity",
                "note",
            )
        yield run


def simulate(
    contenders: Sequence[Contender],
    trace: Rows,
    sizes: Sequence[int | Decimal],
    source: Source,
    machine: Machine,
) -> Iterator[PrefetchRun]:
    """The runs, one after another."""
    step_ns = source.step_of(trace)
    capacities = all_in_pages(sizes, trace.distinct)
    with progress() as show_progress:
        for contender in contenders:
            for capacity in capacities:
                show_progress(f"{contender.label}, {capacity:,} pages")
                medium = Medium(machine.latency_ns, machine.bytes_a_second)
                kernel = KERNELS[machine.readahead]()
                model = Model(trace, capacity, medium, contender.make(capacity, trace), kernel, step_ns)
                settings = (source.name, capacity, machine.latency_ns, machine.bytes_a_second)
                result = model.run()
                show_progress("")
                yield PrefetchRun(
                    contender.name, *settings, machine.readahead, machine.seed, result, contender.label, contender.facts
                )
