"""Rows of a trace: touches of memory, and reads of files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from cpol.compiler.comm import UNKNOWN, Comm
from cpol.runtime.simulate.prefetch.memory import Key


@dataclass(frozen=True, slots=True)
class Touch:
    """A process touches a page of its memory.

    `is_fault`: it is known to have faulted, so memory does not hold it, except for what was read ahead.
    """

    page: int
    time_ns: int = 0
    process: int = 0
    thread: int = 0
    comm: Comm = UNKNOWN
    first: int = 0  # pages of the area
    last: int = 0
    device: int = 0
    slot: int | None = None  # where the page was
    writes: bool = False
    is_fault: bool = False

    @property
    def key(self) -> Key:
        return Key(False, self.process, self.page)


@dataclass(frozen=True, slots=True)
class Read:
    """A thread reads a page of a file.

    `wanted`: so many pages are left of the request, from this one on. `writes`: the page is overwritten, and not read.
    """

    file: int
    index: int
    time_ns: int = 0
    process: int = 0
    thread: int = 0
    comm: Comm = UNKNOWN
    wanted: int = 1
    writes: bool = False

    @property
    def key(self) -> Key:
        return Key(True, self.file, self.index)


Row: TypeAlias = Touch | Read


@dataclass(frozen=True)
class Rows:
    """A trace."""

    rows: Sequence[Row]
    format: str
    lost: int = 0  # events that a recording lacks
    carries: frozenset[str] = frozenset()  # of thread, process, comm, time, area, slot: what the rows tell

    @cached_property
    def touches(self) -> int:
        """The number of rows that touch memory."""
        return sum(isinstance(row, Touch) for row in self.rows)

    @cached_property
    def distinct(self) -> int:
        """The number of different pages."""
        return len({row.key for row in self.rows})
