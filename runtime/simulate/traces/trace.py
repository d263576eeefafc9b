"""Reads a trace."""

from __future__ import annotations

import codecs
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, chain, compress, islice
from pathlib import Path

from cpol.compiler.nodes import dataclass
from cpol.runtime.simulate.traces import recognise, source
from cpol.runtime.simulate.traces.columns import COLUMNS, Columns, read_columns, told_by
from cpol.runtime.simulate.traces.errors import TraceError
from cpol.runtime.simulate.traces.formats import FORMATS, parquet
from cpol.runtime.simulate.traces.formats.record import NOTHING, REQUEST, UNREAD, Recording, Room, id_of
from cpol.runtime.simulate.traces.lines import LineReader, as_csv
from cpol.runtime.simulate.traces.memory import Column
from cpol.runtime.simulate.traces.parser import Back, Heading, Numbers, Parser, belady_misses
from cpol.runtime.simulate.traces.requests import Comms, Names, Numbered, requested
from cpol.runtime.simulate.traces.separators import check_returns, column_of, is_heading, separator_of
from cpol.runtime.simulate.traces.stream import Stream


@dataclass(frozen=True)
class Trace:
    """A sequence of requests. Each is the id of an object, or of one of its pages."""

    path: Path
    format: str
    ids: Column  # of type Q
    deletions: int  # skipped operations that delete
    times: Column | None = None  # milliseconds since the first request, if the format has times
    tasks: Column | None = None  # threads of the requests: the client in a Twitter trace
    processes: Column | None = None
    comms: Comms | None = None
    writes: Column | None = None  # 1: the request writes
    names: Names | None = None  # what the ids name, if the trace has files
    carries: frozenset[str] = frozenset()  # of file, page, thread, process, comm, time, rw: what the requests tell
    lost: int = 0  # events that happened, and are not in a recording
    back: Back | None = None  # requests whose times go back
    rooms: tuple[Room, ...] = ()  # of a recording: how much file pages had, in order of requests
    sizes: Column | None = None  # bytes of the requests, if somebody asked for them
    ahead: bytes | None = None  # of a recording, by id: REQUEST, or the page is brought: UNREAD, EARLY, WRITTEN
    read: bytes | None = None  # of a recording, by id, 1: the machine read the page from the disk for this request
    asks: int = 0  # of a recording: how often a read asked for readahead, and told for how many pages
    governed: str = ""  # of a recording: the policy that evicted meanwhile; empty: the kernel
    paths: Mapping[int, str] | None = None  # of a recording: files, each by its path in its file system
    readers: Mapping[int, int] | None = None  # of a workload: how often each file is open for reading
    left: int = 0  # folios that the policy of an event log left to the kernel: it lacks their later requests
    known: Numbered | None = None  # of a part: the numbers that the whole trace gives to its objects

    def telling(self, carries: frozenset[str]) -> Trace:
        """The trace, if its requests tell so much: columns that nothing was in are dropped."""
        columns = (("time", self.times), ("thread", self.tasks), ("process", self.processes), ("rw", self.writes))
        times, tasks, processes, writes = (column if fact in carries else None for fact, column in columns)
        comms = self.comms if "comm" in carries else None
        told = replace(self, times=times, tasks=tasks, processes=processes, comms=comms, writes=writes)
        return replace(told, carries=carries)

    @property
    def requests(self) -> int:
        return len(self.ids) if self.ahead is None else self.ahead.count(REQUEST)

    @property
    def unread(self) -> int:
        """Pages that readahead brought, and that nobody read until they left."""
        return 0 if self.ahead is None else self.ahead.count(UNREAD)

    def position(self, requests: int) -> int:
        """How many ids come until there were so many requests, or all."""
        if self.ahead is None:
            return min(requests, len(self.ids))
        places = (number for number, brings in enumerate(self.ahead, 1) if not brings)
        return next(islice(places, requests - 1, None), len(self.ids)) if requests else 0

    def _without(self, kinds: bytes) -> Trace:
        """The trace with what `kinds` says of each id (formats/record.py): those that are nothing are left out."""
        told = replace(self, ahead=kinds).chosen(bytes(kind != NOTHING for kind in kinds))
        return told if any(told.ahead or b"") else replace(told, ahead=None)

    def chosen(self, kept: Sequence[bool] | bytes) -> Trace:
        """The requests, and what readahead brought, for which `kept` is true. Times are since the first of them."""
        before = [0, *accumulate(map(bool, kept))]
        columns = (self.times, self.tasks, self.processes, self.writes, self.sizes)
        times, tasks, processes, writes, sizes = (each and array("Q", compress(each, kept)) for each in columns)
        if times:
            times = array("Q", (time - times[0] for time in times))
        comms = self.comms and self.comms._replace(numbers=array("Q", compress(self.comms.numbers, kept)))
        rooms = tuple(room._replace(request=before[room.request]) for room in self.rooms)
        return replace(
            self,
            ids=array("Q", compress(self.ids, kept)),
            times=times,
            tasks=tasks,
            processes=processes,
            writes=writes,
            sizes=sizes,
            comms=comms,
            rooms=rooms,
            ahead=self.ahead and bytes(compress(self.ahead, kept)),
            read=self.read and bytes(compress(self.read, kept)),
            known=None,
        )

    def part(self, start: int, stop: int) -> Trace:
        """The requests from number `start` to the one before `stop`, as far as there are any."""
        times, tasks, processes, writes, sizes = (
            None if column is None else column[start:stop]
            for column in (self.times, self.tasks, self.processes, self.writes, self.sizes)
        )
        comms = None if self.comms is None else self.comms._replace(numbers=self.comms.numbers[start:stop])
        numbers, objects = self.numbered
        return replace(
            self,
            ids=self.ids[start:stop],
            times=times,
            tasks=tasks,
            processes=processes,
            comms=comms,
            writes=writes,
            sizes=sizes,
            ahead=self.ahead and self.ahead[start:stop],
            read=self.read and self.read[start:stop],
            known=Numbered(numbers[start:stop], objects),
        )

    @cached_property
    def numbered(self) -> Numbered:
        """The number of each request's object, and how many objects there are. Parts have the numbers of the whole."""
        return self.known or Numbers(len(self.ids)).of(self.ids)

    @property
    def distinct(self) -> int:
        """The number of different objects, of a part too those of the whole trace."""
        return self.numbered.objects

    def belady_misses(self, capacity: int, warmup: int = 0) -> int:
        """The fewest misses that a cache of `capacity` pages can have, if it admits every page (Belady's MIN). Those of
        the first `warmup` requests do not count."""
        return belady_misses(requested(self.numbered, self.ahead), capacity, warmup)


