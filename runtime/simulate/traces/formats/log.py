"""cpol's event log (cpol.runtime.machine.events)."""

from __future__ import annotations

from cpol.runtime.simulate.traces.formats.format import Format
from cpol.runtime.simulate.traces.lines import LineReader


def _reader() -> LineReader:
    from cpol.runtime.simulate.traces.formats.log_reader import EventLog  # and with it the log, which others do without

    return EventLog()


FORMAT = Format(
    "log",
    "cpol's event log",
    carries=frozenset(("file", "page", "thread", "process", "time")),
    others=("eventlog",),
    begins=b"cpol-events",
    reader=_reader,
)
