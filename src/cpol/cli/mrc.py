"""`cpolc mrc`: the miss ratios of policies over memory."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import click

from cpol.cli.errors import CliError, code_of
from cpol.cli.once import Once
from cpol.cli.output import put, spare
from cpol.cli.progress import progress
from cpol.cli.sim.compiling import compile_policy, expanded
from cpol.cli.sim.evict import interrupted
from cpol.cli.sim.notes import note_lacking, note_lost, note_order
from cpol.cli.sim.prefetch import NO_FOLIOS, note_unasked
from cpol.cli.trace_options import read_mapping, reading
from cpol.compiler.ir import MAX_BATCH
from cpol.compiler.toolchain.process import ToolError
from cpol.printable import shown
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.simulate.runs.assumptions import read_assumptions
from cpol.runtime.simulate.runs.candidates import BUILT_IN, Candidate, candidates, read_settings
from cpol.runtime.simulate.runs.capacity import all_in_pages, read_capacities
from cpol.runtime.simulate.runs.curve import Curves, Point, Sampling, sampling_of, spread
from cpol.runtime.simulate.runs.evict import Setup
from cpol.runtime.simulate.runs.inputs import inputs_of
from cpol.runtime.simulate.runs.jobs import cores
from cpol.runtime.simulate.runs.prefetch import Contender, Machine, Source, contenders
from cpol.runtime.simulate.runs.prefetch_curve import prefetch_points
from cpol.runtime.simulate.runs.room import batch_of
from cpol.runtime.simulate.traces import Trace, TraceError, as_kernel, read

MOST_SIZES = 1000


@click.command(name="mrc", cls=Once)
@reading
@click.argument("policies", metavar="POLICY...", nargs=-1, required=True)
@click.option(
    "--capacity",
    "capacities",
    multiple=True,
    metavar="N[,N...]",
    help="Pages (1000), sizes in pages of 4 KiB (64M), or shares of the objects (0.01).  [default: --points of them]",
)
@click.option(
    "--points",
    default=20,
    show_default=True,
    type=click.IntRange(1, MOST_SIZES),
    help="Capacities, from a thousandth of the objects to all, the larger ones further apart.",
)
@click.option(
    "--sample",
    metavar="auto|SHARE",
    help="Run such a share of the objects or more, in a cache that is smaller by as much; tell the error. auto: as "
    "many as each policy needs.  [default: exact]",
)
@click.option(
    "--batch",
    type=click.IntRange(1, MAX_BATCH),
    help="Pages that one eviction frees.  [default: 32 of a recording, else 1]",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE[,VALUE...]",
    help="Set a param (may be repeated). With several values, the policy runs with each.",
)
@click.option("--input", "inputs", multiple=True, metavar="NAME=VALUES", help="Fill an input, as for cpolc sim.")
@click.option("--assume", "assumptions", multiple=True, metavar="NAME=VALUE", help="Say what the trace does not.")
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0, 2**64 - 1), help="Seed of policies and samples."
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Runs at a time.  [default: all processors]")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw the curves: .png, .svg or .pdf.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, one for each policy.")
def command(
    path: Path,
    format: str | None,
    columns: tuple[str, ...],
    pages: bool,
    policies: tuple[str, ...],
    capacities: tuple[str, ...],
    points: int,
    sample: str | None,
    batch: int | None,
    settings: tuple[str, ...],
    inputs: tuple[str, ...],
    assumptions: tuple[str, ...],
    seed: int,
    jobs: int | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Show the miss ratios of policies over memory: how much a policy needs for how few misses.

    POLICY is the name of a stdlib policy (cpolc stdlib list) or a path to a .cpol file; `all` is all of the stdlib that
    evict. Policies that only prefetch run on a model, with `none` and `default` beside them (cpolc sim).

    \b
    cpolc mrc app.rec s3fifo lru
    cpolc mrc app.rec s3fifo lru --plot mrc.png
    cpolc mrc cluster52.oracleGeneral.bin all --sample auto
    """
    try:
        sizes = read_capacities(",".join(capacities)) if capacities else []
        read_settings(settings)
        assumed = read_assumptions(assumptions)
        mapped = read_mapping(",".join(columns)) if columns else None
        if plot is not None:
            draws(plot, path)
        words = expanded(policies, False)
        named = [word for word in words if word not in BUILT_IN]
        compiled = [compile_policy(word) for word in named]
        rows = candidates(named, compiled, settings, inputs_of(inputs, [each.policy for each in compiled]), inputs)
        if len(named) < len(words) or not all(row.policy.evicts for row in rows):
            check_model(rows, sample, batch)
            source = Source(path, None, format, pages, mapped, assumed)
            shown_curves = on_model(contenders(words, rows, seed, assumed.values), source, sizes, points, seed)
        else:
            trace = read(path, format, pages=pages, details=any(row.asks_details for row in rows), columns=mapped)
            trace = as_kernel(trace)
            note_lost(trace)
            note_order(trace)
            for each in compiled:
                note_lacking(each, trace, assumed)
            setups = [Setup(row, batch_of(trace, batch, False), seed, assumed.values, False) for row in rows]
            in_pages = all_in_pages(sizes, trace.distinct) if sizes else spread(trace.distinct, points)
            sampled = None if sample is None else sampling_of(sample, trace.distinct, seed)
            curves = Curves(trace, setups, sorted(in_pages), sampled)
            found = run(curves, jobs or cores())
            shown_curves = of_evictions(trace, setups, found, sampled)
    except (TraceError, SimulationError, ToolError, MachineError) as error:
        raise CliError(str(error)) from None
    if as_json:
        for facts, curve in zip(shown_curves.facts, shown_curves.points, strict=True):
            click.echo(json.dumps({**shown_curves.head, **facts, "points": [each._asdict() for each in curve]}))
    else:
        table(shown_curves)
    if plot is not None:
        draw(plot, path, shown_curves)


