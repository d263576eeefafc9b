"""`cpolc set`: what the params of an attached policy are, and other values for those that are live."""

from __future__ import annotations

import click

from cpol.cli.loader_process import run_loader


@click.command(name="set")
@click.argument("cgroup")
@click.argument("settings", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--json", "as_json", is_flag=True, help="Show the params as JSON.")
def command(cgroup: str, settings: tuple[str, ...], as_json: bool) -> None:
    """Change live params of the policy of CGROUP while it runs; without settings, show all params.

    All settings are checked before the first one is made. What is not declared live takes another value only when the
    policy is attached: cpolc attach --replace --set.
    """
    if as_json and settings:
        raise click.UsageError("--json shows the params: it goes without settings")
    run_loader("set", *(["--json"] if as_json else []), "--", cgroup, *settings)
