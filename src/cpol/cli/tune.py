"""`cpolc tune`: the params of a policy that suit a trace, and what they gain on a part that did not choose them."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from shlex import quote

import click

from cpol.cli.errors import CliError, code_of
from cpol.cli.once import Once
from cpol.cli.progress import progress
from cpol.cli.sim.compiling import compile_policy
from cpol.cli.sim.evict import interrupted
from cpol.cli.sim.notes import note_lacking, note_lost
from cpol.cli.sweep import told as told_of
from cpol.cli.trace_options import file_memory, read_mapping, reading
from cpol.compiler.ir import MAX_BATCH
from cpol.compiler.toolchain.process import ToolError
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.simulate.advise.judging import capacity_of, check, no_room
from cpol.runtime.simulate.advise.tuning import AT_ONCE, Tuned, tune
from cpol.runtime.simulate.runs.assumptions import read_assumptions
from cpol.runtime.simulate.runs.capacity import all_in_pages
from cpol.runtime.simulate.runs.jobs import cores
from cpol.runtime.simulate.runs.room import batch_of, followed
from cpol.runtime.simulate.sweep.halves import on_workers
from cpol.runtime.simulate.sweep.unit import Reading
from cpol.runtime.simulate.traces import read

TRIALS = 100


@click.command(name="tune", cls=Once)
@click.argument("policy")
@reading
@file_memory
@click.option(
    "--batch",
    type=click.IntRange(1, MAX_BATCH),
    help="Pages that one eviction frees.  [default: 32 of a recording, else 1]",
)
@click.option("--trials", default=TRIALS, show_default=True, type=click.IntRange(2, 100_000), help="Settings to try.")
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0, 2**32 - 1), help="Seed of all that is drawn."
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Runs at a time, {AT_ONCE} at most.  [default: all processors]",
)
@click.option(
    "--scheduler",
    metavar="URL",
    help="Try the settings on the workers of a Dask scheduler: tcp://HOST:PORT. What tries them on samples, and what "
    "judges the best of them, stays here. It takes no recording.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    policy: str,
    path: Path,
    format: str | None,
    columns: tuple[str, ...],
    pages: bool,
    memory: str | None,
    batch: int | None,
    trials: int,
    seed: int,
    jobs: int | None,
    scheduler: str | None,
    as_json: bool,
) -> None:
    """Find the params of a policy that suit a trace.

    Settings inside the declared ranges are tried on the first half of the requests. The second half, by which nothing
    was chosen, tells what they gain, with a 95 % interval.

    POLICY is the name of a stdlib policy (cpolc stdlib list) or a path to a .cpol file.

    \b
    cpolc tune s3fifo app.rec
    cpolc tune lirs cluster52.oracleGeneral.bin --memory 0.1 --trials 300
    """
    mapped = read_mapping(",".join(columns)) if columns else None
    wanted = None if memory is None else capacity_of(memory)
    made = compile_policy(policy)
    if not made.policy.evicts:
        raise CliError(f"{made.policy.name} evicts nothing, and only what a policy evicts is tuned here")
    try:
        trace = read(path, format, pages=pages, details=True, columns=mapped)
        check(trace)
        note_lost(trace)
        note_lacking(made, trace, read_assumptions(()))
        room = followed(trace) if wanted is None else None
        if wanted is None and room is None:
            raise no_room(trace)
        fixed = room.mean if room else all_in_pages([wanted or 0], trace.distinct)[0]
        pages_of_batch = batch_of(trace, batch, False)
        with progress() as show, ExitStack() as stack:
            elsewhere = None
            if scheduler is not None:
                reading = Reading(format, ",".join(columns) or None, pages, details=True)
                where = on_workers(scheduler, trace, reading, lambda what: told_of(what, show))
                elsewhere = stack.enter_context(where)(fixed, pages_of_batch, seed)
            try:
                found = tune(
                    made,
                    trace,
                    room,
                    fixed,
                    batch=pages_of_batch,
                    seed=seed,
                    trials=trials,
                    jobs=jobs or cores(),
                    show=show,
                    elsewhere=elsewhere,
                )
            except KeyboardInterrupt as signalled:
                show("")
                interrupted("interrupted before all settings were tried; nothing is shown", code_of(signalled))
    except (SimulationError, ToolError, MachineError) as error:
        raise CliError(str(error)) from None
    options = "".join(f" --set {setting}" for setting in found.choice.settings.split())
    click.echo(json.dumps(facts(found, fixed, seed)) if as_json else told(found, quote(policy), options))


def facts(found: Tuned, pages: int, seed: int) -> dict[str, object]:
    halves = {"first_half": found.chosen, "second_half": found.judged}
    reads = {half: dict(zip(("declared", "found"), each, strict=True)) for half, each in halves.items()}
    head = {
        "policy": found.choice.name,
        "pages": pages,
        "trials": found.tried,
        "in_full": found.full,
        "seed": seed,
        "params": found.choice.texts,
    }
    return {**head, "disk_reads": reads, "ratio": found.ratio._asdict()}


def told(found: Tuned, policy: str, options: str) -> str:
    """What is printed."""
    name, ratio = found.choice.name, found.ratio
    lines = [f"{'':<14}{'declared':>12}{'found':>12}"]
    for half, reads in (("first half", found.chosen), ("second half", found.judged)):
        lines.append(f"{half:<14}{reads[0]:>12,}{reads[1]:>12,}")
    lines.append("disk reads; the first half chose, the second half judges")
    if found.full < found.tried:
        lines.append(f"{found.full} of {found.tried} settings ran on all pages, the others on a tenth of them only")
    if not found.choice.params:
        return "\n".join([f"{name}: of {found.tried} settings none is better than the declared one", *lines])
    saved = f"{1 - ratio.high:.1%} to {1 - ratio.low:.1%}"
    if ratio.high < 1:
        verdict = f"{name}{options} saves {saved} of the disk reads (95 %)"
    elif ratio.low > 1:
        verdict = f"{name}: keep the declared params: those that suit the first half read more in the second"
    else:
        verdict = f"{name}: keep the declared params: on the second half, others save {saved} (95 %), which may be none"
    lines = [verdict, *lines]
    if ratio.high < 1:
        lines.append(f"try it: cpolc attach {policy} CGROUP{options} --trial 10m")
    return "\n".join(lines)
