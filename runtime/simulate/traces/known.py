"""Well-known traces that no format reads without a word on their columns: what to write for each."""

from __future__ import annotations

import re
from typing import NamedTuple


class Known(NamedTuple):
    """A kind of trace: what its first line looks like, its name, and what to do."""

    first: re.Pattern[bytes]
    name: str
    do: str


_KNOWN = (
    Known(
        re.compile(rb"fio version [0-9]+ iolog"),
        "fio's log of I/O",
        "keep its reads and writes, such as with grep -E ' (read|write) ', then write --columns "
        "file=0,rw=1,offset=2,size=3 (of version 3, which begins with the time, each a column later)",
    ),
    Known(
        re.compile(rb"0x[0-9a-fA-F]+: [RW] 0x[0-9a-fA-F]+.*"),
        "a trace of addresses by Pin",
        "write --columns object=2,rw=1",
    ),
    Known(
        re.compile(rb"[0-9]+,[RWrw],[0-9]+,[0-9]+,[0-9]+"),
        "Alibaba's block trace",
        "write --columns file=0,rw=1,offset=2,size=3,time_us=4",
    ),
    Known(
        re.compile(rb"[0-9]+,[0-9]+,[0-9]+,[RWrw],[0-9.]+"),
        "SPC's block trace",
        "write --columns file=0,object=1,size=2,rw=3,time=4",
    ),
    Known(
        re.compile(rb"key,op,size,op_count,.*"),
        "a key-value trace of CacheLib",
        "write --columns object=key,size=size,count=op_count",
    ),
    Known(
        re.compile(rb"Timestamp,Response,IOType,LUN,Offset,Size"),
        "a block trace of SYSTOR '17",
        "write --columns time=Timestamp,rw=IOType,file=LUN,offset=Offset,size=Size",
    ),
)


def known(line: bytes) -> str:
    """What to do with a trace whose first line this is, to stand behind a semicolon; empty: it is not known."""
    for each in _KNOWN:
        if each.first.fullmatch(line.strip()):
            return f"it looks like {each.name}: {each.do}"
    return ""
