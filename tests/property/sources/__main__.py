"""Commands for random policies as source text."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from .aimed import aimed
from .load import glue, load
from .source import source
from .verify import verify


@click.group()
def main() -> None:
    """Random policies as source text."""


@main.command()
@click.option("--seed", default=0, show_default=True)
@click.option("--glue", "on", type=click.Choice(["patched", "module"]), default="patched", show_default=True)
@click.option("--aimed", "at_paths", is_flag=True, help="One that is aimed at the verifier's paths.")
@click.argument("number", type=int)
def show(seed: int, on: str, at_paths: bool, number: int) -> None:
    """Print policy NUMBER of a seed, as a glue gets it."""
    text = aimed(number, seed) if at_paths else source(number, seed, on == "patched", simulated=False)[0]
    click.echo(text, nl=False)


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


@main.command("verify")
@click.option("--seed", default=0, show_default=True)
@click.option("--first", default=0, show_default=True)
@click.option("--policies", default=200, show_default=True)
@click.option("--jobs", default=1, show_default=True, help="Processes at a time.")
@click.option("--aimed", "at_paths", is_flag=True, help="Policies that are aimed at the verifier's paths.")
def verify_them(seed: int, first: int, policies: int, jobs: int, at_paths: bool) -> None:
    """Compile policies, and load each into the patched kernel as a process of the host; fail if one is refused."""
    start, kind = time.monotonic(), " --aimed" if at_paths else ""
    refused = instructions = most = slowest = 0
    for done, one in enumerate(verify(seed, range(first, first + policies), jobs, at_paths), 1):
        if one.refusal:
            refused += 1
            click.echo(f"refused: policy {one.number}\n{one.refusal}")
            click.echo(
                f"again: tests/property/run-sources verify{kind} --seed {seed} --first {one.number} --policies 1"
            )
        instructions += one.instructions
        most, slowest = max(most, one.instructions), max(slowest, one.ms)
        if done % 1000 == 0:
            click.echo(f"# {done} of {policies}, refused {refused}, {time.monotonic() - start:.0f} s")
    click.echo(
        f"seed {seed}{kind}, first {first}: policies {policies} refused {refused}; "
        f"{instructions} instructions verified, at most {most} of a policy, in at most {slowest} ms; "
        f"{time.monotonic() - start:.0f} s"
    )
    sys.exit(1 if refused else 0)


main()
