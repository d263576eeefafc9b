"""Writes a command's result to a file, atomically, or to standard output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from cpol.cli import streams
from cpol.cli.errors import CliError
from cpol.compiler.toolchain.files import replacing, write_atomically

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


def spare(option: str, path: Path, inputs: Iterable[Path]) -> None:
    """Refuse to write over a file that the command reads.

    Raises:
        CliError: `path` is one of them.
    """
    for other in inputs:
        if path != STDOUT and path.exists() and other.exists() and path.samefile(other):
            raise CliError(f"{option} {path} would write over {other}, which is read; give another file")


@contextmanager
def writing(output: Path) -> Iterator[BinaryIO]:
    """The file that `-o` names, to write. It takes its place when all is written; `-` is standard output as it is.

    Raises:
        OSError: it cannot be written.
        SystemExit: standard output cannot (streams.py).
    """
    if output == STDOUT:
        with streams.raw() as file:
            yield file
        return
    with replacing(output) as file:
        yield file
