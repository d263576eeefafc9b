"""`cpolc help`: the same pages as `--help`."""

from __future__ import annotations

import click

from cpol.cli.once import Once


@click.command(name="help", cls=Once)
@click.argument("names", metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def command(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Show what a COMMAND does and its options; without one, list the commands."""
    shown = ctx.find_root()
    for name in names:
        group = shown.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"`{shown.command_path}` has no command `{name}` below it", shown)
        _, inner, _ = group.resolve_command(shown, [name])
        assert inner is not None
        shown = click.Context(inner, shown, name)
    click.echo(shown.get_help())
