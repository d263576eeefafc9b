"""Groups of commands of which one, `run`, takes a TOML file: `cpolc sweep FILE`, `cpolc study FILE`."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from cpol.cli.once import Commands
from cpol.compiler.diagnostics.words import suggest


class FileCommands(Commands):
    """A group whose command `run` runs the TOML file that is named, if no command is."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            if not Path(args[0]).exists() and (meant := suggest(args[0], self.commands)) and not ctx.resilient_parsing:
                raise click.UsageError(f"there is no file and no command `{args[0]}`; {meant}", ctx)
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        files = sorted(path.name for path in Path().glob("*.toml") if path.name.startswith(incomplete))
        return [*super().shell_complete(ctx, incomplete), *map(CompletionItem, files)]
