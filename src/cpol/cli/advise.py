"""`cpolc advise`: which policy a workload wants, what it would save, and what it would not."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shlex import quote

import click

from cpol.cli.errors import CliError, code_of
from cpol.cli.messages import say
from cpol.cli.once import Once
from cpol.cli.output import put, spare
from cpol.cli.progress import progress
from cpol.cli.record import write_recording
from cpol.cli.sim.compiling import compile_policy
from cpol.cli.sim.evict import interrupted
from cpol.cli.trace_options import file_memory, read_mapping, reading
from cpol.cli.trial_options import DURATION
from cpol.compiler.policies import is_path
from cpol.compiler.toolchain.process import ToolError
from cpol.errors import RequestError
from cpol.printable import shown
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.operate import loader
from cpol.runtime.simulate.advise.advise import Request, advise
from cpol.runtime.simulate.advise.judging import capacity_of, check, no_room
from cpol.runtime.simulate.advise.report import page
from cpol.runtime.simulate.advise.told import SHOWN, Line, facts, lines, next_steps
from cpol.runtime.simulate.runs.capacity import all_in_pages
from cpol.runtime.simulate.runs.jobs import cores
from cpol.runtime.simulate.runs.room import batch_of, followed
from cpol.runtime.simulate.traces import read

STATISTICS = Path("/proc/cache_ext/stat")

TRIALS = 20


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
@file_memory
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
    wanted = None if memory is None else capacity_of(memory)
    if twice := next((name for name in policies if policies.count(name) > 1), None):
        raise RequestError(f"{twice} is given twice; name each policy once", "--policy")
    check_outputs(path, policies, keep, report)
    try:
        for name in policies:
            compile_policy(name)  # which shows what is wrong with it
        with recording(path, seconds, keep) as file:
            trace = read(file, format, pages=pages, details=True, columns=mapped)
            check(trace)
            room = followed(trace) if wanted is None else None
            if wanted is None and room is None:
                raise no_room(trace)
            fixed = 0 if wanted is None else all_in_pages([wanted], trace.distinct)[0]
            settings = (batch_of(trace, None, True), seed, jobs or cores(), able(trials), policies)
            asked = Request(trace, room, room.mean if room else fixed, *settings)
            with progress() as show:
                try:
                    found = advise(asked, show)
                except KeyboardInterrupt as signalled:
                    show("")
                    interrupted("interrupted before all runs had ended; nothing is advised", code_of(signalled))
            cgroup = str(path) if seconds is not None else "CGROUP"
            if as_json:
                click.echo(json.dumps(facts(path, asked, found, cgroup)))
            else:
                tell(lines(path, asked, found, every, cgroup))
            if report is not None:
                with progress() as show:
                    text = page(asked, found, str(path), next_steps(found, cgroup), show)
                put(text.encode(errors="backslashreplace"), report)
    except (SimulationError, ToolError, MachineError) as error:
        raise CliError(str(error)) from None


def tell(some: Iterable[Line]) -> None:
    """Print the lines of an advice. Others chose the names in them."""
    for line in some:
        click.secho(shown(line.text, keep=""), bold=line.bold or None)


def able(trials: int) -> int:
    """How many settings are tried, with a note if none can be."""
    if trials and find_spec("optuna") is None:
        say("params stay as declared: optuna, which tunes them, is not installed: pip install optuna", "note")
        return 0
    return trials


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
        write_recording(str(path), file, max(1, math.ceil(seconds)))
        yield file


def refuse_governed(path: Path) -> None:
    """Refuse a cgroup that has a policy, or is below one that has. Raises CliError."""
    if not STATISTICS.exists():
        return  # a kernel without cache_ext has no policies
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


def check_outputs(trace: Path, policies: Sequence[str], keep: Path | None, report: Path | None) -> None:
    """Check, before anything runs, what would be written. Raises click.BadParameter, CliError."""
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise click.BadParameter(f"{report} has no known ending; give .html", param_hint="'--report'")
    inputs = [trace, *(Path(name) for name in policies if is_path(name))]
    for option, output in (("--keep", keep), ("--report", report)):
        if output is not None:
            spare(option, output, inputs)
            if not output.absolute().parent.is_dir():
                raise CliError(f"{option} {output}: there is no folder {output.parent}")
    if keep is not None and report is not None and keep.absolute() == report.absolute():
        raise CliError(f"--keep and --report are both {keep}; give two files")
