"""What asks a policy about no folio, and its answer (docs/semantics.md, Prefetching and Ranges of files)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from cpol.compiler.types import Space

CACHED, PREFETCHED = 1, 2
"""Flags of a fault."""
SEQUENTIAL, MARKER, MAPPED = 1, 2, 4
"""Flags of a request."""

SHARED, WORKINGSET = 1, 2
"""Flags of pages that go out."""

FAULT_FLAGS = ("cached", "prefetched")
REQUEST_FLAGS = ("sequential", "marker", "mapped")
OUT_FLAGS = ("shared", "workingset")
"""The names of the flags, from bit 0 on."""


@dataclass(frozen=True)
class Fault:
    """A swap fault. Numbers are below 2**62.

    - `page`: the virtual page, from `first` to `last` of its area;
    - `slot`: of the swap device `device`, which has `slots`;
    - `area`: names the area, for its record;
    - `cached`: the page was in the swap cache; `prefetched`: because it was prefetched, and this is its first use;
    - `window`: most pages that the kernel's own readahead reads, 1 to 64.
    """

    page: int
    slot: int
    slots: int
    first: int
    last: int
    area: int = 0
    device: int = 0
    cached: bool = False
    prefetched: bool = False
    window: int = 8

    @property
    def flags(self) -> int:
        return CACHED * self.cached | PREFETCHED * self.prefetched


@dataclass(frozen=True)
class Request:
    """A request of file readahead for `wanted` pages (at least 1) from `index` on. Numbers are below 2**62.

    - `start`, `window`: what the kernel's own readahead would read;
    - `size`: pages of the file;
    - `sequential`: the kernel takes it for sequential; `marker`: the reader reached the marked page `index`;
      `mapped`: a fault of a mapping.
    """

    file: int
    index: int
    wanted: int
    start: int
    window: int
    size: int
    sequential: bool = False
    marker: bool = False
    mapped: bool = False
    device: int = 0

    @property
    def flags(self) -> int:
        return SEQUENTIAL * self.sequential | MARKER * self.marker | MAPPED * self.mapped


@dataclass(frozen=True)
class Range:
    """A file that was opened, or `pages` of it (at least 1) that were read or written. Numbers are below 2**62.

    - `index`, `pages`: from this page on; both 0 if it was opened. What was read: to the end of these pages;
    - `size`: pages of the file.
    """

    event: str  # one of RANGE_EVENTS
    file: int
    index: int
    pages: int
    size: int
    device: int = 0


@dataclass(frozen=True)
class Out:
    """Anonymous pages that are about to go out to swap: `pages` (at least 1) from the virtual page `page` on, in an
    area as of a Fault. Whose they are is the task that the log named last. Numbers are below 2**62.

    `shared`: more than one process maps them; `workingset`: they were active before.
    """

    page: int
    pages: int
    first: int
    last: int
    area: int = 0
    shared: bool = False
    workingset: bool = False
    process: int = 0
    comm: int = 0

    @property
    def flags(self) -> int:
        return SHARED * self.shared | WORKINGSET * self.workingset


class Target(NamedTuple):
    """A page to prefetch: a slot of the device, a page of the area, or an index of the file."""

    space: Space
    number: int


@dataclass(frozen=True)
class Decided:
    """What a policy answered: the targets in their order, and whether the kernel's own prefetching runs after them.

    A policy without the handler leaves all to the kernel. The counts are of targets that were dropped. Of a Range:
    whether it leaves the cache, is written back, and waited for; whether the opened file is left, and its window, or
    None. Of an Out: whether the pages stay, and whether the policy would have kept them, but for its quota.
    """

    targets: tuple[Target, ...] = ()
    defaulted: bool = False
    out_of_range: int = 0
    duplicates: int = 0
    over_limit: int = 0
    dropped: bool = False
    flushed: bool = False
    waited: bool = False
    left: bool = False
    window: int | None = None
    kept: bool = False
    refused: bool = False

    def marked(self, request: Request) -> int | None:
        """The target that gets the marker, by its index: the first one that continues the wanted pages, or else the
        first of all. None: there is no target.
        """
        numbers = [target.number for target in self.targets]
        behind = request.index + request.wanted
        return behind if behind in numbers else numbers[0] if numbers else None


NOTHING = Decided()
