"""`cpolc sweep`: many policies on many traces, here or on a cluster, with a row of each run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from cpol.cli.errors import EXIT_FAILURE, CliError, code_of
from cpol.cli.messages import say
from cpol.cli.of_files import FileCommands
from cpol.cli.progress import progress
from cpol.cli.sim.compiling import compile_path
from cpol.cli.sim.evict import interrupted
from cpol.compiler.toolchain.process import ToolError
from cpol.errors import RequestError
from cpol.printable import shown
from cpol.runtime.simulate.sweep import store
from cpol.runtime.simulate.sweep.execute import Line, Summary, run
from cpol.runtime.simulate.sweep.executors import Where, bytes_of, executor_of
from cpol.runtime.simulate.sweep.fetched import listed
from cpol.runtime.simulate.sweep.report import Report, report, status
from cpol.runtime.simulate.sweep.spec import read_spec
from cpol.sizes import duration

if TYPE_CHECKING:
    from cpol.runtime.simulate.sweep.report import Status

ENDING = ".sweep"
"""What the folder of rows has in place of `.toml`."""

SHOWN = 20
"""Reasons of failures that are shown, unless all are asked for."""


@click.group(name="sweep", cls=FileCommands)
def command() -> None:
    """Run many policies on many traces: here, or on a cluster by Dask.

    SWEEP.toml names policies, traces and capacities. Each run has a row in a Parquet data set; what is there is not run
    again, so the same command resumes the sweep after a crash.

    \b
    cpolc sweep night.toml
    cpolc sweep night.toml --scheduler tcp://head:8786
    cpolc sweep status night.sweep
    cpolc sweep report night.sweep --base lru
    """


@command.command(name="run")
@click.argument("file", metavar="SWEEP.toml", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder of the data set.  [default: SWEEP.sweep beside SWEEP.toml]",
)
@click.option("--scheduler", metavar="URL", help="Run on the workers of this Dask scheduler: tcp://HOST:PORT.")
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(min=1),
    help="Processes of a cluster on this machine, or threads with --in-process.  [default: all processors]",
)
@click.option("--worker-memory", metavar="SIZE", help="Of each worker on this machine, such as 4G.  [default: a share]")
@click.option("--in-process", is_flag=True, help="Run in this process, without Dask.")
@click.option("--retry", is_flag=True, help="Do the runs that failed again, too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def run_(
    file: Path,
    folder: Path | None,
    scheduler: str | None,
    workers: int | None,
    worker_memory: str | None,
    in_process: bool,
    retry: bool,
    as_json: bool,
) -> None:
    """Do the runs of SWEEP.toml that have no row yet.

    The exit code is 1 if a run failed: its row has the reason, and all others are done.
    """
    parent = file.parent.resolve()  # of devices and open files, such as /dev/stdin
    if (
        folder is None
        and file.exists()
        and (not file.is_file() or parent == Path("/dev") or parent.parts[1:2] == ("proc",))
    ):
        raise RequestError(f"{file} is no place for a folder of rows beside it; name one: -o DIR", "--output")
    folder = folder or file.with_suffix(ENDING)
    if folder == file:
        raise RequestError(f"{file} has the name of the folder of rows; name another one: -o DIR", "--output")
    spec = read_spec(file)
    where = Where(scheduler, workers, None if worker_memory is None else bytes_of(worker_memory), in_process)
    with progress() as show:
        try:
            line, tell = Line(show), partial(told, show=show)
            execute = executor_of(where, tell, line.now)
            done = run(spec, folder, compile_path, listed, execute, retry, line.far, tell)
        except ToolError as error:
            raise CliError(str(error)) from None
        except KeyboardInterrupt as signalled:
            show("")
            interrupted(
                f"interrupted; rows are kept in {folder}, and the same command resumes the sweep", code_of(signalled)
            )
    if as_json:
        click.echo(json.dumps({"folder": str(folder), **done._asdict()}))
    else:
        click.echo(_done(done, folder))
    if done.failed:
        say(f"{runs(done.failed)} failed: cpolc sweep report {quote(str(folder))} shows why; --retry repeats them")
        raise click.exceptions.Exit(EXIT_FAILURE)


def runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count:,} runs"


def told(what: str, show: Callable[[str], None]) -> None:
    """A note beside the progress line."""
    show("")
    say(what, "note")


def _done(done: Summary, folder: Path) -> str:
    before = f", {done.there:,} were there" if done.there else ""
    return shown(f"{folder}: {done.ended:,} of {done.runs:,} runs in {duration(done.seconds)}{before}")


FOLDER = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))


@command.command(name="status")
@FOLDER
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def status_(folder: Path, as_json: bool) -> None:
    """Show the progress of the sweep in DIR and the time left, also while it runs."""
    stored = store.stored(folder)
    found = status(stored)
    if as_json:
        click.echo(json.dumps({"folder": str(folder), **found._asdict(), "others": stored.others}))
        return
    click.echo(shown(f"{folder}: {_told(found)}"))


def _told(found: Status) -> str:
    failed = f", {found.failed:,} failed" if found.failed else ""
    now = "running" if found.running else "complete" if found.done == found.runs else "stopped"
    left = "" if found.left is None else f", about {duration(found.left)} left"
    last = "" if found.last is None or not found.running else f"; last rows {duration(time.time() - found.last)} ago"
    return f"{found.done:,} of {found.runs:,} runs{failed}; {now}{left}{last}"


@command.command(name="report")
@FOLDER
@click.option("--base", metavar="POLICY", help="Compare misses with this policy's.  [default: as the sweep says]")
@click.option("--all", "every", is_flag=True, help=f"Show all that failed, not only the first {SHOWN} reasons.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def report_(folder: Path, base: str | None, every: bool, as_json: bool) -> None:
    """Compare the policies of the sweep in DIR, and show what failed.

    The miss ratios are over the traces on which every policy ran with that capacity; `best` counts those on which none
    missed less.
    """
    stored = store.stored(folder)
    names = dict.fromkeys(row.policy for row in stored.rows.values())
    if base is not None and base not in names:
        raise RequestError(f"{base} has no row; there is {', '.join(names) or 'no row yet'}", "--base")
    found = report(stored, base)
    if as_json:
        lines, failed = ([each._asdict() for each in every_] for every_ in (found.lines, found.failed))
        click.echo(json.dumps({"folder": str(folder), "base": found.base, "lines": lines, "failed": failed}))
        return
    click.echo(shown(f"{folder}: {_told(status(stored))}"))
    if stored.others:
        click.echo(f"left out: {stored.others:,} rows of other runs, as of a policy or a trace before it changed")
    _tell(found, SHOWN if not every else len(found.failed))


def _tell(found: Report, most: int) -> None:
    width = max((len(line.policy) for line in found.lines), default=0)
    of_base = "" if found.base is None else f"{f'of {found.base}':>{max(10, len(found.base) + 5)}}"
    before = None
    for line in found.lines:
        if line.capacity != before:
            click.echo(f"\ncapacity {line.capacity}, {line.traces:,} trace{'s' * (line.traces != 1)}")
            click.echo(f"{'policy':<{width}}{'mean':>9}{'median':>9}{'best':>8}{of_base}")
            before = line.capacity
        best = "" if line.best is None else f"{line.best:,}"
        share = "" if line.of_base is None else f"{line.of_base:>{len(of_base)}.4f}"
        click.echo(shown(f"{line.policy:<{width}}{line.mean:>9.4f}{line.median:>9.4f}{best:>8}{share}"))
    if found.failed:
        click.echo("\nfailed")
        for each in found.failed[:most]:
            click.echo(shown(f"{each.trace}: {runs(each.runs)}: {each.error.removeprefix(f'{each.trace}: ')}"))
        if len(found.failed) > most:
            click.echo(f"and {len(found.failed) - most:,} more, which --all shows")
