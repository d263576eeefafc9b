"""`cpolc dap`: the debug adapter."""

from __future__ import annotations

import io
import sys

import click

from cpol.cli.once import Once


@click.command(name="dap", cls=Once)
def command() -> None:
    """Step through a test or an event log in an editor: the Debug Adapter Protocol on standard
    input and output.

    An editor starts it, and ends it. It steps forward and back, event by event, as `cpolc step`
    does. docs/editor.md says what to write into an editor's settings.
    """
    from cpol.editor.dap.adapter import serve

    # A reader of its own: at the end of the process a thread still waits in it, and Python would wait for sys.stdin.
    serve(io.BufferedReader(io.FileIO(sys.stdin.fileno(), closefd=False)), sys.stdout.buffer)
