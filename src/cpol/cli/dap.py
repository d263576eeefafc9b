"""`cpolc dap`: the debug adapter."""

from __future__ import annotations

from functools import partial

import click

from cpol.cli import streams
from cpol.cli.messages import say
from cpol.cli.once import Once


@click.command(name="dap", cls=Once)
def command() -> None:
    """Step through a test or an event log in an editor: the Debug Adapter Protocol on standard
    input and output.

    An editor starts it, and ends it. It steps forward and back, event by event, as `cpolc step`
    does. docs/editor.md says what to write into an editor's settings.
    """
    from cpol.editor.dap.adapter import serve

    serve(*streams.of_editor(), tell=partial(say, severity="warning"))
