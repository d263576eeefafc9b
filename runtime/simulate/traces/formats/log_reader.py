"""The event log (runtime/machine/events) as a trace: what was accessed, by which task, when.

A request is `first_accessed` or `accessed`. One that a policy refused or left to the kernel has neither, so the
decision `refuse` or `leave` counts for it. Pages that readahead brought in are requests when they are read.
"""

from __future__ import annotations

from cpol.runtime.machine.events import MAX_LINE, LogError, Op, Row
from cpol.runtime.machine.events.read import Reader
from cpol.runtime.simulate.traces.columns import Columns

REQUESTS = frozenset((Op.FIRST_ACCESSED, Op.ACCESSED, Op.REFUSE, Op.LEAVE))
"""`refuse` and `leave` come after `admit` and `added` only."""


class EventLog:
    """Reads the lines (lines.py)."""

    columns = Columns({"time": 0, "file": 1, "page": 2, "thread": 3, "process": 4}, 1)

    def __init__(self) -> None:
        self._reader = Reader("")
        self.ms, self.thread, self.process = 0, 0, 0
        self._told = {"file", "page"}
        self.left = 0  # folios whose later requests are in no row

    @property
    def carries(self) -> frozenset[str]:
        """A log has times and tasks if its policy read them."""
        return frozenset(self._told)

    def line(self, raw: bytes) -> str:
        if len(raw) >= MAX_LINE:
            raise ValueError(f"the line is longer than {MAX_LINE} bytes")
        try:
            row = self._reader.next(raw)
        except LogError as error:
            raise ValueError(error.what) from None
        if row is None:
            return ""
        if row.op == Op.TICK:
            self.ms = row.a
            self._told.add("time")
        elif row.op == Op.TASK:
            self.thread, self.process = row.a, row.b
            self._told |= {"thread", "process"}
        elif row.op == Op.LEAVE:
            self.left += 1
        return self.row(row)

    def row(self, row: Row) -> str:
        """The request of a row, as `line` returns it. Raises ValueError as `line` does."""
        return f"{self.ms},{row.file},{row.page},{self.thread},{self.process}" if row.op in REQUESTS else ""

    def finish(self) -> None:
        """It may end anywhere."""
