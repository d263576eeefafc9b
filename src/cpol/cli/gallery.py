"""`cpolc gallery`: problems that people report, each as a workload, and what the default and policies do with it."""

from __future__ import annotations

import json
from pathlib import Path

import click

import cpol
from cpol.cli.advise import facts, tell
from cpol.cli.errors import CliError
from cpol.cli.once import Commands
from cpol.cli.progress import progress
from cpol.cli.trace import write
from cpol.compiler.diagnostics.words import suggest
from cpol.compiler.toolchain.process import ToolError
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.simulate.advise.advise import Request, advise
from cpol.runtime.simulate.runs.jobs import cores
from cpol.runtime.simulate.runs.room import KERNEL_BATCH
from cpol.runtime.simulate.traces import TraceError
from cpol.runtime.simulate.traces.workload import Workload, play, read_workload

GALLERY = Path(next(iter(cpol.__path__)), "gallery").resolve()
"""The folder of the problems."""


@click.group(name="gallery", cls=Commands)
def command() -> None:
    """Known problems of the page cache: a workload that shows each, and the policy that it wants.

    \b
    cpolc gallery list
    cpolc gallery run backup
    cpolc gallery trace backup -o backup.csv
    """


def names() -> list[str]:
    return sorted(path.stem for path in GALLERY.glob("*.toml"))


def find(name: str) -> Workload:
    """The problem of this name. Raises CliError."""
    if name not in names():
        hint = suggest(name, names()) or "`cpolc gallery list` shows what is"
        raise CliError(f"`{name}` is not in the gallery; {hint}")
    try:
        return read_workload(GALLERY / f"{name}.toml")
    except TraceError as error:
        raise CliError(str(error)) from None


@command.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def list_(as_json: bool) -> None:
    """List the problems, and the policy that each wants."""
    for workload in map(find, names()):
        if as_json:
            told = {"name": workload.name, "title": workload.title, "advice": workload.advice}
            click.echo(json.dumps({**told, "reported": workload.reported, "memory": workload.memory}))
        else:
            click.echo(f"{workload.name:12}{workload.advice:12}{workload.title}")


@command.command()
@click.argument("name")
@click.option("--all", "every", is_flag=True, help="Show all policies, not only the first ones.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def run(name: str, every: bool, as_json: bool) -> None:
    """Show the problem NAME: what people see, what the default reads, and what policies would."""
    workload = find(name)
    trace = play(workload)
    try:
        with progress() as show:
            asked = Request(trace, None, workload.memory, KERNEL_BATCH, workload.seed, cores(), 0)
            found = advise(asked, show)
    except (SimulationError, ToolError) as error:
        raise CliError(str(error)) from None
    if as_json:
        click.echo(
            json.dumps(
                {"title": workload.title, "memory": workload.memory, **facts(Path(name), asked, found, "CGROUP")}
            )
        )
        return
    click.secho(workload.title, bold=True)
    click.echo(f"{workload.text}\nReported: {'; '.join(workload.reported)}\n")
    tell(Path(name), asked, found, every, "CGROUP")
    if workload.advice not in ("keep", found.best.choice.name):
        saves = next(1 - row.against.ratio for row in found.rows if row.choice.name == workload.advice)
        click.echo(f"\nThe gallery names {workload.advice}, which saves {saves:.0%} and is told a name that stays.")


@command.command()
@click.argument("name")
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="The file to write; -: standard output."
)
def trace(name: str, output: Path) -> None:
    """Write the requests of the problem NAME as CSV, and say which --columns read it."""
    write(play(find(name)), output, "csv")
