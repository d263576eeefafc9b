"""Texts of policies that a command mends: from a file, which it replaces, or from standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from cpol.cli.errors import CliError
from cpol.compiler.syntax.read import MAX_BYTES, decode, read_file
from cpol.compiler.toolchain.files import is_device

STDIN = "-"


def regular_file(path: str) -> str:
    """The text of a file. Nobody waits for a pipe, which cannot be replaced.

    Raises:
        CompileError: it cannot be read.
        CliError: it is no file.
    """
    if is_device(Path(path)) and not Path(path).is_dir():
        raise CliError(f"{path} is no regular file; write `-` for standard input")
    return read_file(path)


def standard_input() -> str:
    """The text that comes on standard input.

    Raises:
        CompileError: it is no text.
        CliError: it is closed.
    """
    if sys.stdin is None:  # the descriptor was closed when Python started
        raise CliError("standard input is closed; name a file, or give a policy by a pipe")
    return decode(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>")
