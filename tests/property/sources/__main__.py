"""Commands for random policies as source text."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .load import glue, load
from .source import source


@click.group()
def main() -> None:
    """Random policies as source text."""


@main.command()
@click.option("--seed", default=0, show_default=True)
@click.option("--glue", "on", type=click.Choice(["patched", "module"]), default="patched", show_default=True)
@click.argument("number", type=int)
def show(seed: int, on: str, number: int) -> None:
    """Print policy NUMBER of a seed, as a glue gets it."""
    click.echo(source(number, seed, on == "patched", simulated=False)[0], nl=False)


@main.command("load")
@click.option("--seed", default=0, show_default=True)
@click.option("--first", default=0, show_default=True)
@click.option("--policies", default=200, show_default=True)
@click.option("--glue", "on", type=click.Choice(["patched", "module"]), default="patched", show_default=True)
@click.option("--kernel", type=click.Path(exists=True, path_type=Path), help="Image of another kernel with this glue.")
@click.option("--jobs", default=1, show_default=True, help="Machines at a time.")
def load_them(seed: int, first: int, policies: int, on: str, kernel: Path | None, jobs: int) -> None:
    """Compile policies, and attach each to a cgroup that reads a file; fail if one is refused."""
    refused = fell = evicting = 0
    for one in load(glue(on, kernel), seed, range(first, first + policies), jobs):
        evicting += one.evicted > 0
        if one.refusal:
            refused += 1
            click.echo(f"refused: policy {one.number}\n{one.refusal}")
            click.echo(f"again: tests/property/run-sources show --seed {seed} --glue {on} {one.number}")
        elif one.why:
            fell += 1
            click.echo(f"# policy {one.number}: evicted {one.evicted}, fallback {one.fallback}: {one.why}")
    click.echo(f"seed {seed}, first {first}: policies {policies} refused {refused} evicting {evicting} fallback {fell}")
    sys.exit(1 if refused else 0)


main()
