"""`cpolc stat`: the kernel's statistics of a policy."""

from __future__ import annotations

import click

from cpol.cli.objects import run_loader


@click.command(name="stat")
@click.argument("cgroup", required=False)
@click.option("--id", "cgroup_id", type=click.IntRange(min=1), help="Name the cgroup by its id.")
@click.option("--json", "as_json", is_flag=True, help="As a JSON object.")
def command(cgroup: str | None, cgroup_id: int | None, as_json: bool) -> None:
    """Show what the policy of CGROUP has done: events, what it owns, what it evicted, what fell back to the kernel."""
    if (cgroup is None) == (cgroup_id is None):
        raise click.UsageError("name the cgroup by its path, or by --id")
    which = [cgroup] if cgroup is not None else ["--id", str(cgroup_id)]
    run_loader("stat", *which, *(["--json"] if as_json else []))
