"""`cpolc gallery`: problems that people report, each as a workload, and what the default and policies do with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

import cpol
from cpol.cli.advise import tell
from cpol.cli.errors import CliError
from cpol.cli.once import Commands
from cpol.cli.progress import progress
from cpol.cli.trace import write
from cpol.compiler.diagnostics.words import suggest
from cpol.compiler.toolchain.process import ToolError
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.simulate.advise.advise import Request, advise
from cpol.runtime.simulate.advise.told import facts, lines
from cpol.runtime.simulate.advise.wanted import Pair, attaching, of_advice, on_model, reads_ahead, under_quota
from cpol.runtime.simulate.runs.jobs import cores
from cpol.runtime.simulate.runs.room import KERNEL_BATCH
from cpol.runtime.simulate.traces import TraceError
from cpol.runtime.simulate.traces.workload import Workload, play, read_workload

GALLERY = Path(next(iter(cpol.__path__)), "gallery").resolve()
"""The folder of the problems."""

MS = 1_000_000


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
            click.echo(f"{workload.name:12}{workload.advice:15}{workload.title}")


@command.command()
@click.argument("name")
@click.option("--all", "every", is_flag=True, help="Show all policies, not only the first ones.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def run(name: str, every: bool, as_json: bool) -> None:
    """Show the problem NAME: what people see, what the default reads, and what policies would."""
    workload = find(name)
    trace = play(workload)
    told = {"title": workload.title, "memory": workload.memory}
    try:
        if workload.quota is not None:
            pair = under_quota(workload, trace, workload.quota)
            if as_json:
                click.echo(json.dumps({**told, **pair_facts(pair), "model": "sim", "quota": workload.quota}))
                return
            head(workload)
            tell_pair(pair, "of all requests")
            click.echo(f"\nNext:\n    cpolc quota CGROUP {workload.quota}    # pages; or a size, such as 200M")
            return
        if (wanted := reads_ahead(workload)) is not None:
            pair = on_model(workload, trace, wanted)
            if as_json:
                click.echo(json.dumps({**told, **pair_facts(pair), "model": "prefetch"}))
                return
            head(workload)
            tell_pair(pair, "by the model of prefetching, in which waits and their time count, too")
            click.echo("\nNext:")
            for line in attaching(workload, wanted.policy):
                click.echo(f"    {line}")
            return
        with progress() as show:
            asked = Request(trace, None, workload.memory, KERNEL_BATCH, workload.seed, cores(), 0)
            found = advise(asked, show)
    except (SimulationError, ToolError) as error:
        raise CliError(str(error)) from None
    pair = of_advice(workload, found)
    if as_json:
        click.echo(
            json.dumps({**told, **pair_facts(pair), "model": "advise", **facts(Path(name), asked, found, "CGROUP")})
        )
        return
    head(workload)
    tell_pair(pair, "of all requests")
    click.echo()
    tell(lines(Path(name), asked, found, every, "CGROUP"))
    if workload.advice not in ("keep", found.best.choice.name):
        click.echo(f"\nThe gallery names {workload.advice}, which is told a name that stays.")


def head(workload: Workload) -> None:
    click.secho(workload.title, bold=True)
    click.echo(f"{workload.text}\nReported: {'; '.join(workload.reported)}\n")


def tell_pair(pair: Pair, how: str) -> None:
    """Print what the default reads, and what the policy does."""
    rows = [each for each in pair if each is not None]
    width = max(len(each.policy) for each in rows)
    for when, each in zip(("before:", "after: "), rows, strict=False):
        share = f"  {pair.share:.2f} of the default's" if each is pair.after else ""
        waits = "" if each.waited_ns is None else f"  {each.waits:>7,} waits, {each.waited_ns / MS:,.1f} ms"
        cached = "" if each.cached is None else f"  {each.cached:>7,} pages cached"
        click.echo(f"{when} {each.policy:<{width}}  {each.pages:>7,} disk reads{waits}{cached}{share}")
    click.echo("after:  the same, since no policy saves enough" if pair.after is None else f"({how})")
    click.echo("These requests are of a model. In a machine the ratio may differ: docs/measured/gallery.md has both.")


def pair_facts(pair: Pair) -> dict[str, Any]:
    """Both as JSON."""
    before, after = (each and each._asdict() for each in pair)
    return {"before": before, "after": after, "share": pair.share}


@command.command()
@click.argument("name")
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="The file to write; -: standard output."
)
def trace(name: str, output: Path) -> None:
    """Write the requests of the problem NAME as CSV, and say which --columns read it."""
    write(play(find(name)), output, "csv")
