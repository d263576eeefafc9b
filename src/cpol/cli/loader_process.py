"""Runs the loader. It is apart from `objects`, so commands that compile nothing start without the compiler."""

from __future__ import annotations

import click

from cpol.cli.errors import CliError
from cpol.runtime.operate import loader


def run_loader(*arguments: str) -> None:
    """Run the loader with the given arguments.

    Raises:
        CliError: there is no loader.
        click.exceptions.Exit: the loader failed, and has printed why.
    """
    try:
        status = loader.run(arguments)
    except loader.LoaderError as error:
        raise CliError(str(error)) from None
    if status != 0:
        raise click.exceptions.Exit(status if status > 0 else 128 - status)
