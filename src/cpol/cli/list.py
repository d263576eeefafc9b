"""`cpolc list`: the attached policies."""

from __future__ import annotations

import click

from cpol.cli.loader_process import run_loader
from cpol.cli.once import Once


@click.command(name="list", cls=Once)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help='As JSON: [{"cgroup": ID, "path": PATH, "kind": "evict"|"prefetch", "policy": NAME, "state": STATE}, …].',
)
@click.option("--all", "every", is_flag=True, help="Also list the last 16 policies that ended.")
def command(as_json: bool, every: bool) -> None:
    """List the attached policies and their cgroups.

    \b
    The states are:
      attached          the policy governs
      cgroup removed    the cgroup no longer exists
      overruled         the watchdog detached the policy
      ended             the policy has ended; the line, and in JSON exit, code,
                        message and ended_ms, say how
      broken off        a killed command left the cgroup without a policy;
                        attach --replace or detach repairs it

    Of a policy that left nothing attached, or that another program attached, only the first 15
    characters of its name are known: those that the kernel keeps.
    """
    run_loader("list", *(["--all"] if every else []), *(["--json"] if as_json else []))
