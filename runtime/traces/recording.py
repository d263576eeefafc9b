"""What `cpolc record` wrote, as a trace: what was accessed or dirtied, in which file, by whom, when.

    cpol-record 1
    # time_ns,event,file,page,pages,thread,process,comm
    204,added,254:1:12,0,1,345,345,cat
    381,accessed,254:1:12,0,1,345,345,cat
    end,2,0

The last line has the number of events, and of those that were lost. `accessed` is a request that reads, and `dirtied`,
of a clean folio, one that writes. They are requests for each page of the folio. Other events are passed over.
"""

from __future__ import annotations

import re

from cpol.runtime.traces.columns import Columns

FIRST = b"cpol-record "
VERSION = b"cpol-record 1"
PAGE = 4096
MAX_PAGES = 1 << 20

_EVENT = re.compile(
    rb"(?P<time>[0-9]{1,20}),(?P<event>[a-z]{1,20}),(?P<file>[0-9]{1,10}:[0-9]{1,10}:[0-9]{1,20}),(?P<page>[0-9]{1,20}),"
    rb"(?P<pages>[0-9]{1,10}),(?P<task>[0-9]{1,10},[0-9]{1,10},(?P<comm>\"(?:[^\"]|\"\")*\"|[^\",]*))"
)
_END = re.compile(rb"end,(?P<events>[0-9]{1,20}),(?P<lost>[0-9]{1,20})")
CARRIES = frozenset(("file", "page", "thread", "process", "comm", "time", "rw"))
_REQUESTS = {b"accessed": "R", b"dirtied": "W"}


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

    @property
    def carries(self) -> frozenset[str]:
        """A recording has the names of commands unless they were left out."""
        return CARRIES if self._comm else CARRIES - {"comm"}

    def line(self, raw: bytes) -> str:
        self._line += 1
        if self._line == 1:
            if raw != VERSION:
                raise ValueError("not `cpol-record 1`: another version of cpolc wrote it; read it with that one")
            return ""
        if raw.startswith(b"#") and self._line == 2:
            return ""
        if self._ended:
            if raw:
                raise ValueError("a line behind the last one; correct the recording")
            return ""
        if (end := _END.fullmatch(raw)) is not None:
            return self._end(end)
        event = _EVENT.fullmatch(raw)
        if event is None:
            raise ValueError("not an event (time, event, MAJOR:MINOR:INODE, page, pages, thread, process, comm)")
        self._events += 1
        how = _REQUESTS.get(event["event"])
        return "" if how is None else self._request(event, how)

    def finish(self) -> None:
        """Raises ValueError if the recording is cut."""
        if not self._ended:
            raise ValueError("the recording is cut: its last line, `end,…`, is missing; record again")

    def _end(self, end: re.Match[bytes]) -> str:
        if int(end["events"]) != self._events:
            raise ValueError(f"the recording has {self._events} events, not {int(end['events'])}; record again")
        self._ended, self.lost = True, int(end["lost"])
        return ""

    def _request(self, event: re.Match[bytes], how: str) -> str:
        page, pages = int(event["page"]), int(event["pages"])
        if not 1 <= pages <= MAX_PAGES or page + pages > 2**64:
            raise ValueError(f"a folio has 1 to {MAX_PAGES} pages, below page 2^64, not {pages} from {page}")
        self._comm = self._comm or bool(event["comm"])
        task = event["task"].decode("utf-8", "surrogateescape")
        return f"{event['time'].decode()},{event['file'].decode()},{page},{pages * PAGE},{how},{task}"
