"""Readers of text that tell the requests of each line as a line of CSV, which the parser in C then reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from cpol.runtime.simulate.traces.columns import Columns
from cpol.runtime.simulate.traces.errors import TraceError

MAX_LINE = 65536


class LineReader(Protocol):
    """Reads one trace, line by line."""

    columns: Columns
    """What `line` returns."""

    def line(self, raw: bytes) -> str:
        """The request of the next line as CSV; empty: it has none. A line number of this CSV is that of the trace.

        Raises:
            ValueError: the line is wrong; the message does not name it.
        """

    def finish(self) -> None:
        """The trace ended. Raises ValueError if it is cut."""

    @property
    def carries(self) -> frozenset[str]:
        """Of file, page, thread, process, time, rw: what the requests told."""


def as_csv(reader: LineReader, path: Path, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The CSV of a trace that comes in pieces.

    Raises:
        TraceError: a line is wrong.
    """
    number, rest = 0, b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield _converted(reader, path, whole, number)
        number += len(whole)
        if len(rest) > MAX_LINE:
            raise _long(path, number + 1)
    if rest:
        yield _converted(reader, path, [rest], number)
    try:
        reader.finish()
    except ValueError as error:
        raise TraceError(f"{path}: {error}") from None


def _converted(reader: LineReader, path: Path, lines: list[bytes], before: int) -> bytes:
    out = []
    for number, raw in enumerate(lines, before + 1):
        if len(raw) > MAX_LINE:
            raise _long(path, number)
        try:
            out.append(reader.line(raw) + "\n")
        except ValueError as error:
            raise TraceError(f"{path}: line {number}: {error}") from None
    return "".join(out).encode(errors="surrogateescape")


def _long(path: Path, number: int) -> TraceError:
    return TraceError(f"{path}: line {number}: the line is longer than {MAX_LINE} bytes: this is not a trace of text")
