"""Rows of an event log, and the header that gives their numbers a meaning."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from cpol.compiler.vocabulary.event import EVENTS, RANGE_EVENTS

VERSION = "1"
MAX_LINE = 4096
"""Bytes of a line. The writer stays far below; a file with a longer line is not an event log."""

MAX_U64 = 2**64 - 1
ENDS = ("head", "tail")
DIRECTIONS = ("read", "write")
FLUSHES = ("start", "wait")


class Op(IntEnum):
    """Events, and from 16 to 31 decisions, as are LEAVE_FILE and RECLAIM. scripts/contract.py writes them for C."""

    MISSED = 1
    ADDED = 2
    FIRST_ACCESSED = 3
    ACCESSED = 4
    REMOVED = 5
    EVICT = 6
    REFUSED = 7
    FALLBACK = 8
    ADMIT = 9
    TICK = 10
    TASK = 11
    FLAGS = 12
    ORIGIN = 13
    RW = 14
    ROOM = 15
    PLACE = 16
    MOVE = 17
    PROPOSE = 18
    GHOST_ADD = 19
    GHOST_TAKE = 20
    REFUSE = 21
    LEAVE = 22
    GHOST_FORGET = 23
    SLOT = 24
    PAGE = 25
    INDEX = 26
    DEFAULT = 27
    DROP = 28
    FLUSH = 29
    AHEAD = 30
    HOLD = 31
    AREA = 32
    SWAP = 33
    FAULT = 34
    PREFETCH = 35
    WINDOW = 36
    READAHEAD = 37
    OPENED = 38
    READ = 39
    WRITTEN = 40
    OUT = 41
    LEAVE_FILE = 42
    RECLAIM = 43
    READERS = 44

    @property
    def is_decision(self) -> bool:
        return Op.PLACE <= self < Op.AREA or self in (Op.LEAVE_FILE, Op.RECLAIM)

    @property
    def label(self) -> str:
        return self.name.lower()


OF_RANGES = {Op[event.upper()]: EVENTS[event] for event in RANGE_EVENTS}
"""Events of files: opened, or a range of them read or written."""

OF_GHOSTS = (Op.GHOST_ADD, Op.GHOST_TAKE, Op.GHOST_FORGET)
"""Decisions that name a ghost."""


class Row(NamedTuple):
    """One event or decision. `__init__.py` defines `a` and `b`; its `index` is `page` here."""

    op: int
    file: int
    page: int
    a: int = 0
    b: int = 0


@dataclass(frozen=True)
class Header:
    """The header of an event log; params and inputs are text as users write them."""

    policy: str
    lists: tuple[str, ...]
    """The names of the lists; arrays of lists are the last."""
    ghosts: tuple[str, ...]
    capacity: int
    """Pages."""
    batch: int = 1
    """Pages that an evict request of the simulator wants."""
    params: dict[str, str] = field(default_factory=dict)
    decisions: bool = True
    array_lengths: tuple[int, ...] = ()
    """Lists in each array."""
    seed: int = 1
    inputs: tuple[tuple[str, str, str], ...] = ()

    def list_label(self, number: int) -> str:
        """The label of a list by its number, from 1: `queue`, or `generation.5`."""
        plain = self.plain_lists
        if number <= len(plain):
            return plain[number - 1]
        index = number - 1 - len(plain)
        for name, length in self.arrays[:-1]:
            if index < length:
                return f"{name}.{index}"
            index -= length
        return f"{self.arrays[-1][0]}.{index}"

    @property
    def plain_lists(self) -> tuple[str, ...]:
        """The lists that are in no array."""
        return self.lists[: len(self.lists) - len(self.array_lengths)]

    @property
    def arrays(self) -> tuple[tuple[str, int], ...]:
        """The name and the length of each array, in the order of their lists' numbers."""
        names = self.lists[len(self.plain_lists) :]
        return tuple(zip(names, self.array_lengths, strict=True))


@dataclass(frozen=True)
class Log:
    """An event log."""

    header: Header
    rows: list[Row]
    lines: list[int]
    """The line in the file of each row."""
