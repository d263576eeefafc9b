"""Tests of a policy and their steps. A folio is (file, index)."""

from __future__ import annotations

from typing import Literal, TypeAlias

from cpol.compiler.comm import Comm
from cpol.compiler.diagnostics.source import Pos
from cpol.compiler.ir.expr import Expr
from cpol.compiler.nodes import dataclass


@dataclass(frozen=True)
class Access:
    """Reads folios in order, or writes. `task` is the id of both thread and process; 0: none. `comm` names its command.

    Those that are not cached come with `pages` pages each. `ahead`: they only come, and nobody accesses them.
    """

    folios: tuple[tuple[int, int], ...]
    task: int
    comm: Comm
    pos: Pos
    pages: int = 1
    ahead: bool = False
    write: bool = False


@dataclass(frozen=True)
class Remove:
    folios: tuple[tuple[int, int], ...]
    pos: Pos


@dataclass(frozen=True)
class Reclaim:
    """Wants `pages` of the policy once. Those of its proposals go that are not `busy`, dirty or under writeback."""

    pages: int
    busy: frozenset[tuple[int, int]]
    pos: Pos


@dataclass(frozen=True)
class Room:
    """The cache may hold so many pages from here on; what is too much is evicted."""

    pages: int
    pos: Pos


@dataclass(frozen=True)
class Mark:
    """Says what folios are: removes the bits `off` of FOLIO_FLAGS, then adds the bits `on`."""

    folios: tuple[tuple[int, int], ...]
    off: int
    on: int
    pos: Pos


@dataclass(frozen=True)
class Settle:
    """Says of the folios that come from here on which device or cgroup they come from."""

    what: Literal["device", "cgroup"]
    number: int
    pos: Pos


@dataclass(frozen=True)
class Readers:
    """Says how often a file is open for reading, from here on."""

    file: int
    readers: int
    pos: Pos


@dataclass(frozen=True)
class Tick:
    """Lets `ms` milliseconds pass."""

    ms: int
    pos: Pos


@dataclass(frozen=True)
class Fill:
    """Sets or removes a key of an input.

    `key` is one number, (file, first, last) for a `page` input, or a Comm for a `comm` input. `value` is raw; None
    removes the key. For an array, the values are those of the entries from `key` on.
    """

    input: str
    key: tuple[int, ...]
    value: int | tuple[int, ...] | None
    pos: Pos


@dataclass(frozen=True)
class Expect:
    """Checks a condition. `text` is its source."""

    cond: Expr
    text: str
    pos: Pos


@dataclass(frozen=True)
class Fault:
    """Faults on `pages` of the area in order. The page is in `slot`, the next one in the slot behind it, and so on.

    `how`: empty, if the page has to be read; `cached`; or `prefetched`, which is cached, and used for the first time.
    `task` and `comm` as in Access.
    """

    pages: tuple[int, ...]
    slot: int
    how: Literal["", "cached", "prefetched"]
    task: int
    comm: Comm
    pos: Pos


@dataclass(frozen=True)
class Request:
    """A request for `wanted` pages of a file from `index` on. `task` and `comm` as in Access."""

    file: int
    index: int
    wanted: int
    sequential: bool
    marker: bool
    mapped: bool
    task: int
    comm: Comm
    pos: Pos


@dataclass(frozen=True)
class Range:
    """A file was opened, or `pages` of it, from `index` on, were read or written. `task` and `comm` as in Access."""

    event: str
    file: int
    index: int
    pages: int
    task: int
    comm: Comm
    pos: Pos


@dataclass(frozen=True)
class Out:
    """`pages` from the virtual page `page` on are about to go out to swap. `task` and `comm`: whose they are."""

    page: int
    pages: int
    shared: bool
    workingset: bool
    task: int
    comm: Comm
    pos: Pos


Step: TypeAlias = (
    Access | Remove | Reclaim | Room | Mark | Settle | Readers | Tick | Fill | Expect | Fault | Request | Range | Out
)


@dataclass(frozen=True)
class Surroundings:
    """What faults and requests of a test find: the first and last page of the area, the slots of the device, the pages
    that the kernel's own prefetching reads at most (0: its default), the pages of files.
    """

    area: tuple[int, int] = (0, (1 << 20) - 1)
    slots: int = 1 << 20
    window: int = 0
    size: int = 1 << 20


@dataclass(frozen=True)
class Test:
    """A test, or one case of it. `capacity` is in pages; the values of `params` are raw.

    The name of a case is `TEST.CASE`, and `row` the source of its values.
    """

    name: str
    row: str
    doc: str
    capacity: int
    batch: int
    seed: int
    params: tuple[tuple[str, int], ...]
    steps: tuple[Step, ...]
    pos: Pos
    around: Surroundings = Surroundings()
