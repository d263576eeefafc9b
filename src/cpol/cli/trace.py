"""`cpolc trace`: what is in a trace, the same in another format, and traces that are made."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from statistics import geometric_mean

import click

from cpol.cli.errors import CliError
from cpol.cli.messages import say
from cpol.cli.mrc import draws, save
from cpol.cli.once import Commands
from cpol.cli.output import spare, writing
from cpol.cli.trace_options import Taken, read_mapping, reading
from cpol.printable import shown
from cpol.runtime.simulate.traces import Trace, TraceError, read
from cpol.runtime.simulate.traces.about import About, about
from cpol.runtime.simulate.traces.synth import make, parse
from cpol.runtime.simulate.traces.write import SUFFIXES, WRITERS, columns_of, only_requests

CARRIES = {"oraclegeneral": {"time"}, "text": set[str]()}
"""Of file, page, thread, process, comm, time, rw: what a format tells, if not all."""

BAR = 30
"""Characters of the longest bar of the working set."""

TARGETS = click.Choice([*WRITERS], case_sensitive=False)


@click.group(name="trace", cls=Commands)
def command() -> None:
    """Look at traces, convert them, make them.

    \b
    cpolc trace info app.rec
    cpolc trace plot app.rec -o app.png
    cpolc trace convert app.rec -o app.oracleGeneral.bin
    cpolc trace synth zipf:objects=10000,skew=0.9+scan:requests=50000 -o made.oracleGeneral.bin
    """


def writes(run: Callable[Taken, None]) -> Callable[Taken, None]:
    """The options that say what is written."""
    path = click.Path(path_type=Path)
    run = click.option("--to", "target", type=TARGETS, help="The format.  [default: by the name of the output]")(run)
    return click.option("-o", "--output", required=True, type=path, help="The file to write; -: standard output.")(run)


def trace_of(path: Path, format: str | None, columns: tuple[str, ...], pages: bool, sizes: bool) -> Trace:
    mapped = read_mapping(",".join(columns)) if columns else None
    return read(path, format, pages=pages, details=True, sizes=None if sizes else False, columns=mapped)


@command.command()
@reading
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def info(path: Path, format: str | None, columns: tuple[str, ...], pages: bool, as_json: bool) -> None:
    """Say what is in TRACE: requests, objects, popularity, reuse, working set."""
    trace = trace_of(path, format, columns, pages, sizes=False)
    found = about(trace)
    told = {"trace": str(path), "format": trace.format, "carries": sorted(trace.carries)}
    left = {"deletions": trace.deletions, "lost": trace.lost, "unread": trace.unread}
    if as_json:
        click.echo(json.dumps({**told, **left, **asdict(found)}))
        return
    click.echo(shown(f"{path}: {trace.format}") + (f", with {', '.join(told['carries'])}" if trace.carries else ""))
    beside = (f"{name.replace('_', ' ')}: {number:,}" for name, number in left.items() if number)
    for line in (*counted(found), *beside):
        click.echo(f"  {line}")
    if trace.lost:
        say(f"the recording lost {trace.lost:,} events: the numbers are of what is left", "note")


def counted(found: About) -> list[str]:
    """The facts as lines."""
    lines = [
        f"requests: {found.requests:,}",
        f"objects: {found.objects:,} ({found.objects / found.requests:.1%} of requests are the first of theirs)",
        f"objects with one request: {found.once:,} ({found.once / found.objects:.1%})",
    ]
    if found.seconds is not None:
        lines.append(f"time: {found.seconds:,.3f} s")
    if found.writes is not None:
        lines.append(f"writes: {found.writes:,} ({found.writes / found.requests:.1%})")
    shares = (f"{share:.0%} of objects have {requests:.1%}" for share, requests in found.hot)
    lines.append(f"popularity: {', '.join(shares)} of requests")
    if found.zipf is None:
        lines.append("Zipf's law: no fit; few objects, or all alike")
    else:
        poor = "" if found.zipf.fit >= 0.9 else "; a poor fit, so the skew says little"
        lines.append(f"Zipf's law: skew {found.zipf.skew:.2f} (R² {found.zipf.fit:.3f}{poor})")
    within = (f"{share:.1%} within {distance:,}" for distance, share in found.reuse)
    lines.append(f"requests of an object that was requested before: {', '.join(within) or 'none'}")
    most = max(window.objects for window in found.windows)
    lines.append(f"objects in each of {len(found.windows)} parts (#: new ones, =: others):")
    for window in found.windows:
        new = round(BAR * window.new / most)
        bar = "#" * new + "=" * (round(BAR * window.objects / most) - new)
        lines.append(f"  {bar:{BAR}} {window.objects:,}")
    return lines


@command.command()
@reading
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The figure: .png, .svg or .pdf.")
def plot(path: Path, format: str | None, columns: tuple[str, ...], pages: bool, output: Path) -> None:
    """Draw what is in TRACE: popularity beside the fit of Zipf's law, reuse, working set."""
    draws(output, path, "-o")
    trace = trace_of(path, format, columns, pages, sizes=False)
    draw(about(trace), path.name, output)


