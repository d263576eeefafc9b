"""`cpolc list`: the attached policies."""

from __future__ import annotations

import click

from cpol.cli.loader_process import run_loader


@click.command(name="list")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help='As JSON: [{"cgroup": ID, "path": PATH, "policy": NAME, "state": STATE}, …].',
)
def command(as_json: bool) -> None:
    """List the attached policies and their cgroups.

    The state is attached, "cgroup removed", "overruled": the kernel detached it for its offences (cpolc stat tells the
    reason); or "broken off": a command was killed halfway. Then the cgroup has no policy until attach --replace or
    detach makes it good.
    """
    run_loader("list", *(["--json"] if as_json else []))
