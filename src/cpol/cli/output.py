"""Writes a command's result to a file, atomically, or to standard output."""

from __future__ import annotations

from pathlib import Path

import click

from cpol.cli.errors import CliError
from cpol.compiler.toolchain.files import write_atomically

STDOUT = Path("-")
"""The value of `-o` for standard output."""


def put(content: str | bytes, output: Path | None) -> None:
    """Write `content` to the file `output`, or to standard output if it is None or `-`.

    It writes into devices, pipes and sockets such as `/dev/null`, and replaces regular files
    atomically.

    Raises:
        CliError: the file cannot be written.
    """
    if output is None or output == STDOUT:
        click.echo(content, nl=False)
        return
    data = content.encode() if isinstance(content, str) else content
    try:
        write_atomically(output, data)
    except OSError as error:
        raise CliError(f"cannot write {output}: {error.strerror}") from None
