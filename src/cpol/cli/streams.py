"""Guards standard output and error: a write error ends the program.

If the reader has closed the stream, the program ends quietly, or else with one message. Python's
own streams would raise an OSError, which a command could take for the error of another file.
"""

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
            name = "standard output" if self.fileno() == 1 else "standard error"
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
    for name in ("stdout", "stderr"):
        stream: TextIO | None = getattr(sys, name)
        if stream is not None:  # None if the descriptor was closed when Python started
            setattr(sys, name, _guarded(stream))


def _guarded(stream: TextIO) -> TextIO:
    raw = _Guarded(stream.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=bool(stream.line_buffering)
    )
