"""What `cpolc record` wrote, as a trace: what was accessed or dirtied, in which file, by whom, when.

    cpol-record 3
    # time_ns,event,file,page,pages,thread,process,comm[,first,last]
    room,0,2560,1350
    name,254:1:12,/srv/shop/orders
    204,added,254:1:12,0,1,345,345,cat
    381,accessed,254:1:12,0,1,345,345,cat
    402,fault,swap:0:77,34359,1,345,345,cat,34304,34815
    end,3,0

`room` has a time, the cgroup's limit, and the room that file pages have from there on: the limit, less what else the
cgroup uses; both in pages. `governed,POLICY` says that a policy evicted, and not the kernel. Version 2 has no such
lines. Version 1 has neither names of files nor swap faults, which the model of prefetching reads
(cpol.runtime.simulate.prefetch). The last line has the number of events, and of those that were lost. `accessed` is a
request that reads, and `dirtied`, of a clean folio, one that writes. They are requests for each page of the folio.
`added` brings a page by readahead, unless the very next event reads it: then it comes by that request. Other events are
passed over.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cpol.runtime.simulate.traces.columns import Columns
from cpol.runtime.simulate.traces.formats.format import Format

FIRST = b"cpol-record "
VERSIONS = (b"cpol-record 1", b"cpol-record 2", b"cpol-record 3")
PAGE = 4096
MAX_PAGES = 1 << 20
MASK = 2**64 - 1

_EVENT = (
    rb"(?P<time>[0-9]{1,20}),(?P<event>[a-z]{1,20}),"
    rb"(?P<file>[0-9]{1,10}:[0-9]{1,10}:[0-9]{1,20}|swap:(?P<device>[0-9]{1,3}):(?P<slot>[0-9]{1,18})),"
    rb"(?P<page>[0-9]{1,20}),(?P<pages>[0-9]{1,10}),"
    rb"(?P<task>(?P<thread>[0-9]{1,10}),(?P<process>[0-9]{1,10}),(?P<comm>\"(?:[^\"]|\"\")*\"|[^\",]*))"
    rb"(?:,(?P<first>[0-9]{1,20}),(?P<last>[0-9]{1,20}))?"
)
_NAME = rb"name,(?P<file>[0-9]{1,10}:[0-9]{1,10}:[0-9]{1,20}),(?:\"(?P<quoted>(?:[^\"]|\"\")*)\"|(?P<plain>[^\",]*))"
_ROOM = rb"room,[0-9]{1,20},(?P<limit>[0-9]{1,15}),(?P<room>[0-9]{1,15})"
_GOVERNED = rb"governed,(?P<policy>[A-Za-z0-9_.]{1,63})"
_END = rb"end,(?P<events>[0-9]{1,20}),(?P<lost>[0-9]{1,20})"
CARRIES = frozenset(("file", "page", "thread", "process", "comm", "time", "rw", "unread"))
_REQUESTS = {b"accessed": "R", b"dirtied": "W"}
SWAP = (b"fault", b"cached", b"prefetched")
"""Events of swap faults."""


ASKS = (b"missed", b"marked")
"""Events of reads that ask for readahead."""

REQUEST, UNREAD, EARLY, NOTHING, WRITTEN, PASSING = range(6)
"""What a page of a line is: a request; one that readahead brought, UNREAD until it left, or read later; or nothing. For
runs, one that is WRITTEN comes, and is no request (written.py); the page of one that is
PASSING goes at once, unless it is cached."""


class Room(NamedTuple):
    """The room of file pages, and the limit, from a request on; in pages."""

    request: int  # its place among the ids, from 0
    limit: int
    pages: int


class Recording:
    """Reads the lines (lines.py)."""

    columns = Columns(
        {"time": 0, "file": 1, "page": 2, "size": 3, "rw": 4, "thread": 5, "process": 6, "comm": 7}, time_unit=1_000_000
    )

    def __init__(self) -> None:
        self._line, self._events = 0, 0
        self._ended = False
        self._comm = False
        self.lost = 0
        self.rooms: list[Room] = []
        self.kinds = bytearray()
        """Of each page of each line that `line` returned."""
        self.read = bytearray()
        """Of the same pages, 1: the machine read it from the disk for this request."""
        self.names: dict[str, bytes] = {}
        """The paths of files, by MAJOR:MINOR:INODE, each in its file system."""
        self.governed = ""
        """The policy that evicted while it was recorded; empty: the kernel."""
        self.asks = 0
        """How often a read began readahead, or went on with it: the recording tells what requests asked for."""
        self._fresh: dict[tuple[bytes, int], int] = {}
        """Pages that came in, and that nobody has read since: their places in `kinds`."""
        self._is_event, self._is_name, self._is_end = map(re.compile, (_EVENT, _NAME, _END))
        self._is_room, self._is_governed = map(re.compile, (_ROOM, _GOVERNED))

    @property
    def carries(self) -> frozenset[str]:
        """A recording has the names of commands unless they were left out."""
        return CARRIES if self._comm else CARRIES - {"comm"}

    def line(self, raw: bytes) -> str:
        self._line += 1
        if self._line == 1:
            if raw not in VERSIONS:
                raise ValueError("none of `cpol-record 1` to 3: another version of cpolc wrote it; use that one")
            return ""
        if raw.startswith(b"#") and self._line == 2:
            return ""
        if self._ended:
            if raw:
                raise ValueError("a line behind the last one; correct the recording")
            return ""
        if (end := self._is_end.fullmatch(raw)) is not None:
            return self._end(end)
        if (name := self._is_name.fullmatch(raw)) is not None:
            quoted = name["quoted"]
            self.names[name["file"].decode()] = name["plain"] if quoted is None else quoted.replace(b'""', b'"')
            return ""
        if (governed := self._is_governed.fullmatch(raw)) is not None:
            self.governed = governed["policy"].decode()
            return ""
        if (room := self._is_room.fullmatch(raw)) is not None:
            self.rooms.append(Room(len(self.kinds), int(room["limit"]), max(1, int(room["room"]))))
            return ""
        event = self._is_event.fullmatch(raw)
        if event is None:
            raise ValueError("not an event (time, event, MAJOR:MINOR:INODE, page, pages, thread, process, comm)")
        if (event["slot"] is None) != (event["first"] is None) or (event["slot"] is None) == (event["event"] in SWAP):
            raise ValueError("a swap fault has swap:DEVICE:SLOT and the pages of its area, and other events have not")
        self._events += 1
        return self.event(event)

    def event(self, event: re.Match[bytes]) -> str:
        """The request of an event, as `line` returns it. Raises ValueError as `line` does."""
        how = _REQUESTS.get(event["event"])
        self.asks += event["event"] in ASKS
        if how is None and event["event"] != b"added":
            return ""
        self._touch(event, how)
        return self._request(event, how or "R", told=how is not None)

    def finish(self) -> None:
        """Raises ValueError if the recording is cut."""
        if not self._ended:
            raise ValueError("the recording is cut: its last line, `end,…`, is missing; record again")

    def _end(self, end: re.Match[bytes]) -> str:
        if int(end["events"]) != self._events:
            raise ValueError(f"the recording has {self._events} events, not {int(end['events'])}; record again")
        self._ended, self.lost = True, int(end["lost"])
        return ""

    def _touch(self, event: re.Match[bytes], how: str | None) -> None:
        """Tell what each page is, and what became of the event that brought it. `how` it is requested; None: it is
        added."""
        page, pages = folio_of(event)
        for each in range(page, page + pages):
            name, place = (event["file"], each), None
            if how is None:
                self._fresh[name] = len(self.kinds)
            elif (place := self._fresh.pop(name, None)) is not None:
                self.kinds[place] = NOTHING if place + pages == len(self.kinds) else EARLY
            self.kinds.append(UNREAD if how is None else REQUEST)
            self.read.append(how == "R" and place is not None)

    def _request(self, event: re.Match[bytes], how: str, told: bool) -> str:
        page, pages = folio_of(event)
        self._comm = self._comm or (told and bool(event["comm"]))
        task = event["task"].decode("utf-8", "surrogateescape")
        return f"{event['time'].decode()},{event['file'].decode()},{page},{pages * PAGE},{how},{task}"


def folio_of(event: re.Match[bytes]) -> tuple[int, int]:
    """The first page of an event's folio, and its pages. Raises ValueError if there is no such folio."""
    page, pages = int(event["page"]), int(event["pages"])
    if not 1 <= pages <= MAX_PAGES or page + pages > 2**64:
        raise ValueError(f"a folio has 1 to {MAX_PAGES} pages, below page 2^64, not {pages} from {page}")
    return page, pages


def id_of(key: bytes) -> int:
    """The id that the parser gives to a key that is no number (fields.h): FNV-1a, then murmur3's finaliser."""
    id = 0xCBF29CE484222325
    for byte in key:
        id = (id ^ byte) * 0x100000001B3 & MASK
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        id = (id ^ id >> 33) * factor & MASK
    return id ^ id >> 33


FORMAT = Format(
    "record",
    "what cpolc record wrote",
    carries=CARRIES,
    others=("recording",),
    begins=FIRST,
    reader=Recording,
    cut=True,
)
