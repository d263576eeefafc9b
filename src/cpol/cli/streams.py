"""Standard output and standard error whose write errors end the program: quietly when the reader has gone, else with
one message. Python's own streams would raise OSError, which is then taken for the error of some other file."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from cpol.cli.errors import EXIT_BROKEN_PIPE, EXIT_WRITE

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Guarded(io.FileIO):
    """A standard stream, as the lowest layer of a file object."""

    def write(self, data: ReadableBuffer, /) -> int:
        """As `io.FileIO.write`.

        Raises:
            SystemExit: the write failed; later writes go nowhere.
        """
        try:
            return super().write(data)
        except BrokenPipeError:
            self._close()
            sys.exit(EXIT_BROKEN_PIPE)
        except OSError as error:
            self._close()
            name = "standard output" if self.fileno() == 1 else "standard error"
            with suppress(OSError):
                os.write(2, f"cpolc: error: cannot write to {name}: {error.strerror}\n".encode())
            sys.exit(EXIT_WRITE)

    def _close(self) -> None:
        """Let the rest go nowhere: Python flushes its streams once more when it ends."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self.fileno())
        os.close(null)


def guard() -> None:
    """Replace `sys.stdout` and `sys.stderr` by streams that end the program when they cannot be written."""
    for name in ("stdout", "stderr"):
        stream: TextIO | None = getattr(sys, name)
        if stream is not None:  # its descriptor was open when Python began
            setattr(sys, name, _guarded(stream))


def _guarded(stream: TextIO) -> TextIO:
    raw = _Guarded(stream.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=bool(stream.line_buffering)
    )
