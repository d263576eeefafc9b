"""The events that a policy may handle: `on added(f)`, `on read(r)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Of = Literal["", "folio", "fault", "request", "range", "out"]
"""What an event happens to: nothing, or what its parameter is. `request` is of readahead, `out` goes out to swap."""

_LETTERS: Mapping[Of, str] = {"": "", "folio": "f", "fault": "p", "request": "r", "range": "r", "out": "p"}
"""The usual name of the parameter, in messages."""


class Event(NamedTuple):
    """An event.

    A new event of ranges needs a record here, its number in the log (`runtime/machine/events/rows.py`), and its member
    in `contract.toml`; the kernel calls the member. Others need code in each executor, too.
    """

    name: str
    of: Of
    programs: tuple[str, ...] = ()
    """The programs that run its handler. The first has the name of its member, if it happens to no folio."""
    reported: str | None = None
    """The event that a kernel's profile must have. None: that of its name; empty: every kernel has it."""
    why: bool = False
    """Its handler may have a second parameter: why."""
    cached: bool = True
    """Whether the folio is in the cache; else only its `file` and `index` are known."""
    task: bool = False
    """Whether a task causes it, which its handler may read."""
    end: bool = False
    """Its handler can read and move the folio at an end of a list, as `evict` can."""
    reclaims: bool = False
    """Its handler may ask for an eviction, by `reclaim`; so may `every`."""
    asks: bool = False
    """Its handler says what to prefetch."""
    whole: bool = False
    """Of a file as a whole: the range has no pages."""
    holds: tuple[str, ...] = ()
    """The statements about files that its handler may hold."""
    step: str = ""
    """The step of a test that makes it happen to a file, or to a range of one."""

    @property
    def parameters(self) -> tuple[tuple[str, ...], ...]:
        """The parameters that its handler may have, in messages."""
        first = (_LETTERS[self.of],) if self.of else ()
        return (first, (*first, "why")) if self.why else (first,)


EVENTS: Mapping[str, Event] = {
    event.name: event
    for event in (
        Event("init", "", ("init",), reported=""),
        Event("missed", "folio", ("admit_folio",), reported="", cached=False, task=True),
        Event("admit", "folio", ("admit_folio",), cached=False, task=True),
        Event("added", "folio", ("folio_added",), task=True, end=True, reclaims=True),
        Event("first_accessed", "folio", ("folio_accessed",), "accessed", task=True, end=True, reclaims=True),
        Event("accessed", "folio", ("folio_accessed",), task=True, end=True, reclaims=True),
        Event("removed", "folio", ("folio_removed",), why=True, end=True),
        Event("evict", "", ("evict_folios",)),
        Event("fault", "fault", ("swap_fault", "swap_prefetch"), task=True),
        Event("prefetch", "fault", ("swap_prefetch",), task=True, asks=True),
        Event("readahead", "request", ("file_readahead",), task=True, asks=True),
        Event("opened", "range", ("file_opened",), task=True, whole=True, holds=("readahead", "leave"), step="open"),
        Event("read", "range", ("file_read",), task=True, holds=("drop", "leave"), step="read"),
        Event("written", "range", ("file_written",), task=True, holds=("drop", "flush", "leave"), step="written"),
        Event("swap", "out", ("swap_out",)),
    )
}
"""In the order in which messages and generated C name them."""

PREFETCH_EVENTS = tuple(event.name for event in EVENTS.values() if event.of not in ("", "folio"))
"""Events that only a policy that prefetches handles: those that happen to no folio."""

EVICTION_EVENTS = tuple(name for name in EVENTS if name not in ("init", *PREFETCH_EVENTS))
"""Events that only a policy that evicts handles."""

RANGE_EVENTS = tuple(event.name for event in EVENTS.values() if event.of == "range")
"""Events of files that were opened, and of ranges of files that were read or written."""

UNCACHED = tuple(event.name for event in EVENTS.values() if not event.cached)
"""Events of a folio outside of the cache, where only `file` and `index` are known."""

TASK_EVENTS = tuple(event.name for event in EVENTS.values() if event.task)
"""Events that a task causes."""

ONE_AT_A_TIME = tuple(event.name for event in EVENTS.values() if event.end)
"""Events besides `evict` whose handler can read and move the folio at an end of a list."""

RECLAIMING = tuple(event.name for event in EVENTS.values() if event.reclaims)
"""Events whose handler may ask for an eviction."""

ASKED = tuple(event.name for event in EVENTS.values() if event.asks)
"""Events whose handler says what to prefetch."""


def holding(statement: str) -> tuple[str, ...]:
    """The events whose handlers may hold a statement about files."""
    return tuple(event.name for event in EVENTS.values() if statement in event.holds)