def draw(found: About, title: str, output: Path) -> None:
    """Raises CliError: the figure cannot be written."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 4), layout="constrained")
    popularity, reuse, working_set = figure.subplots(1, 3)
    ranks, requests = zip(*found.ranks, strict=True)
    popularity.plot(ranks, requests, ".", label="requests")
    if found.zipf is not None:
        scale = geometric_mean(requests) * geometric_mean(ranks) ** found.zipf.skew  # the line goes through the means
        label = f"skew {found.zipf.skew:.2f}, R² {found.zipf.fit:.3f}"
        popularity.plot(ranks, [scale * rank**-found.zipf.skew for rank in ranks], label=label)
    popularity.set(xscale="log", yscale="log", xlabel="rank of the object", ylabel="requests", title="popularity")
    popularity.legend()
    reuse.plot([distance for distance, _ in found.reuse], [share for _, share in found.reuse], marker=".")
    reuse.set(xscale="log", ylim=(0, 1), xlabel="within so many requests", ylabel="share of requests", title="reuse")
    parts = range(1, len(found.windows) + 1)
    working_set.bar(parts, [window.objects for window in found.windows], label="objects")
    working_set.bar(parts, [window.new for window in found.windows], label="new ones")
    working_set.set(xlabel="part of the trace", ylabel="objects", title="working set")
    working_set.legend()
    figure.suptitle(shown(title, keep=""))
    save(figure, output)


@command.command()
@reading
@writes
def convert(
    path: Path, format: str | None, columns: tuple[str, ...], pages: bool, output: Path, target: str | None
) -> None:
    """Write TRACE in another format: oraclegeneral, csv, text or parquet."""
    target = target_of(output, target)
    spare("-o", output, (path,))
    write(trace_of(path, format, columns, pages, sizes=True), output, target)


@command.command()
@click.argument("parts", metavar="PART...", nargs=-1, required=True)
@writes
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0, 2**64 - 1), help="Seed of the random numbers."
)
@click.option("--rate", default=1000, show_default=True, type=click.IntRange(1, 10**9), help="Requests a second.")
def synth(parts: tuple[str, ...], output: Path, target: str | None, seed: int, rate: int) -> None:
    """Make a trace of parts that follow one another.

    PART is a kind of requests, or several with `+` between them, mixed at random: zipf (requests, objects, skew,
    first), uniform and loop (requests, objects, first), scan (requests, first). Each has objects of its own, unless
    `first` says where its objects begin. The same seed makes the same trace.

    \b
    cpolc trace synth zipf:objects=10000,skew=0.9,requests=200000 -o made.oracleGeneral.bin
    cpolc trace synth loop:objects=500 zipf+scan:requests=20000 -o made.csv
    """
    target = target_of(output, target)
    try:
        streams = parse(parts)
    except TraceError as error:
        raise click.BadParameter(str(error), param_hint="'PART'") from None
    try:
        write(make(streams, seed, rate), output, target)
    except TraceError as error:
        raise CliError(str(error)) from None
    except MemoryError:
        raise CliError("out of memory; ask for fewer requests") from None


def target_of(output: Path, target: str | None) -> str:
    """The format to write: the one that is given, or the one that the name of the output tells.

    Raises:
        click.BadParameter: it tells none.
    """
    found = target or SUFFIXES.get(output.suffix.lower())
    if found is None:
        known = ", ".join(SUFFIXES)
        message = f"{output}: no format has this name; give --to FORMAT, or a name that ends in one of {known}"
        raise click.BadParameter(message, param_hint="'-o'")
    return found


def write(trace: Trace, output: Path, target: str) -> None:
    """Write a trace, and say on standard error what the format leaves out.

    Raises:
        CliError: it cannot be written.
        TraceError: the format cannot hold it.
    """
    requests = only_requests(trace)
    try:
        with writing(output) as file:
            WRITERS[target](requests, file)
    except OSError as error:
        raise CliError(f"cannot write {output}: {error.strerror}") from None
    notes = []
    if trace.unread:
        notes.append(f"pages that readahead brought and nobody read are left out: {trace.unread:,}")
    if trace.lost:
        notes.append(f"the recording lost {trace.lost:,} events, and {target} cannot tell")
    if missing := sorted(trace.carries - {"unread"} - CARRIES.get(target, trace.carries)):
        notes.append(f"{target} has no {', '.join(missing)}: policies that read them run without")
    if target == "csv" and (columns := columns_of(requests)):
        notes.append(f"read it with --columns {columns}")
    for note in notes:
        say(note, "note")
