"""A recording as the model of prefetching reads it: requests with how much they ask for, and pages that are written.

Only `missed` and `marked` tell how many pages a request asks for. A thread that then reads on in the same file is taken
to ask for as many each time.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from cpol.compiler.comm import UNKNOWN, Comm, pack
from cpol.runtime.simulate.prefetch.rows import Read, Rows
from cpol.runtime.simulate.traces import read
from cpol.runtime.simulate.traces.formats.record import ASKS, REQUEST, UNREAD, Recording, folio_of, id_of

MOST = 300_000
"""Pages that are requested, from the first one on, are run; the model takes some ten seconds for a million."""


class Asked(NamedTuple):
    """The requests, the room as pages from a row on, and what the machine did for them.

    `missed`: requests that had to wait, since a page was missing; `reads`: pages from the disk. `whole`:
    these are all of its requests.
    """

    rows: Rows
    rooms: list[tuple[int, int]]
    missed: int
    reads: int
    whole: bool


class _Requests(Recording):
    """Keeps what `Asked` has. Files have the numbers that they have as keys of a trace."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Read] = []
        self.at: list[tuple[int, int]] = []
        self.missed = 0
        self.end: int | None = None  # of the pages that the rows are of
        self._ranges: dict[tuple[bytes, int], tuple[int, int]] = {}  # of a file and thread: what it asks for
        self._files: dict[bytes, int] = {}
        self._comms: dict[bytes, Comm] = {}

    def line(self, raw: bytes) -> str:
        known = len(self.rooms)
        text = super().line(raw)
        if len(self.rooms) > known:
            self.at.append((len(self.rows), self.rooms[-1].pages))
        return text

    def event(self, event: re.Match[bytes]) -> str:
        kind = event["event"]
        if self.end is None and kind in (*ASKS, b"accessed", b"dirtied"):
            self._ask(event, kind)
            if len(self.rows) >= MOST:
                self.end = len(self.kinds)
        super().event(event)
        return ""  # nobody parses it again

    def _ask(self, event: re.Match[bytes], kind: bytes) -> None:
        page, pages = folio_of(event)
        key = event["file"], int(event["thread"])
        if kind in ASKS:
            self.missed += kind == b"missed"
            self._ranges[key] = page, page + pages
            return
        begin, end = self._ranges.get(key, (page, page + 1))
        file = self._files.setdefault(event["file"], id_of(event["file"]))
        comm = self._comms.setdefault(event["comm"], pack(event["comm"].strip(b'"').replace(b'""', b'"')))
        who = (int(event["time"]), int(event["process"]), int(event["thread"]), comm)
        writes = kind == b"dirtied"
        for index in range(page, page + pages):
            if not begin <= index < end:
                begin, end = index, index + end - begin
            self.rows.append(Read(file, index, *who, 1 if writes else end - index, writes))
        self._ranges[key] = begin, end

    @property
    def facts(self) -> frozenset[str]:
        named = any(comm != UNKNOWN for comm in self._comms.values())
        return frozenset(("thread", "process", "time", *(["comm"] if named else [])))

    def asked(self) -> Asked:
        kinds, reads = self.kinds[: self.end], self.read[: self.end]
        rooms = [(row if number else 0, pages) for number, (row, pages) in enumerate(self.at)]
        done = sum(one for one, kind in zip(reads, kinds, strict=True) if kind == REQUEST) + kinds.count(UNREAD)
        rows = Rows(self.rows, "record", self.lost, self.facts)
        return Asked(rows, rooms, self.missed, done, self.end is None)


def asked(path: Path) -> Asked:
    """What the recording in a file tells. Raises TraceError."""
    requests = _Requests()
    read(path, "record", readers={"record": requests})
    return requests.asked()
