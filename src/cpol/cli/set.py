"""`cpolc set`: shows the params of an attached policy, and changes live ones."""

from __future__ import annotations

import click

from cpol.cli.loader_process import run_loader
from cpol.cli.once import Once
from cpol.cli.prefetch_option import prefetch_option
from cpol.runtime.operate.loader.options import policy_words


@click.command(name="set", cls=Once)
@click.argument("cgroup")
@click.argument("settings", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--json", "as_json", is_flag=True, help="Show the params as JSON.")
@prefetch_option
def command(cgroup: str, settings: tuple[str, ...], as_json: bool, prefetch: bool) -> None:
    """Change live params of the policy of CGROUP while it runs; without settings, show all params.

    cpolc checks all settings before it makes the first one. Params that are not live change only
    when the policy is attached again: cpolc attach --replace --set.
    """
    if as_json and settings:
        raise click.UsageError("--json shows the params: it goes without settings")
    run_loader("set", *policy_words(prefetch), *(["--json"] if as_json else []), "--", cgroup, *settings)
