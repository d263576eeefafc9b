"""`cpolc advise`: which policy a workload wants, what it would save, and what it would not."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import Any

import click

from cpol.cli.errors import CliError, code_of
from cpol.cli.messages import say, shown
from cpol.cli.once import Once
from cpol.cli.output import put, spare
from cpol.cli.progress import progress
from cpol.cli.sim.compiling import compile_policy
from cpol.cli.sim.evict import interrupted
from cpol.cli.trace_options import read_mapping, reading
from cpol.cli.trial_options import DURATION
from cpol.compiler.toolchain.process import ToolError
from cpol.errors import RequestError
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.operate import loader, record
from cpol.runtime.simulate.advise.advise import LEAST_READS, Advice, Request, Row, advise
from cpol.runtime.simulate.advise.report import page, size_of
from cpol.runtime.simulate.runs.capacity import pages_of_share, read_capacity
from cpol.runtime.simulate.runs.jobs import cores
from cpol.runtime.simulate.runs.room import batch_of, followed, no_capacity
from cpol.runtime.simulate.traces import Trace, read

SHOWN = 8
"""Rows of the table, unless all are asked for."""

TRIALS = 20

LOST = 100
"""A recording that lost more than one of so many events is refused."""


@click.command(name="advise", cls=Once)
@reading
@click.option(
    "--record",
    "seconds",
    type=DURATION,
    metavar="TIME",
    help="TRACE is a cgroup, a folder under /sys/fs/cgroup: record it for so long, such as 10m.",
)
@click.option("--keep", type=click.Path(path_type=Path), metavar="FILE", help="With --record: keep the recording.")
@click.option(
    "--memory",
    metavar="N",
    help="Memory for file pages: a size (4G), pages (1000), a share of the objects (0.1).  [default: as recorded]",
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="POLICY",
    help="Judge this policy, a name of the stdlib or a path (may be repeated).  [default: all of the stdlib]",
)
@click.option(
    "--trials",
    default=TRIALS,
    show_default=True,
    type=click.IntRange(0, 10_000),
    help="Settings that are tried of each of the best policies; 0: params stay as declared.",
)
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0, 2**32 - 1), help="Seed of all that is drawn."
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Runs at a time.  [default: all processors]")
@click.option("--all", "every", is_flag=True, help=f"Show all policies, not only the first {SHOWN}.")
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE", help="Write a page with figures: .html.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    path: Path,
    format: str | None,
    columns: tuple[str, ...],
    pages: bool,
    seconds: float | None,
    keep: Path | None,
    memory: str | None,
    policies: tuple[str, ...],
    trials: int,
    seed: int,
    jobs: int | None,
    every: bool,
    report: Path | None,
    as_json: bool,
) -> None:
    """Say which policy a workload wants, and how many disk reads it would save.

    TRACE is best a recording (cpolc record): then the advice stands beside what the machine did. The first half of it
    chooses, the second half judges. Where no policy saves 3 %, the advice is to keep the default; where the recording
    does not tell enough, there is none.

    \b
    cpolc advise app.rec
    cpolc advise app.rec --memory 4G --report app.html
    cpolc advise /sys/fs/cgroup/app --record 10m
    """
    mapped = read_mapping(",".join(columns)) if columns else None
    size = None if memory is None else capacity_of(memory)
    if report is not None:
        check_report(report, path)
    try:
        for name in policies:
            compile_policy(name)  # which shows what is wrong with it
        with recording(path, seconds, keep) as file:
            trace = read(file, format, pages=pages, details=True, columns=mapped)
            check(trace)
            room = followed(trace) if size is None else None
            if size is None and room is None:
                raise no_room(trace)
            fixed = 0 if size is None else size if isinstance(size, int) else pages_of_share(size, trace.distinct)
            asked = Request(
                trace,
                room,
                room.mean if room else fixed,
                batch_of(trace, None, True),
                seed,
                jobs or cores(),
                able(trials),
                policies,
            )
            with progress() as show:
                try:
                    found = advise(asked, show)
                    cgroup = str(path) if seconds is not None else "CGROUP"
                    if report is not None:
                        put(page(asked, found, str(path), next_steps(found, cgroup), show).encode(), report)
                except KeyboardInterrupt as signalled:
                    show("")
                    interrupted("interrupted before all runs had ended; nothing is advised", code_of(signalled))
    except (SimulationError, ToolError, MachineError) as error:
        raise CliError(str(error)) from None
    if as_json:
        click.echo(json.dumps(facts(path, trace, found, cgroup)))
    else:
        tell(path, trace, found, every, cgroup)


def capacity_of(memory: str) -> Any:
    try:
        return read_capacity(memory)
    except RequestError as error:
        raise RequestError(str(error), "--memory") from None


def no_room(trace: Trace) -> Exception:
    """The error for a trace that does not tell how much memory there was."""
    if trace.format == "record":
        return no_capacity(trace)
    return RequestError(
        "Missing option '--memory'. Give it: a size (64M), pages (1000), or a share of the objects (0.01); only a "
        "recording tells how much memory file pages had."
    )


def able(trials: int) -> int:
    """How many settings are tried, with a note if none can be."""
    if trials and find_spec("optuna") is None:
        say("params stay as declared: optuna, which tunes them, is not installed: pip install optuna", "note")
        return 0
    return trials


def check(trace: Trace) -> None:
    """Refuse recordings whose numbers would mean nothing. Raises CliError."""
    if trace.lost * LOST > trace.requests:
        raise CliError(
            f"{trace.path}: {trace.lost:,} events were lost beside {trace.requests:,} requests, more than one of "
            f"{LOST}; record less at once: fewer cgroups, or a shorter time"
        )
    if trace.requests < LEAST_READS:
        raise CliError(f"{trace.path}: it has {trace.requests:,} requests, which tell nothing; record longer")


@contextmanager
def recording(path: Path, seconds: float | None, keep: Path | None) -> Iterator[Path]:
    """The trace to read: the file that is given, or a new recording of the cgroup.

    Raises:
        CliError: it cannot be recorded, or a policy governs the cgroup.
    """
    if seconds is None:
        if keep is not None:
            raise click.UsageError("--keep is for what --record records")
        if path.is_dir():
            raise CliError(f"{path} is a folder; to record a cgroup for some time, add --record 10m")
        yield path
        return
    if not path.is_dir():
        raise CliError(f"--record: {path} is no cgroup; name a folder under /sys/fs/cgroup")
    refuse_governed(path)
    with tempfile.TemporaryDirectory(prefix="cpol-") as folder:
        file = keep or Path(folder, "advise.rec")
        try:
            words = record.command_of(str(path), max(1, math.ceil(seconds)))
            with record.Ending() as ending, file.open("wb") as target:
                status = record.record(words, target, ending)
        except (OSError, record.RecordError) as error:
            raise CliError(f"cannot record {path}: {error}") from None
        if status != 0:
            raise click.exceptions.Exit(status if status > 0 else 128 - status)
        yield file


def refuse_governed(path: Path) -> None:
    """Refuse a cgroup that has a policy, or is below one that has. Raises CliError."""
    try:
        attached = json.loads(loader.output(["list", "--json"], 60))
    except loader.LoaderError as error:
        raise CliError(str(error)) from None
    for each in attached:
        if each["state"] == "attached" and each["kind"] == "evict" and path.resolve().is_relative_to(each["path"]):
            raise CliError(
                f"{each['policy']} governs {each['path']}, so a recording tells what it does, and not what the default "
                f"does; detach it first: cpolc detach {quote(each['path'])}"
            )


def tell(path: Path, trace: Trace, found: Advice, every: bool, cgroup: str) -> None:
    """Print the advice: verdict, table, memory, what was not seen, what to do next."""
    seconds = f" in {trace.times[-1] / 1000:,.1f} s" if trace.times else ""
    name = shown(str(path), keep="")
    click.echo(f"{name}: {trace.format}, {trace.requests:,} requests of {trace.distinct:,} pages{seconds}")
    click.echo(f"The first half chose; the disk reads below are of the second half, {found.requests:,} requests.")
    click.echo()
    click.secho(found.verdict, bold=True)
    if found.kind != "withheld":
        click.echo()
        table(found, every)
    if found.memory is not None:
        now, more = found.pages, found.pages * found.memory // 100
        click.echo()
        click.echo(
            f"Memory: the default needs {size_of(more)} ({found.memory} %) for what {found.best.choice.name} reads "
            f"with {size_of(now)}."
        )
    for row in found.rows if found.kind == "try" else ():
        if (proposal := row.choice.proposal) and row.against.high < 1:
            click.echo(shown(f"{row.choice.name} would be told: {proposal.words}.", keep=""))
    if found.doubts:
        click.echo("\nNot seen, or not sure:")
        for doubt in found.doubts:
            click.echo(f"- {doubt.text}")
    click.echo("\nNext:")
    for line in next_steps(found, cgroup):
        click.echo(shown(f"    {line}", keep=""))


def table(found: Advice, every: bool) -> None:
    rows = [("policy", "settings", "disk reads", "saves", "95 % interval")]
    if found.recorded is not None:
        rows.append(("the machine", "as recorded", f"{found.recorded:,}", "", ""))
    off = "" if found.off is None else f", off by {found.off:+.1%}"
    rows.append((found.default.choice.name, f"the default, modelled{off}", f"{found.default.reads:,}", "", ""))
    for row in found.rows if every else found.rows[:SHOWN]:
        rows.append(cells(row))
    if found.optimum is not None:
        saves = 1 - found.optimum / max(1, found.default.reads)
        rows.append(("belady", "knows the future", f"{found.optimum:,}", f"{saves:.1%}", ""))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row_ in rows:
        left = "  ".join(f"{cell:<{width}}" for cell, width in zip(row_[:2], widths[:2], strict=True))
        right = "  ".join(f"{cell:>{width}}" for cell, width in zip(row_[2:], widths[2:], strict=True))
        click.echo(f"{left}  {right}".rstrip())
    if not every and (more := len(found.rows) - SHOWN) > 0:
        click.echo(f"… and {more} more: --all")


def cells(row: Row) -> tuple[str, str, str, str, str]:
    low, high = 1 - row.against.high, 1 - row.against.low
    return (
        row.choice.name,
        row.choice.settings,
        f"{row.reads:,}",
        f"{1 - row.against.ratio:.1%}",
        f"{low:.1%} to {high:.1%}",
    )


def next_steps(found: Advice, cgroup: str) -> list[str]:
    """The commands to go on with."""
    where = quote(cgroup) if cgroup != "CGROUP" else cgroup
    if found.kind == "try":
        best = found.best
        words = ["cpolc attach", best.choice.name, where]
        words += [f"--set {quote(setting)}" for setting in best.choice.settings.split()]
        if (told := best.choice.proposal) is not None:
            words.append(f"--input {quote(f'{told.input}={chr(44).join(told.live)}')}")
        # Refaults are fewer than disk reads by the first read of each page, so they fall by no smaller share.
        rule = f"refaults <= {(1 + best.against.ratio) / 2:.2f} * before"
        return [f"{' '.join(words)} --trial 10m --settle 2m --keep-if {quote(rule)}"]
    if found.kind == "keep":
        return ["cpolc advise … --memory N    what another size would change"]
    return [f"cpolc record {where} -o longer.rec --seconds 1800", "cpolc advise longer.rec"]


def facts(path: Path, trace: Trace, found: Advice, cgroup: str) -> dict[str, Any]:
    """The advice as JSON."""
    return {
        "trace": str(path),
        "requests": trace.requests,
        "objects": trace.distinct,
        "verdict": found.kind,
        "text": found.verdict,
        "judged_requests": found.requests,
        "capacity": found.pages,
        "recorded_reads": found.recorded,
        "model_off": found.off,
        "optimum_reads": found.optimum,
        "memory_percent": found.memory,
        "default": row_facts(found.default),
        "policies": [row_facts(row) for row in found.rows],
        "doubts": [doubt._asdict() for doubt in found.doubts],
        "left_out": [left._asdict() for left in found.left],
        "next": next_steps(found, cgroup),
    }


def row_facts(row: Row) -> dict[str, Any]:
    proposal = row.choice.proposal
    return {
        "policy": row.choice.name,
        "params": dict(setting.split("=", 1) for setting in row.choice.settings.split()),
        "input": None if proposal is None else {"name": proposal.input, "keys": proposal.keys, "words": proposal.words},
        "reads": row.reads,
        "chosen_by_reads": row.chosen_by,
        "against_default": row.against._asdict(),
    }


def check_report(report: Path, trace: Path) -> None:
    """Check, before anything runs, that a report can be written. Raises click.BadParameter, CliError."""
    if report.suffix.lower() not in (".html", ".htm"):
        raise click.BadParameter(f"{report} has no known ending; give .html", param_hint="'--report'")
    spare("--report", report, (trace,))