def read(
    path: Path,
    format: str | None = None,
    *,
    pages: bool = False,
    details: bool = False,
    sizes: bool | None = False,
    columns: Columns | None = None,
    readers: Mapping[str, LineReader] | None = None,
) -> Trace:
    """Read the trace in a file, which may be compressed.

    Args:
        format: one of FORMATS; None: found from the file.
        pages: cut requests into ids of 4 KiB pages: all pages of the object, or in block traces all that the request
            touches. Otherwise a request is one id, no matter how large its object is.
        details: keep times and tasks, if the format has them.
        sizes: keep the bytes of each request, which the format must have; None: if it has them.
        columns: where a CSV trace has what.
        readers: by format; one of these reads a file of its format in place of the usual reader, and keeps what it
            wants. The trace then has no requests.

    Raises:
        TraceError: the file has no such trace; the message says where and why.
    """
    return whole(begin(path, format, pages=pages, details=details, sizes=sizes, columns=columns, readers=readers))


def begin(
    path: Path,
    format: str | None = None,
    *,
    pages: bool = False,
    details: bool = False,
    sizes: bool | None = False,
    columns: Columns | None = None,
    readers: Mapping[str, LineReader] | None = None,
) -> Trace | Stream:
    """As `read`, but a trace that can be read in parts has yet to be read."""
    try:
        name = None if format is None else recognise.format_of(format)
        if name in (None, "parquet") and parquet.is_parquet(path):
            return _read_parquet(path, columns, pages, details, sizes)
        if columns is None and name in (None, "csv") and ".csv" in path.suffixes and path.is_file():
            told = told_by(next(source.chunks(path), b""))
            columns = None if told is None else read_columns(told)
        if columns is None:
            return _begin(path, name, pages, details, sizes, readers or {})
        if name not in (None, "csv"):
            raise TraceError(f"{path}: {name} traces have no columns to choose; leave out --columns, or --format")
        return _read_columns(path, columns, pages, details, sizes)
    except MemoryError:
        raise TraceError(f"{path}: out of memory; cut the trace") from None


def _begin(
    path: Path, format: str | None, pages: bool, details: bool, sizes: bool | None, readers: Mapping[str, LineReader]
) -> Trace | Stream:
    pieces, head, whole = _open(path)
    if format is not None:
        recognise.check(path, format, head, whole)
    name = format or recognise.find(path, head, whole)
    known = FORMATS[name]
    if known.check:
        known.check(path, head)
    if pages and not known.sized:
        raise TraceError(f"{path}: {name} traces have no sizes of objects; leave out --pages")
    sizes = known.sized if sizes is None else sizes
    if sizes and not known.sized:
        sized = sorted(each.name for each in FORMATS.values() if each.sized)
        raise TraceError(
            f"{path}: {name} traces have no sizes, so there is no byte miss ratio; leave out --bytes, or give a trace "
            f"with sizes ({', '.join(sized)}, or csv with --columns size=COLUMN)"
        )
    if name in readers:
        for _ in as_csv(readers[name], path, chain((head,), pieces)):
            pass
        return Trace(path, name, array("Q"), 0, carries=readers[name].carries)
    if known.reader:
        reader = known.reader()
        lines = as_csv(reader, path, chain((head,), pieces))
        details = details or isinstance(reader, Recording)  # which requests write, says what they are
        trace = _parse(path, name, lines, reader.columns, pages or known.cut, details, sizes=sizes)
        left: int = getattr(reader, "left", 0)  # an event log counts them
        told = replace(trace.telling(reader.carries), left=left)
        if isinstance(reader, Recording):
            paths = {id_of(file.encode()): os.fsdecode(path) for file, path in reader.names.items()}
            told = replace(told, lost=reader.lost, rooms=tuple(reader.rooms), governed=reader.governed)
            told = replace(told, read=bytes(reader.read), asks=reader.asks, paths=paths)
            return told._without(bytes(reader.kinds))
        return told
    if name == "parquet":
        raise _no_parquet(path)
    if known.columns:
        return _parse(path, name, chain((head,), pieces), known.columns, pages, details, named=False, sizes=sizes)
    return Stream(path, name, head, pieces, pages, details, sizes=sizes, given=format is not None)


