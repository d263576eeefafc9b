"""Reads a trace."""

from __future__ import annotations

import codecs
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

from cpol.runtime.traces import formats, parquet, source
from cpol.runtime.traces.blktrace import Blktrace
from cpol.runtime.traces.columns import COLUMNS, Columns
from cpol.runtime.traces.errors import TraceError
from cpol.runtime.traces.event_log import EventLog
from cpol.runtime.traces.lines import LineReader, as_csv
from cpol.runtime.traces.parser import RECORD, Comms, Names, Parser, belady_misses, count_distinct
from cpol.runtime.traces.recording import Recording

_LINE_READERS: dict[str, Callable[[], LineReader]] = {"blktrace": Blktrace, "log": EventLog, "record": Recording}


@dataclass(frozen=True)
class Trace:
    """A sequence of requests. Each is the id of an object, or of one of its pages."""

    path: Path
    format: str
    ids: array[int]  # of type Q
    deletions: int  # skipped operations that delete
    times: array[int] | None = None  # milliseconds since the first request, if the format has times
    tasks: array[int] | None = None  # threads of the requests: the client in a Twitter trace
    processes: array[int] | None = None
    comms: Comms | None = None
    writes: array[int] | None = None  # 1: the request writes
    names: Names | None = None  # what the ids name, if the trace has files
    carries: frozenset[str] = frozenset()  # of file, page, thread, process, comm, time, rw: what the requests tell
    lost: int = 0  # events that happened, and are not in a recording

    def telling(self, carries: frozenset[str]) -> Trace:
        """The trace, if its requests tell so much: columns that nothing was in are dropped."""
        columns = (("time", self.times), ("thread", self.tasks), ("process", self.processes), ("rw", self.writes))
        times, tasks, processes, writes = (column if fact in carries else None for fact, column in columns)
        comms = self.comms if "comm" in carries else None
        told = replace(self, times=times, tasks=tasks, processes=processes, comms=comms, writes=writes)
        return replace(told, carries=carries)

    def part(self, start: int, stop: int) -> Trace:
        """The requests from number `start` to the one before `stop`, as far as there are any."""
        times, tasks, processes, writes = (
            None if column is None else column[start:stop]
            for column in (self.times, self.tasks, self.processes, self.writes)
        )
        comms = None if self.comms is None else self.comms._replace(numbers=self.comms.numbers[start:stop])
        return replace(
            self,
            ids=self.ids[start:stop],
            times=times,
            tasks=tasks,
            processes=processes,
            comms=comms,
            writes=writes,
        )

    @cached_property
    def distinct(self) -> int:
        """The number of different objects."""
        return count_distinct(self.ids)

    def belady_misses(self, capacity: int) -> int:
        """The fewest misses that a cache of `capacity` pages can have, if it admits every page (Belady's MIN)."""
        return belady_misses(self.ids, self.distinct, capacity)


def read(
    path: Path,
    format: str | None = None,
    *,
    pages: bool = False,
    details: bool = False,
    columns: Columns | None = None,
) -> Trace:
    """Read the trace in a file, which may be compressed.

    Args:
        format: one of FORMATS; None: found from the file.
        pages: cut requests into ids of 4 KiB pages: all pages of the object, or in block traces all that the request
            touches. Otherwise a request is one id, no matter how large its object is.
        details: keep times and tasks, if the format has them.
        columns: where a CSV trace has what.

    Raises:
        TraceError: the file has no such trace; the message says where and why.
    """
    try:
        name = None if format is None else formats.format_of(format)
        if name in (None, "parquet") and parquet.is_parquet(path):
            return _read_parquet(path, columns, pages, details)
        if columns is None:
            return _read(path, name, pages, details)
        if name not in (None, "csv"):
            raise TraceError(f"{path}: {name} traces have no columns to choose; leave out --columns, or --format")
        return _read_columns(path, columns, pages, details)
    except MemoryError:
        raise TraceError(f"{path}: out of memory; cut the trace") from None


