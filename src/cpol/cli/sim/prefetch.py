"""`cpolc sim` for prefetch policies: what it refuses, its notes, and what it prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from cpol.cli.errors import CliError
from cpol.cli.messages import say
from cpol.cli.progress import progress
from cpol.cli.sim.evict import Evicting
from cpol.cli.sim.notes import note_lacking
from cpol.cli.sim.options import EVICTION_ONLY, given
from cpol.cli.sim.prefetch_rows import as_json, show, show_both
from cpol.compiler import ir
from cpol.runtime.simulate.prefetch.rows import Rows, Touch
from cpol.runtime.simulate.runs.assumptions import Assumptions
from cpol.runtime.simulate.runs.candidates import Candidate
from cpol.runtime.simulate.runs.capacity import all_in_pages
from cpol.runtime.simulate.runs.prefetch import Contender, Machine, PrefetchRun, Source, simulate
from cpol.runtime.simulate.traces import TraceError

NO_FOLIOS = ("file", "page", "rw", "writeback", "mapped", "executable", "unread", "cgroup")
"""What only folios have, or what the event itself tells."""

_TRACE_ONLY = ("format", "pages", "columns")
"""Parameters of the command that say how to read a trace."""


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
    if source.made is None and trace.lost:
        say(f"{source.path}: {trace.lost:,} events were lost while it was recorded, so it lacks faults", "note")
    for contender in contenders:
        if contender.compiled is not None:
            note_lacking(contender.compiled, trace, source.assumed, NO_FOLIOS)
            note_ranges(contender.compiled.policy)
            note_unasked(contender.compiled.policy, trace)
            note_no_writes(contender.compiled.policy, trace, source)
    with progress() as show_progress:
        sizes = all_in_pages(trial.sizes, trace.distinct)
        runs = noted(simulate(contenders, trace, sizes, source, machine, show_progress), contenders, trace)
        print_all(runs, trial, evicting, trace, max(len(contender.label) for contender in contenders))


def print_all(
    runs: Iterator[PrefetchRun], trial: Evicting, evicting: Sequence[Candidate], trace: Rows, width: int
) -> None:
    """Print the runs, with those of policies that only evict."""
    if trial.json:
        for run in runs:
            click.echo(as_json(run))
        if evicting:
            trial.compare(evicting)
    elif evicting:
        show_both([*runs], trial.runs(evicting))
    else:
        show([*runs], trace, width)


def check_regime(ctx: click.Context, assumed: Assumptions) -> None:
    """Refuse what is about a trace, which a regime is not read from.

    Raises:
        click.BadParameter: there is such an option.
    """
    for option in given(ctx, _TRACE_ONLY):
        raise click.BadParameter(
            "is about the file of a trace; --regime makes its trace: leave out one of them", param_hint=f"'{option}'"
        )
    for name in sorted(assumed.names & {*NO_FOLIOS}):
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