def _no_parquet(path: Path) -> TraceError:
    return TraceError(f"{path}: Parquet is read from a file only, not from a pipe, nor compressed as a whole")


def whole(opened: Trace | Stream, tell: Callable[[int], None] = lambda _: None) -> Trace:
    """All of a trace. `tell` is told how many requests were read, now and then.

    Raises:
        TraceError: it is malformed, or memory is exhausted.
    """
    if isinstance(opened, Trace):
        return opened
    stream = opened
    ids, times, tasks, sizes = (array("Q") for _ in range(4))
    try:
        for part in stream.parts():
            ids.extend(part.ids or ())
            times.extend(part.times or ())
            tasks.extend(part.tasks or ())
            sizes.extend(part.sizes or ())
            tell(len(ids))
    except MemoryError:
        raise TraceError(f"{stream.path}: out of memory; cut the trace") from None
    details = (times if times else None, tasks if tasks else None)
    trace = Trace(stream.path, stream.format, ids, stream.deletions, *details, carries=stream.carries)
    return replace(trace, back=stream.back, sizes=sizes if stream.sized else None)


def _read_columns(path: Path, columns: Columns, pages: bool, details: bool, sizes: bool | None) -> Trace:
    """Read a CSV trace whose columns the user names."""
    if pages and "size" not in columns.places:
        raise TraceError(f"{path}: --columns names no column of sizes; add size=COLUMN, or leave out --pages")
    sizes = "size" in columns.places if sizes is None else sizes
    if sizes and "size" not in columns.places:
        raise TraceError(f"{path}: --columns names no column of sizes; add size=COLUMN, or leave out --bytes")
    pieces, head, complete = _open(path)
    if head.startswith(parquet.FIRST):
        raise _no_parquet(path)
    check_returns(path, head)
    lines = recognise.lines_of(head, complete)
    separator = separator_of(lines)
    numbers = dict(zip(COLUMNS, columns.numbers(path, head, separator), strict=True))
    placed = Columns({name: number for name, number in numbers.items() if number >= 0}, columns.time_unit)
    keys = next(numbers[name] for name in ("object", "page", "offset") if numbers[name] >= 0)
    pieces = chain((head,), pieces)
    named = columns.by_heading or (len(placed.places) == 1 and is_heading(column_of(lines, keys, separator)))
    heading = Heading.IS if named else Heading.MAY_BE
    return _parse(path, "csv", pieces, placed, pages, details, heading=heading, separator=separator, sizes=sizes)


def _read_parquet(path: Path, columns: Columns | None, pages: bool, details: bool, sizes: bool | None) -> Trace:
    file = parquet.Parquet(path, columns)
    if pages and "size" not in file.columns.places:
        raise TraceError(f"{path}: it has no column of sizes; add size=COLUMN to --columns, or leave out --pages")
    sizes = "size" in file.columns.places if sizes is None else sizes
    if sizes and "size" not in file.columns.places:
        raise TraceError(f"{path}: it has no column of sizes; add size=COLUMN to --columns, or leave out --bytes")
    return _parse(
        path, "parquet", file.lines(), file.columns, pages, details, heading=Heading.ROWS, unit="row", sizes=sizes
    )


def _parse(
    path: Path,
    name: str,
    pieces: Iterable[bytes],
    columns: Columns,
    pages: bool,
    details: bool,
    *,
    heading: Heading = Heading.MAY_BE,
    unit: str = "line",
    separator: str = ",",
    named: bool = True,
    sizes: bool = False,
) -> Trace:
    """Read text whose columns have numbers. `named`: the user said what they hold."""
    parser = Parser(path, "columns", pages, details, unit, sizes=sizes)
    numbers, width = columns.numbers(path, b""), columns.file_width
    parser.map(numbers, columns.time_unit, heading=heading, separator=separator, file_width=width, named=named)
    for piece in pieces:
        parser.feed(piece)
    ids, _ = parser.finish()
    if not ids:
        said = "csv with --columns" if name == "csv" else name
        raise TraceError(f"{path}: no requests in the trace, read as {said}; name another file")
    times, tasks, processes = parser.details()
    facts = (times, tasks, processes, parser.comms(), parser.writes(), parser.names())
    return Trace(path, name, ids, 0, *facts, back=parser.back, sizes=parser.sizes()).telling(columns.carries)


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
