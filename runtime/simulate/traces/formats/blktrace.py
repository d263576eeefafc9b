"""blktrace's text, as `blkparse` prints it: requests for sectors of block devices.

    8,0    3       11     0.009507758   697  Q   W 223490 + 56 [kjournald]
    device cpu   number   seconds       task  action, RWBS, first sector, sectors, command

A request is a line of action Q (queued) that reads or writes. The lines of its way to the disk (G, I, D, C …) are the
same request. The file is the device, `major << 20 | minor`, and the page that of the sector.
"""

from __future__ import annotations

import re

from cpol.runtime.simulate.traces.columns import Columns
from cpol.runtime.simulate.traces.formats.format import Format

SECTOR = 512
_MAX_DEVICE = (1 << 12, 1 << 20)
"""Majors and minors of Linux."""

_EVENT = (
    rb"\s*(?P<major>[0-9]{1,10}),(?P<minor>[0-9]{1,10})\s+[0-9]{1,10}\s+[0-9]{1,20}\s+(?P<time>[0-9]{1,15}\.[0-9]{9})"
    rb"\s+(?P<task>[0-9]{1,10})\s+(?P<action>[A-Za-z]{1,3})\s+(?P<how>[A-Z]{1,10})(?:\s+(?P<rest>.*))?"
)
_PLACE = rb"(?P<sector>[0-9]{1,20})\s*\+\s*(?P<count>[0-9]{1,10})(?:\s.*)?"
_SUMMARY = rb"(CPU ?[0-9]+ \(|Total \(|Input file )"


def is_event(line: bytes) -> bool:
    return re.fullmatch(_EVENT, line) is not None


class Blktrace:
    """Reads the lines (lines.py)."""

    columns = Columns({"time": 0, "file": 1, "offset": 2, "size": 3, "thread": 4, "rw": 5}, 0)
    carries = frozenset(("time", "file", "page", "thread", "rw"))

    def __init__(self) -> None:
        self._summary = False
        self._event, self._place = re.compile(_EVENT), re.compile(_PLACE)

    def line(self, raw: bytes) -> str:
        text = raw.strip()
        found = self._event.fullmatch(text)
        if found is None:
            self._summary = self._summary or re.match(_SUMMARY, text) is not None
            if text and not self._summary:
                raise ValueError(
                    "not a line of blkparse's default output (device, cpu, number, seconds, task, action, RWBS, …); "
                    "run blkparse without -f, or give another --format"
                )
            return ""
        if found["action"] != b"Q" or not {*b"RW"} & {*found["how"]} or ord("D") in found["how"]:
            return ""
        place = self._place.fullmatch(found["rest"] or b"")
        if place is None:
            if b"F" in found["how"]:
                return ""  # a flush of the device's cache has no sectors
            raise ValueError("a queued request needs `SECTOR + COUNT`; correct the line")
        major, minor, sector = int(found["major"]), int(found["minor"]), int(place["sector"])
        if major >= _MAX_DEVICE[0] or minor >= _MAX_DEVICE[1]:
            raise ValueError("the device is no MAJOR,MINOR of Linux (below 4096 and 1048576); correct the line")
        if sector >= 2**64 // SECTOR:
            raise ValueError(f"sector {sector} is beyond 2^64 bytes; correct the line")
        offset, size = sector * SECTOR, int(place["count"]) * SECTOR
        how = "W" if b"W" in found["how"] else "R"
        return f"{found['time'].decode()},{major << 20 | minor},{offset},{size},{found['task'].decode()},{how}"

    def finish(self) -> None:
        """It may end anywhere."""


FORMAT = Format(
    "blktrace",
    "blkparse's text: device, cpu, number, seconds, task, action, RWBS, sector + count",
    carries=Blktrace.carries,
    sized=True,
    others=("blkparse",),
    lines=lambda text: is_event(text.lines[0]),
    reader=Blktrace,
)
