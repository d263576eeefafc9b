"""`cpolc list`: the attached policies."""

from __future__ import annotations

import click

from cpol.cli.objects import run_loader


@click.command(name="list")
@click.option("--json", "as_json", is_flag=True, help='As JSON: [{"cgroup": ID, "path": PATH, "policy": NAME}, …].')
def command(as_json: bool) -> None:
    """List the attached policies and their cgroups."""
    run_loader("list", *(["--json"] if as_json else []))
