"""Guards standard output and error: a write error ends the program.

If the reader has closed the stream, the program ends quietly, or else with one message. Python's
own streams would raise an OSError, which a command could take for the error of another file.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, TextIO

from cpol.cli.errors import EXIT_BROKEN_PIPE, EXIT_WRITE, CliError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Guarded(io.FileIO):
    """A standard stream, as the raw layer of a file object."""

    def write(self, data: ReadableBuffer, /) -> int:
        """As `io.FileIO.write`.

        Raises:
            SystemExit: the write failed; later writes are discarded.
        """
        try:
            return super().write(data)
        except BrokenPipeError:
            self._close()
            sys.exit(EXIT_BROKEN_PIPE)
        except OSError as error:
            self._close()
            name = "standard error" if self.fileno() == 2 else "standard output"
            with suppress(OSError):
                os.write(2, f"cpolc: error: cannot write to {name}: {error.strerror}\n".encode())
            sys.exit(EXIT_WRITE)

    def _close(self) -> None:
        """Discard further writes. Python flushes its streams again at exit."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self.fileno())
        os.close(null)


def guard() -> None:
    """Replace `sys.stdout` and `sys.stderr` by guarded streams."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream: TextIO | None = getattr(sys, name)
        if stream is None:  # the descriptor was closed when Python started
            null = os.open(os.devnull, os.O_WRONLY)  # no file that is opened later may get its number
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, _Closed(number))
        else:
            setattr(sys, name, _guarded(stream))


def raw() -> BinaryIO:
    """Standard output for bytes, under a descriptor of its own: opened anew by its name, it would be truncated."""
    return io.BufferedWriter(_Guarded(os.dup(1), "wb"))


def of_editor() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for bytes, to speak with an editor.

    The first has a reader of its own, for a thread: it may still wait in it when the process ends, and Python would
    wait for `sys.stdin`.

    Raises:
        CliError: one of them is closed.
    """
    for name, closed in (("input", sys.stdin is None), ("output", isinstance(sys.stdout, _Closed))):
        if closed:
            raise CliError(f"standard {name} is closed; an editor starts this command with a pipe in its place")
    return io.BufferedReader(io.FileIO(0, closefd=False)), raw()


class _Closed(io.StringIO):
    """Stands for a standard stream that was closed from the start. Without standard error, nobody is to be told."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def write(self, text: str, /) -> int:
        """As `io.StringIO.write`.

        Raises:
            SystemExit: this is standard output.
        """
        if self.number == 1 and text:
            with suppress(OSError):
                os.write(2, b"cpolc: error: cannot write to standard output: it is closed\n")
            sys.exit(EXIT_WRITE)
        return len(text)


def _guarded(stream: TextIO) -> TextIO:
    raw = _Guarded(stream.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=bool(stream.line_buffering)
    )
