"""`cpolc profile`: what a kernel can do."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Iterable
from pathlib import Path

import click

from cpol.cli.once import Once
from cpol.cli.output import put
from cpol.compiler.analysis.offers import offers
from cpol.kernel import profiles
from cpol.kernel.profiles.found import as_toml, lacks


@click.command(name="profile", cls=Once)
@click.argument("name", default=profiles.RUNNING)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the profile as a file for --profile.")
def command(name: str, as_json: bool, output: Path | None) -> None:
    """Say what the kernel of a profile can do; without NAME, the running one.

    The running kernel's profile is found by its BTF. What it lacks, since it is older than this
    cpolc, is left out. NAME is a profile that comes with cpol, or the path of a .toml file.

    \b
    cpolc profile                           what policies can do here
    cpolc profile -o this.toml              for --profile on another machine
    cpolc compile s3fifo --profile running  refuse what this kernel cannot carry
    """
    if output is not None and as_json:
        raise click.UsageError("--json prints facts, and -o writes a profile; give one")
    entries, path = profiles.entries(name)
    if "interface" in entries:
        entries = {**entries, "interface": str(path.parent.resolve() / entries["interface"])}
    if output is not None:
        put(as_toml(entries), output)
        return
    known = profiles.load(name)
    found = offers(known)
    here = name == profiles.RUNNING
    missing = lacks(profiles.entries(str(path))[0], entries) if here else []
    if as_json:
        facts = {"name": known.name, "about": known.about, **found.as_json(), "missing_names": missing}
        click.echo(json.dumps({**facts, "release": os.uname().release if here else None}))
        return
    click.echo(f"{f'Linux {os.uname().release}: ' if here else ''}{known.name}\n{known.about}\n")
    show("handlers", found.handlers)
    show("attributes", found.attributes)
    show("actions", found.actions)
    show("limits", [f"{key} {value:,}" for key, value in found.limits.items()])
    show("not here", found.lacks)
    if missing:
        show("older", [f"than this cpolc: it has no {' '.join(missing)}"])


def show(title: str, items: Iterable[str]) -> None:
    """A line of the table; long ones are wrapped."""
    text = ", ".join(items) or "none"
    click.echo(textwrap.fill(f"{title:<12}{text}", 100, subsequent_indent=" " * 12, break_on_hyphens=False))
