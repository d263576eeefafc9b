"""The block traces of MSR Cambridge: the host and the disk are the file."""

from __future__ import annotations

from cpol.runtime.simulate.traces.columns import Columns
from cpol.runtime.simulate.traces.formats.format import Format, Lines
from cpol.runtime.simulate.traces.formats.keys import NUMBER, is_time

ACTIONS = (b"read", b"write")
_COLUMNS = Columns({"time": 0, "file": 1, "rw": 3, "offset": 4, "size": 5}, 10_000, file_width=2)


def _is(text: Lines) -> bool:
    return all(
        len(row) == 7 and row[3].lower() in ACTIONS and is_time(row[0]) and NUMBER.fullmatch(row[4])
        for row in text.rows
    )


FORMAT = Format(
    "msr",
    "MSR Cambridge's block traces: ticks of 100 ns, host, disk, Read or Write, offset, size, latency",
    carries=_COLUMNS.carries,
    sized=True,
    lines=_is,
    columns=_COLUMNS,
)