class Shown(NamedTuple):
    """Curves, with what is said of all and of each."""

    heading: str
    head: Mapping[str, Any]
    facts: Sequence[Mapping[str, Any]]
    points: Sequence[Sequence[Point]]

    @property
    def labels(self) -> list[str]:
        return [each["label"] for each in self.facts]


def check_model(rows: Sequence[Candidate], sample: str | None, batch: int | None) -> None:
    """Check that all can run on the model of prefetching.

    Raises:
        CliError: a policy does not prefetch.
        click.BadParameter: an option is about evictions.
    """
    for option, value in (("--sample", sample), ("--batch", batch)):
        if value is not None:
            message = "is about policies that evict; the others run on a model, exactly: leave it out"
            raise click.BadParameter(message, param_hint=f"'{option}'")
    for row in rows:
        if not row.policy.prefetches:
            raise CliError(f"{row.label} prefetches nothing, and others only prefetch; run them one after the other")


def on_model(rows: Sequence[Contender], source: Source, sizes: Sequence[int | Decimal], count: int, seed: int) -> Shown:
    """Curves of policies that prefetch."""
    trace = source.read(seed)
    for row in rows:
        if row.compiled is not None:
            note_lacking(row.compiled, trace, source.assumed, NO_FOLIOS)
            note_unasked(row.compiled.policy, trace)
    in_pages = all_in_pages(sizes, trace.distinct) if sizes else spread(trace.distinct, count)
    with progress() as show:
        try:
            found = prefetch_points(rows, trace, sorted(in_pages), source, Machine(None, None, None, seed), show)
        except KeyboardInterrupt as signalled:
            show("")
            interrupted("interrupted before all runs had ended; nothing is shown", code_of(signalled))
    name = shown(source.name, keep="")
    heading = f"{name}: {trace.format}, {len(trace.rows):,} accesses, {trace.distinct:,} pages; prefetching; exact"
    told = {"requests": len(trace.rows), "objects": trace.distinct, "sample": None, "batch": None, "seed": seed}
    return Shown(heading, {"trace": source.name, **told}, [each.facts for each in rows], found)


