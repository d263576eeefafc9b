"""`cpolc lsp`: the language server."""

from __future__ import annotations

import importlib.util
from contextlib import suppress
from functools import partial

import click

from cpol.cli import streams
from cpol.cli.errors import CliError
from cpol.cli.messages import say
from cpol.cli.once import Once

MISSING = "pygls 2 or newer, which speaks with editors, is not installed: pip install 'pygls>=2'"


def installed() -> bool:
    """Whether pygls is there, and new enough; it is not imported."""
    with suppress(ModuleNotFoundError):
        return importlib.util.find_spec("pygls.lsp.server") is not None
    return False


@click.command(name="lsp", cls=Once)
@click.option("--stdio", is_flag=True, help="Speak on standard input and output. It always does; editors pass this.")
def command(stdio: bool) -> None:
    """Serve an editor: the Language Server Protocol on standard input and output.

    An editor starts it, and ends it. docs/editor.md says what to write into its settings. It needs
    the Python package pygls.
    """
    if not installed():
        raise CliError(MISSING)
    from cpol.editor.lsp.server import serve

    serve(*streams.of_editor(), tell=partial(say, severity="warning"))