def _read(path: Path, format: str | None, pages: bool, details: bool) -> Trace:
    pieces, head, whole = _open(path)
    if format is not None:
        formats.check(path, format, head, whole)
    name = format or formats.find(path, head, whole)
    if pages and name not in formats.SIZED:
        raise TraceError(f"{path}: {name} traces have no sizes of objects; leave out --pages")
    if name in _LINE_READERS:
        reader = _LINE_READERS[name]()
        cut = pages or name == "record"
        trace = _parse(path, name, as_csv(reader, path, chain((head,), pieces)), reader.columns, cut, details)
        lost = reader.lost if isinstance(reader, Recording) else 0
        return replace(trace.telling(reader.carries), lost=lost)
    if name == "parquet":
        raise TraceError(f"{path}: Parquet is read from a file only, not from a pipe, nor compressed as a whole")
    layout = _layout(path, name, head)
    _check_size(path, layout)
    parser = Parser(path, layout, pages, details)
    for piece in chain((head,), pieces):
        parser.feed(piece)
    ids, deletions = parser.finish()
    if not ids:
        raise TraceError(f"{path}: no requests in the trace, read as {name}; name another file, or another --format")
    carries = formats.CARRIES[name] | ({"page"} if pages and name == "vscsi" else set())
    times, tasks, _ = parser.details()
    return Trace(path, name, ids, deletions, times, tasks, carries=carries)


def _read_columns(path: Path, columns: Columns, pages: bool, details: bool) -> Trace:
    """Read a CSV trace whose columns the user names."""
    if pages and "size" not in columns.places:
        raise TraceError(f"{path}: --columns names no column of sizes; add size=COLUMN, or leave out --pages")
    pieces, head, _ = _open(path)
    placed = Columns(dict(zip(COLUMNS, columns.numbers(path, head), strict=True)), columns.time_unit)
    pieces = chain((head,), pieces)
    trace = _parse(path, "csv", pieces, placed, pages, details, heading=columns.by_heading)
    return trace.telling(columns.carries)


def _read_parquet(path: Path, columns: Columns | None, pages: bool, details: bool) -> Trace:
    file = parquet.Parquet(path, columns)
    if pages and "size" not in file.columns.places:
        raise TraceError(f"{path}: it has no column of sizes; add size=COLUMN to --columns, or leave out --pages")
    return _parse(path, "parquet", file.lines(), file.columns, pages, details, unit="row").telling(file.columns.carries)


def _parse(
    path: Path,
    name: str,
    pieces: Iterable[bytes],
    columns: Columns,
    pages: bool,
    details: bool,
    *,
    heading: bool = False,
    unit: str = "line",
) -> Trace:
    """Read CSV whose columns have numbers."""
    parser = Parser(path, "columns", pages, details, unit)
    parser.map(columns.numbers(path, b""), columns.time_unit, heading=heading)
    for piece in pieces:
        parser.feed(piece)
    ids, _ = parser.finish()
    if not ids:
        said = "csv with --columns" if name == "csv" else name
        raise TraceError(f"{path}: no requests in the trace, read as {said}; name another file")
    times, tasks, processes = parser.details()
    return Trace(path, name, ids, 0, times, tasks, processes, parser.comms(), parser.writes(), parser.names())


def _open(path: Path) -> tuple[Iterator[bytes], bytes, bool]:
    """The pieces of a file after its head, the head, and whether that is all.

    Raises:
        TraceError: it cannot be read, or is empty.
    """
    pieces = source.chunks(path)
    head, whole = _head(pieces)
    source.check_readable(path, head)
    if b"\0" not in head:
        head = head.removeprefix(codecs.BOM_UTF8)
    if not head:
        raise TraceError(f"{path}: the trace is empty; name a file with requests")
    return pieces, head, whole


def _head(pieces: Iterator[bytes]) -> tuple[bytes, bool]:
    """Enough of the contents to find the format, and whether that is the whole trace."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= source.CHUNK // 4:
            return head, False
    return head, True


def _check_size(path: Path, layout: str) -> None:
    """Check that an uncompressed binary trace consists of whole records, before it is read.

    Raises:
        TraceError: it does not.
    """
    size, record = source.plain_size(path), RECORD.get(layout)
    if record and size is not None and size % record:
        raise TraceError(
            f"{path}: {size:,} bytes are not a multiple of {record}, the size of a record of {layout.rstrip('12')}: "
            "the trace is cut off, or of another format; fetch it again, or give another --format"
        )


def _layout(path: Path, name: str, head: bytes) -> str:
    """The parser's name of the format: vscsi has two versions."""
    if name != "vscsi":
        return name
    version = formats.vscsi_version(head[: 40 if len(head) >= 40 else 32])
    if version is None:
        raise TraceError(f"{path}: record 1: neither version 1 nor 2 of vscsi; give another --format")
    return f"vscsi{version}"