def of_evictions(
    trace: Trace, setups: Sequence[Setup], found: Sequence[Sequence[Point]], sampled: Sampling | None
) -> Shown:
    name, first = shown(str(trace.path), keep=""), setups[0]
    how = "exact"
    if sampled is not None:
        what = "to 95 %" if sampled.needed else "by chance to 95 %, without the drift of small caches (auto has it)"
        how = f"samples of {sampled.share:.2%} of the objects or more, ± {what}"
    heading = (
        f"{name}: {trace.format}, {trace.requests:,} requests, {trace.distinct:,} objects; batch {first.batch}; {how}"
    )
    told = {"requests": trace.requests, "objects": trace.distinct, "sample": sampled and sampled.share}
    told |= {"batch": first.batch, "seed": first.seed}
    return Shown(heading, {"trace": str(trace.path), **told}, [each.candidate.facts() for each in setups], found)


def run(curves: Curves, jobs: int) -> list[list[Point]]:
    """All curves. Ctrl-C ends the process: curves are of all runs."""
    with progress() as show:
        try:
            return curves.run(jobs, show)
        except KeyboardInterrupt as signalled:
            show("")
            interrupted("interrupted before all runs had ended; nothing is shown", code_of(signalled))


def table(curves: Shown) -> None:
    click.echo(curves.heading)
    names = [shown(label, keep="") for label in curves.labels]
    texts = [[text(point) for point in curve] for curve in curves.points]
    widths = [max(len(label), *map(len, column)) for label, column in zip(names, texts, strict=True)]
    click.echo(" ".join(["    capacity", *(f"{label:>{width}}" for label, width in zip(names, widths, strict=True))]))
    for place, point in enumerate(curves.points[0]):
        cells = (f"{column[place]:>{width}}" for column, width in zip(texts, widths, strict=True))
        click.echo(" ".join([f"{point.capacity:>12,}", *cells]))


def text(point: Point) -> str:
    error = "" if point.error is None else f" ±{point.error:.4f}"
    return f"{point.miss_ratio:.4f}{error}"


SUFFIXES = (".png", ".svg", ".pdf")


def draws(plot: Path, trace: Path, option: str = "--plot") -> None:
    """Check, before anything runs, that a plot can be drawn.

    Raises:
        click.BadParameter: its name tells no format.
        CliError: matplotlib is not there, or the plot would replace the trace.
    """
    if plot.suffix.lower() not in SUFFIXES:
        message = f"{plot} has no known ending; give one of {', '.join(SUFFIXES)}"
        raise click.BadParameter(message, param_hint=f"'{option}'")
    spare(option, plot, (trace,))
    if find_spec("matplotlib") is None:
        raise CliError(f"{option}: matplotlib, which draws, is not installed: pip install matplotlib")


def draw(plot: Path, trace: Path, curves: Shown) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for label, curve in zip(curves.labels, curves.points, strict=True):
        pages = [point.capacity for point in curve]
        axes.plot(pages, [point.miss_ratio for point in curve], marker=".", label=label)
        if any(point.error for point in curve):
            low = [point.miss_ratio - (point.error or 0) for point in curve]
            high = [point.miss_ratio + (point.error or 0) for point in curve]
            axes.fill_between(pages, low, high, alpha=0.2)
    axes.set(xscale="log", ylim=(0, None), xlabel="capacity in pages", ylabel="miss ratio", title=trace.name)
    axes.grid(alpha=0.3)
    axes.legend()
    save(figure, plot)


def save(figure: Any, plot: Path) -> None:
    """Write a figure in the format that the name says. Raises CliError."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format=plot.suffix[1:].lower())
    put(drawn.getvalue(), plot)
