"""How a command ends: one clear message on standard error, and an exit code that tells what kind of failure it was."""

from __future__ import annotations

import os
import sys
from typing import IO, Any

import click

EXIT_FAILURE = 1
"""The input was understood and is wrong, or what was asked for failed."""

EXIT_USAGE = 2
"""The command line itself is wrong."""


class CliError(click.ClickException):
    """An error for the user: what is wrong, why, and what to do instead, in one message."""

    exit_code = EXIT_FAILURE

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"cpolc: error: {self.format_message()}", file=file or sys.stderr)


def use_colour(stream: IO[Any]) -> bool:
    """Whether to colour what goes to `stream`: a terminal, and NO_COLOR is not set (no-color convention)."""
    return stream.isatty() and not os.environ.get("NO_COLOR")
