"""`cpolc advise`: which policy a workload wants, what it would save, and what it would not."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

import cpol
from cpol.cli.errors import CliError, code_of
from cpol.cli.messages import say, shown
from cpol.cli.once import Once
from cpol.cli.output import put, spare
from cpol.cli.progress import progress
from cpol.cli.record import write_recording
from cpol.cli.sim.compiling import compile_policy
from cpol.cli.sim.evict import interrupted
from cpol.cli.trace_options import read_mapping, reading
from cpol.cli.trial_options import DURATION
from cpol.compiler.policies import is_path
from cpol.compiler.toolchain.process import ToolError
from cpol.errors import RequestError
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.operate import loader
from cpol.runtime.simulate.advise import price
from cpol.runtime.simulate.advise.advise import FIRST, LEAST_READS, Advice, Request, Row, advise, fewer_waits
from cpol.runtime.simulate.advise.ahead import Prefetching
from cpol.runtime.simulate.advise.proposals import Suggestion
from cpol.runtime.simulate.advise.report import page
from cpol.runtime.simulate.runs.capacity import PAGE, all_in_pages, read_capacity
from cpol.runtime.simulate.runs.jobs import cores
from cpol.runtime.simulate.runs.room import batch_of, followed, no_capacity
from cpol.runtime.simulate.traces import Trace, read
from cpol.sizes import size

if TYPE_CHECKING:
    from decimal import Decimal

STATISTICS = Path("/proc/cache_ext/stat")

SHOWN = FIRST
"""Rows of the table, unless all are asked for."""

MARK = "?"
"""Behind disk reads that hang on the room, as behind misses of `cpolc sim`."""

TRIALS = 20

MEANT = {"scanners": "THREADS", "kept": "FILES", "scattered": "FILES"}
"""What the user has to look up of an input, if the trace cannot tell."""

PATHS = "# a recording has the paths of files in their file system; write those of this machine"

HOW = {
    "scanners": "# THREADS: the numbers of those that scan now (ps -eLo tid,comm); an application tells its own",
    "kept": PATHS,
    "scattered": PATHS,
}

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
                tell(path, asked, found, every, cgroup)
            if report is not None:
                with progress() as show:
                    text = page(asked, found, str(path), next_steps(found, cgroup), show)
                put(text.encode(errors="backslashreplace"), report)
    except (SimulationError, ToolError, MachineError) as error:
        raise CliError(str(error)) from None


def capacity_of(memory: str) -> int | Decimal:
    """The value of `--memory`, in pages or as a share. Raises RequestError."""
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
    if trace.governed:
        raise CliError(
            f"{trace.path}: {trace.governed} evicted while it was recorded, so it tells what that does, and not what "
            "the kernel's default does; detach the policy, and record again"
        )
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


def tell(path: Path, asked: Request, found: Advice, every: bool, cgroup: str) -> None:
    """Print the advice: verdict, table, memory, what was not seen, what to do next."""

    def put_line(text: str = "", bold: bool = False) -> None:
        click.secho(shown(text, keep=""), bold=bold or None)

    trace = asked.trace
    seconds = f" in {trace.times[-1] / 1000:,.1f} s" if trace.times else ""
    put_line(f"{path}: {trace.format}, {trace.requests:,} requests of {trace.distinct:,} pages{seconds}")
    put_line(f"The first half chose; the disk reads below are of the second half, {found.requests:,} requests.")
    put_line()
    put_line(found.verdict, bold=True)
    if found.kind != "withheld":
        put_line()
        for line in (*table(found, every), "", price.legend()):
            put_line(line)
        if any(row.hangs_on_room for row in (found.default, *found.rows)):
            put_line(f"{MARK}: with 3 % less room, the disk reads differ by more than 5 %.")
    if found.kind != "withheld" and found.prefetching is not None and found.prefetching.kernel is not None:
        put_line()
        for line in table_ahead(found.prefetching):
            put_line(line)
    if asked.policies and found.left:
        put_line("Not judged: " + "; ".join(f"{each.name} ({each.why})" for each in found.left))
    if found.memory is not None:
        now, more = size(found.pages * PAGE), size(found.pages * found.memory // 100 * PAGE)
        put_line()
        put_line(
            f"Memory: the default needs {more} ({found.memory} %) for what {found.best.choice.name} reads with {now}."
        )
    for row in found.rows if found.kind == "try" else ():
        if (proposal := row.choice.proposal) and row.against.high < 1:
            put_line(f"{row.choice.name} {'would be told' if proposal.input else 'suits'}: {proposal.words}.")
    if found.suggested:
        put_line()
        put_line("May help, and nothing tells how much:")
        for each in found.suggested:
            put_line(f"- {each.policy}: {each.words}; {each.why}. {way(each, cgroup)}")
    if found.doubts:
        put_line()
        put_line("Not seen, or not sure:")
        for doubt in found.doubts:
            put_line(f"- {doubt.text}")
    put_line()
    put_line("Next:")
    for line in next_steps(found, cgroup):
        put_line(f"    {line}")


def table(found: Advice, every: bool) -> list[str]:
    """The lines of the table."""
    rows: list[tuple[str, ...]] = [("policy", "disk reads", "saves", "95 % interval", "cached read", "settings")]
    if found.recorded is not None:
        rows.append(("the machine", f"{found.recorded:,}", "", "", "", "as recorded"))
    off = "" if found.off is None else f", off by {found.off:+.1%}"
    rows.append((found.default.choice.name, reads_of(found.default), "", "", "", f"the default, modelled{off}"))
    rows += [cells(row) for row in (found.rows if every else found.rows[:SHOWN])]
    if found.optimum is not None:
        saves = 1 - found.optimum / max(1, found.default.reads)
        rows.append(("belady", f"{found.optimum:,}", f"{saves:.1%}", "", "", "knows the future"))
    *numbers, _ = range(1, len(rows[0]))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = [
        "  ".join((f"{row[0]:<{widths[0]}}", *(f"{row[at]:>{widths[at]}}" for at in numbers), row[-1])).rstrip()
        for row in rows
    ]
    more = len(found.rows) - SHOWN
    return lines if every or more <= 0 else [*lines, f"… and {more} more: --all"]


def reads_of(row: Row) -> str:
    return f"{row.reads:,}{MARK if row.hangs_on_room else ''}"


def cells(row: Row) -> tuple[str, ...]:
    low, high = 1 - row.against.high, 1 - row.against.low
    saves = f"{1 - row.against.ratio:.1%}"
    interval = f"{low:.1%} to {high:.1%}"
    return row.choice.name, reads_of(row), saves, interval, price.said(row.choice.name), row.choice.settings


def table_ahead(found: Prefetching) -> list[str]:
    """The lines about policies that prefetch."""
    assert found.machine is not None and found.kernel is not None
    if found.why:
        return [f"Policies that prefetch are not judged: {found.why}."]
    rows: list[tuple[str, ...]] = [("prefetching", "waits", "saves", "disk reads", "saves")]
    rows.append(("the machine", f"{found.machine.waits:,}", "", f"{found.machine.reads:,}", ""))
    rows.append(("the kernel, modelled", f"{found.kernel.waits:,}", "", f"{found.kernel.reads:,}", ""))
    for row in found.rows:
        saved = [f"{1 - now / max(1, usual):.1%}" for now, usual in zip(row[1:], found.kernel[1:], strict=True)]
        rows.append((row.name, f"{row.waits:,}", saved[0], f"{row.reads:,}", saved[1]))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join((f"{row[0]:<{widths[0]}}", *(f"{row[at]:>{widths[at]}}" for at in range(1, 5)))).rstrip()
        for row in rows
    ]
    return [*lines, "", f"Waits are requests for a page that nobody was reading, of {found.requests:,} in all."]


def next_steps(found: Advice, cgroup: str) -> list[str]:
    """The commands to go on with. A word in capitals is for the user to fill in."""
    where = quote(cgroup) if cgroup != "CGROUP" else cgroup
    if found.kind == "try":
        best = found.best
        words = ["cpolc attach", quote(best.choice.name), where]
        words += [f"--set {quote(setting)}" for setting in best.choice.settings.split()]
        steps = []
        if (told := best.choice.proposal) is not None and told.input:
            keys = quote(f"{told.input}={','.join(told.live)}") if told.live else f"{told.input}={MEANT[told.input]}"
            words.append(f"--input {keys}")
            steps = [HOW[told.input]] if told.input in HOW else []
        # Refaults are fewer than disk reads by the first read of each page, so they fall by no smaller share.
        # What is read ahead in vain is hardly read again: without it, less is reclaimed.
        counted = "reclaimed" if told is not None and told.unbrought is not None else "refaults"
        rule = f"{counted} <= {(1 + best.against.ratio) / 2:.2f} * before"
        return [*steps, f"{' '.join(words)} --trial 10m --settle 2m --keep-if {quote(rule)}"]
    steps = []
    if (ahead := fewer_waits(found.prefetching)) is not None:
        rule = "--keep-if 'pressure <= before'"
        steps = [f"cpolc attach {quote(ahead.name)} {where} --trial 10m --settle 2m {rule}"]
    if found.kind == "keep":
        return [*steps, "cpolc advise TRACE --memory N    # what another size would change"]
    return [*steps, f"cpolc record {where} -o longer.rec --seconds 1800", "cpolc advise longer.rec"]


def way(suggestion: Suggestion, cgroup: str) -> str:
    """The commands that try a suggestion."""
    where = quote(cgroup) if cgroup != "CGROUP" else cgroup
    if suggestion.policy == "replay":
        return (
            f"Record a start alone, then: cpolc record --replay START.rec -o app.start; cpolc attach replay {where}; "
            f"cpolc input {where} start load app.start"
        )
    keys = quote(f"{suggestion.input}={','.join(suggestion.live)}") if suggestion.live else f"{suggestion.input}=FILES"
    return f"Try: cpolc attach {suggestion.policy} {where} --input {keys}"


def facts(path: Path, asked: Request, found: Advice, cgroup: str) -> dict[str, Any]:
    """The advice as JSON."""
    trace = asked.trace
    return {
        "trace": str(path),
        "format": trace.format,
        "version": cpol.__version__,
        "batch": asked.batch,
        "seed": asked.seed,
        "trials": asked.trials,
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
        "prefetching": None if found.prefetching is None else ahead_facts(found.prefetching),
        "suggested": [each._asdict() for each in found.suggested],
        "left_out": [left._asdict() for left in found.left],
        "next": next_steps(found, cgroup),
    }


def ahead_facts(found: Prefetching) -> dict[str, Any]:
    named = {"recorded": found.machine, "default": found.kernel}
    models = {
        name: None if each is None else {"waits": each.waits, "reads": each.reads} for name, each in named.items()
    }
    rows = [{"policy": row.name, "waits": row.waits, "reads": row.reads} for row in found.rows]
    return {**models, "requests": found.requests, "policies": rows, "withheld": found.why or None}


def row_facts(row: Row) -> dict[str, Any]:
    told = None
    if (proposal := row.choice.proposal) is not None and proposal.input:
        told = {"name": proposal.input, "keys": proposal.keys, "live": proposal.live, "words": proposal.words}
    return {
        "policy": row.choice.name,
        "params": dict(setting.split("=", 1) for setting in row.choice.settings.split()),
        "input": told,
        "reads": row.reads,
        "reads_with_less_room": row.less,
        "chosen_by_reads": row.chosen_by,
        "against_default": row.against._asdict(),
        "instructions_more": row_prices(row),
    }


def row_prices(row: Row) -> dict[str, dict[str, int]] | None:
    """What the policy adds to a cached read and to a miss, by kernel; None: it was not measured."""
    found = price.prices(row.choice.name)
    return None if found is None else {kernel: each._asdict() for kernel, each in found.items()}


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
