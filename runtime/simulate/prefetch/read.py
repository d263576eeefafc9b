"""Reads a trace as touches of memory and reads of files.

A trace whose requests have a file is one of reads. Pages without a file are touches of one process' memory. A recording
has swap faults, and accesses to files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from cpol.compiler.comm import UNKNOWN, Comm, pack
from cpol.runtime.machine.events import Op
from cpol.runtime.machine.events import Row as LogRow
from cpol.runtime.machine.events.prefetch import MARKER
from cpol.runtime.simulate.prefetch.rows import Read, Row, Rows, Touch
from cpol.runtime.simulate.traces import Columns, Trace, TraceError, read
from cpol.runtime.simulate.traces.formats.log_reader import REQUESTS, EventLog
from cpol.runtime.simulate.traces.formats.record import SWAP, Recording, folio_of
from cpol.runtime.simulate.traces.lines import LineReader

MAX_PAGE = 1 << 52
"""Of a virtual address, or of a file: 2^64 bytes."""

_KEYS = frozenset(("lirs", "text"))
"""Formats of numbers only, which are taken for pages."""

_MS = 1_000_000
MAX_WANTED = 1 << 16
"""Pages of one request of a log: a line could ask for any number."""


class FaultRecording(Recording):
    """Keeps the swap faults and the accesses to files of a recording."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self._names = False
        self._open: dict[int, tuple[int, bytes]] = {}

    def event(self, event: re.Match[bytes]) -> str:
        comm = pack(event["comm"].strip(b'"').replace(b'""', b'"'))
        task = (int(event["process"]), int(event["thread"]), comm)
        self._names = self._names or comm != UNKNOWN
        time = int(event["time"])
        if event["event"] in SWAP:
            self._fault(event, time, *task)
        elif event["event"] == b"accessed":
            page, pages = folio_of(event)
            file = file_number(event["file"])
            self.rows += (Read(file, index, time, *task) for index in range(page, page + pages))
        return ""

    def _fault(self, event: re.Match[bytes], time: int, process: int, thread: int, comm: Comm) -> None:
        page, first, last = int(event["page"]), int(event["first"]), int(event["last"])
        device, slot = int(event["device"]), int(event["slot"])
        if not first <= page <= last < MAX_PAGE or slot == 0:
            raise ValueError(f"a swap fault has a slot above 0 and a page in its area, not {page} in {first} to {last}")
        same = (page, event["file"])
        if event["event"] != b"fault" and self._open.get(thread) == same:
            return  # the kernel handles a fault again whose page was locked
        self._open[thread] = same
        self.rows.append(Touch(page, time, process, thread, comm, first, last, device, slot, is_fault=True))

    @property
    def facts(self) -> frozenset[str]:
        return frozenset(("thread", "process", "time", "area", "slot", *(["comm"] if self._names else [])))


class FaultLog(EventLog):
    """Keeps the swap faults of an event log, and its reads of files: requests of readahead, and accesses."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self._area = self._first = self._last = self._device = 0

    def row(self, row: LogRow) -> str:
        task = (self.ms * _MS, self.process, self.thread)
        if row.op == Op.AREA:
            self._first, self._last = row.a, row.b
        elif row.op == Op.SWAP:
            self._device = row.file
        elif row.op == Op.FAULT:
            area = (self._first, self._last, self._device)
            if not self._first <= row.page <= self._last < MAX_PAGE or row.a == 0:
                raise ValueError("a fault has a slot above 0, and its page is in the area that the log said last")
            self.rows.append(Touch(row.page, *task, UNKNOWN, *area, row.a, is_fault=True))
        elif row.op == Op.READAHEAD or row.op in REQUESTS:
            pages = min(row.a, MAX_WANTED) if row.op == Op.READAHEAD and not row.b & MARKER else 1
            if row.page + pages > MAX_PAGE:
                raise ValueError(f"the page {row.page} is beyond 2^64 bytes of a file")
            self.rows += (Read(row.file, index, *task) for index in range(row.page, row.page + pages))
        return ""


def file_number(name: bytes) -> int:
    """A number for MAJOR:MINOR:INODE; it fits into 64 bits as the loader's keys of files do not have to here."""
    major, minor, inode = map(int, name.split(b":"))
    return (major << 20 | minor) << 32 ^ inode


