"""`cpolc discover`: a search for a policy that misses less than all of the standard library."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from shlex import quote
from typing import Any

import click

from cpol.cli.errors import CliError, code_of
from cpol.cli.messages import say
from cpol.cli.once import Once
from cpol.cli.output import STDOUT, put, spare
from cpol.cli.progress import progress
from cpol.cli.sim.evict import interrupted
from cpol.cli.sim.notes import note_lost
from cpol.cli.trace_options import FormatName
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.ir import MAX_BATCH
from cpol.compiler.policies import stdlib_names
from cpol.compiler.toolchain.process import ToolError
from cpol.kernel import profiles
from cpol.printable import shown
from cpol.runtime.explore.discover.search import Discovered, Given, Settings, discover, halves, held
from cpol.runtime.explore.discover.write import Told, verdict, written
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.simulate.runs.capacity import all_in_pages, read_capacities
from cpol.runtime.simulate.runs.curve import sampling_of
from cpol.runtime.simulate.runs.jobs import cores
from cpol.runtime.simulate.runs.room import batch_of
from cpol.runtime.simulate.traces import FORMATS, TraceError, as_kernel, read
from cpol.version import __version__

CAPACITIES = "0.01,0.1"

LEAST = 1000
"""Requests of a trace. Fewer tell nothing, and each half has blocks of them."""


@click.command(name="discover", cls=Once)
@click.argument("paths", metavar="TRACE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--held-out",
    "held_out",
    multiple=True,
    metavar="TRACE",
    type=click.Path(path_type=Path),
    help="Judge by this trace, which nothing is chosen by (may be repeated).  [default: second halves of all]",
)
@click.option("--format", type=FormatName(FORMATS), help="The format of all traces, in any case.  [default: detected]")
@click.option("--pages", is_flag=True, help="Cut each request into 4 KiB pages.  [default: one page an object]")
@click.option(
    "--capacity",
    "capacities",
    multiple=True,
    metavar="N[,N...]",
    help=f"Pages (1000), sizes in pages of 4 KiB (64M), or shares of each trace's objects.  [default: {CAPACITIES}]",
)
@click.option(
    "--sample",
    default="auto",
    show_default=True,
    metavar="auto|SHARE|all",
    help="Search by such a share of the objects, in caches that are smaller by as much; all objects judge.",
)
@click.option(
    "--batch",
    type=click.IntRange(1, MAX_BATCH),
    help="Pages that one eviction frees.  [default: 32 of a recording, else 1]",
)
@click.option(
    "--budget", default=1000, show_default=True, type=click.IntRange(1, 10_000_000), help="Candidates to try."
)
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0, 2**32 - 1), help="Seed of all that is drawn."
)
@click.option(
    "--profile",
    default=profiles.DEFAULT,
    show_default=True,
    metavar="NAME",
    help=f"The kernel that must carry it: {profiles.accepted()}.",
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Runs at a time.  [default: all processors]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="The file for the policy, which has its name: NAME.cpol.",
)
def command(
    paths: tuple[Path, ...],
    held_out: tuple[Path, ...],
    format: str | None,
    pages: bool,
    capacities: tuple[str, ...],
    sample: str,
    batch: int | None,
    budget: int,
    seed: int,
    profile: str,
    jobs: int | None,
    as_json: bool,
    output: Path,
) -> None:
    """Search for a policy that misses less on TRACEs than all of the standard library.

    It begins with the policies of the standard library, changes and combines their text, and keeps what misses least.
    The best one must pass what `cpolc check` checks. Held-out traces tell what it gains, with a 95 % interval.

    Ctrl-C ends the search early: the best so far is checked, judged and written. The same seed finds the same policy,
    with any number of processors.

    \b
    cpolc discover app.rec -o mine.cpol
    cpolc discover monday.rec tuesday.rec --held-out friday.rec --budget 5000 -o mine.cpol
    """
    name = name_of(output)
    spare("-o", output, (*paths, *held_out))
    refuse_twice((*paths, *held_out))
    sizes = read_capacities(",".join(capacities) if capacities else CAPACITIES)
    kernel = profiles.load(profile)
    sampling = None if sample == "all" else sampling_of(sample, LEAST, seed)
    settings = Settings(name, kernel, sampling, seed, budget, jobs or cores())
    try:
        with progress() as show:
            trained = [given(path, format, pages, sizes, batch) for path in paths]
            told = [each.told() for each in trained]
            if held_out:
                others = [given(path, format, pages, sizes, batch) for path in held_out]
                said, cases = [each.told() for each in others], held(others)
            else:
                said = ["the second halves of these"]
                trained, cases = halves(trained)
                told = [f"{each}, the first half" for each in told]
            try:
                found = discover(trained, cases, settings, show, lambda text: note(show, text))
            except KeyboardInterrupt as signalled:
                show("")
                interrupted(f"interrupted before anything was found; {output} is not written", code_of(signalled))
    except (TraceError, SimulationError, ToolError, MachineError, CompileError, MemoryError) as error:
        raise CliError(str(error) or "out of memory; cut the traces") from None
    tried = found.candidates if found.interrupted else budget
    again = command_line(paths, held_out, format, pages, capacities, sample, batch, tried, seed, profile, output)
    text = written(found.text, name, comment(found, told, said, seed, again), found.judged)
    put(text, output)
    click.echo(json.dumps(facts(found, name)) if as_json else table(found, name, output))
    if found.interrupted:
        interrupted(f"interrupted after {found.candidates:,} of {budget:,} candidates", code_of(found.interrupted))


def note(show: Any, text: str) -> None:
    show("")
    say(text, "note")


def name_of(output: Path) -> str:
    """The name of the policy: that of its file.

    Raises:
        CliError: a policy cannot have it.
    """
    if output == STDOUT:
        raise CliError("-o - names no policy; give a file: -o mine.cpol")
    name = output.stem
    if output.suffix != ".cpol" or not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]{0,63}", name):
        raise CliError(f"-o {output}: a policy has the name of its file; give a name of letters and digits: mine.cpol")
    if name in stdlib_names():
        raise CliError(f"-o {output}: `{name}` is in the standard library already; give another name")
    if not output.parent.is_dir():
        raise CliError(f"-o {output}: there is no folder {output.parent}; make it first")
    return name


def refuse_twice(paths: Sequence[Path]) -> None:
    """Raises CliError if two traces are the same: what judges must not have chosen."""
    seen: dict[Path, Path] = {}
    for path in paths:
        if path.resolve() in seen:
            raise CliError(f"{path} is given twice; name each trace once: what was trained by cannot judge")
        seen[path.resolve()] = path


def given(path: Path, format: str | None, pages: bool, sizes: Sequence[int | Decimal], batch: int | None) -> Given:
    """Read a trace. Raises CliError: it tells nothing."""
    trace = as_kernel(read(path, format, pages=pages, details=True, columns=None))
    note_lost(trace)
    if trace.requests < LEAST:
        raise CliError(f"{path}: it has {trace.requests:,} requests; a search takes {LEAST:,} or more")
    capacities = sorted(set(all_in_pages(sizes, trace.distinct)))
    return Given(path, trace, capacities, batch_of(trace, batch, False))


def comment(found: Discovered, told: list[str], said: list[str], seed: int, again: str) -> Told:
    genome = found.candidate.genome
    counts = (found.candidates, found.generations)
    return Told(
        sorted(genome.origin),
        told,
        said,
        __version__,
        seed,
        *counts,
        genome.steps,
        again,
        found.interrupted is not None,
    )


def command_line(
    paths: Sequence[Path],
    held_out: Sequence[Path],
    format: str | None,
    pages: bool,
    capacities: Sequence[str],
    sample: str,
    batch: int | None,
    budget: int,
    seed: int,
    profile: str,
    output: Path,
) -> str:
    """The command that finds the same again, with the names of traces instead of their paths."""
    words = ["cpolc discover", *(quote(path.name) for path in paths)]
    words += [f"--held-out {quote(path.name)}" for path in held_out]
    words += [f"--format {format}"] if format else []
    words += ["--pages"] if pages else []
    words += [f"--capacity {quote(','.join(capacities))}"] if capacities else []
    words += [f"--sample {sample}"] if sample != "auto" else []
    words += [f"--batch {batch}"] if batch else []
    words += [f"--profile {quote(profile)}"] if profile != profiles.DEFAULT else []
    return " ".join([*words, f"--budget {budget} --seed {seed} -o {quote(output.name)}"])


def facts(found: Discovered, name: str) -> dict[str, Any]:
    """What JSON tells."""
    judged = found.judged
    rows = [{**each._asdict(), "ratio": each.ratio._asdict()} for each in judged.rows]
    front = [
        {
            "score": each.score,
            "cost": each.cost,
            "lines": each.lines,
            "from": sorted(each.genome.origin),
        }
        for each in found.front
    ]
    head = {"policy": name, "candidates": found.candidates, "generations": found.generations}
    head |= {"interrupted": found.interrupted is not None, "score": found.candidate.score, "start": found.start.score}
    whole = {"best": judged.best, "of_lru": {"ours": judged.ours, "best": judged.theirs}}
    return {
        **head,
        "front": front,
        "held_out": rows,
        **whole,
        "ratio": judged.ratio._asdict(),
        "beats_all": judged.beats_all,
    }


def table(found: Discovered, name: str, output: Path) -> str:
    """What is printed."""
    judged, start = found.judged, found.start
    began = ", ".join(sorted(start.genome.origin))
    lines = [
        f"searched: {found.candidates:,} candidates in {found.generations:,} generations; of LRU's misses, "
        f"{name} has {found.candidate.score:.4f} and {began}, the best to begin with, {start.score:.4f}",
        "",
        f"{'the front, of LRU':>20}{'cost':>12}{'lines':>7}  from",
    ]
    for each in found.front:
        cost = "-" if each.cost is None else f"{each.cost:,.0f}"
        lines.append(f"{each.score:>20.4f}{cost:>12}{each.lines:>7}  {', '.join(sorted(each.genome.origin))}")
    width = max(len(shown(row.name, keep="")) for row in judged.rows)
    lines += ["", f"{'held out':<{width}}{name[:16]:>17}{'best of stdlib':>28}{'ratio':>9}  95 %"]
    for row in judged.rows:
        best = f"{row.best} {row.theirs:,}"
        span = f"{row.ratio.low:.4f} to {row.ratio.high:.4f}"
        lines.append(f"{shown(row.name, keep=''):<{width}}{row.ours:>17,}{best:>28}{row.ratio.ratio:>9.4f}  {span}")
    lines += ["", f"{name} {verdict(judged)}"]
    lines.append(f"of LRU's misses in the mean: {name} {judged.ours:.4f}, {judged.best} {judged.theirs:.4f}")
    lines.append(
        f"{output} is written; load it, for the verifier's word: cpolc attach {quote(str(output))} CGROUP --trial 10m"
    )
    return "\n".join(lines)
