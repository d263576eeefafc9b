"""`cpolc explain CODE`: explains a diagnostic, with a wrong and a right example."""

from __future__ import annotations

import difflib

import click

from cpol.cli.errors import CliError
from cpol.compiler.diagnostics.errors import explain, registry


@click.command()
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Explain CODE, such as E0209; without it, list all codes."""
    if code is None:
        for entry in registry().values():
            click.echo(f"{entry.code}  {entry.title}")
        return
    found = explain(code)
    if found is None:
        near = difflib.get_close_matches(code.upper(), registry(), n=1)
        hint = f"did you mean {near[0]}?" if near else "`cpolc explain` lists them"
        raise CliError(f"there is no code {code!r}; {hint}")
    click.echo(found.render())