def read_rows(
    path: Path,
    format: str | None = None,
    *,
    pages: bool = False,
    columns: Columns | None = None,
    writes: bool = False,
) -> Rows:
    """Read the trace in a file.

    Args:
        format, pages, columns: as of cpol.runtime.simulate.traces.read.
        writes: whether touches write if the trace does not tell.

    Raises:
        TraceError: the file has no such trace, or neither touches of memory nor reads of files.
    """
    recording, log = FaultRecording(), FaultLog()
    readers: dict[str, LineReader] = {"record": recording, "log": log}
    trace = read(path, format, pages=pages, details=True, columns=columns, readers=readers)
    if trace.format in readers:
        rows, lost = (recording.rows, recording.lost) if trace.format == "record" else (log.rows, 0)
        if not rows:
            what = "the recording" if trace.format == "record" else "the log"
            raise TraceError(
                f"{path}: {what} has neither swap faults nor accesses to files, so nothing asks for readahead; "
                "make one while the cgroup swaps or reads"
            )
        facts = recording.facts if trace.format == "record" else log.carries | {"area", "slot"}
        return Rows(rows, trace.format, lost, facts)
    if "page" not in trace.carries and trace.format not in _KEYS:
        raise TraceError(
            f"{path}: {trace.format} traces have objects, but neither swap faults nor reads of files, which are what a "
            "prefetch policy is asked about; give a trace with pages: csv with --columns page=COLUMN (memory) or "
            "file=COLUMN,page=COLUMN (files), a text of page numbers, or what cpolc record wrote"
        )
    wrong = next((number for number, page in enumerate(_pages(trace)) if page >= MAX_PAGE), None)
    if wrong is not None:
        raise TraceError(
            f"{path}: request {wrong + 1} is of {_pages(trace)[wrong]}, which is no page of memory nor of a file "
            "(below 2^52): the keys are not page numbers; give a trace with pages (csv with --columns page=COLUMN)"
        )
    rows = reads(trace) if is_of_files(trace) else _touches(trace, writes)
    return Rows(with_areas(rows), trace.format, carries=trace.carries)


def _pages(trace: Trace) -> Sequence[int]:
    """The page of each request."""
    return trace.ids if trace.names is None else [trace.names.indices[id] for id in trace.ids]


def is_of_files(trace: Trace) -> bool:
    """Whether the requests read files; a block device counts as one."""
    return "file" in trace.carries or (trace.format == "vscsi" and "page" in trace.carries)


def _tasks(trace: Trace) -> Callable[[int], tuple[int, int, int, Comm]]:
    """The time, process, thread and command of each request."""
    times, processes, threads, comms = trace.times, trace.processes, trace.tasks, trace.comms

    def of(number: int) -> tuple[int, int, int, Comm]:
        return (
            times[number] * _MS if times else 0,
            processes[number] if processes else 0,
            threads[number] if threads else 0,
            comms.of(number) if comms else UNKNOWN,
        )

    return of


def reads(trace: Trace) -> list[Row]:
    """The requests, as reads of files."""
    names, task = trace.names, _tasks(trace)
    places = enumerate(trace.ids)
    if names is None:
        return [Read(0, id, *task(number)) for number, id in places]
    return [Read(names.files[id], names.indices[id], *task(number)) for number, id in places]


def _touches(trace: Trace, assumed: bool) -> list[Row]:
    task, writes = _tasks(trace), trace.writes
    return [
        Touch(page, *task(number), writes=assumed if writes is None else bool(writes[number]))
        for number, page in enumerate(trace.ids)
    ]


def with_areas(rows: Iterable[Row]) -> list[Row]:
    """A process whose areas nobody tells has one, with all pages that it touches."""
    rows = list(rows)
    areas: dict[int, tuple[int, int]] = {}
    for row in rows:
        if isinstance(row, Touch):
            first, last = areas.get(row.process, (row.page, row.page))
            areas[row.process] = (min(first, row.page), max(last, row.page))
    return [
        replace(row, first=areas[row.process][0], last=areas[row.process][1]) if isinstance(row, Touch) else row
        for row in rows
    ]
