"""The state of the abstract machine (docs/semantics.md, State), and what handlers read of it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from cpol.compiler import ir
from cpol.compiler.comm import UNKNOWN
from cpol.compiler.ir import End
from cpol.compiler.literals import show_value
from cpol.runtime.machine.events import Header, Op, Row
from cpol.runtime.machine.events.prefetch import NOTHING, Fault, Out, Range, Request, Target
from cpol.runtime.machine.interp.ghost import Ghost, Name
from cpol.runtime.machine.interp.table import Table
from cpol.runtime.machine.settings.inputs import Input, Setting


@dataclass(eq=False)
class Folio:
    """A folio in the cache with its record, or one that may come into the cache."""

    file: int
    index: int
    pages: int
    fields: dict[str, int]
    list: str = "none"
    """Its list (`queue`, or `generation.5`); for a candidate, a proposed or a removed folio, its last list."""
    on_list: bool = False
    was_read: bool = False
    was_written: bool = False  # a write brought it, and no request missed it
    flags: int = 0
    """Bits of FOLIO_FLAGS."""
    pinned: bool = False
    origin: tuple[int, int] = (0, 0)
    """The device and the cgroup that it came from."""
    far: End = End.TAIL
    """For a proposed folio, the far end of the scan that proposed it."""

    @property
    def name(self) -> Name:
        return self.file, self.index


@dataclass
class Call:
    """One call of a handler.

    `wanted` pages and proposals belong to `evict`, `periods` to `every`; `refused` is the answer of `admit`.
    """

    wanted: int = 0
    periods: int = 1
    fault: Fault | Out | None = None
    """In `fault` and `prefetch`; in `swap` an Out."""
    request: Request | Range | None = None
    """In `readahead`; in `opened`, `read` and `written` a Range."""
    targets: list[Target] = field(default_factory=list)
    defaulted: bool = False
    out_of_range: int = 0
    duplicates: int = 0
    over_limit: int = 0
    dropped: bool = False
    flushed: bool = False
    waited: bool = False
    left: bool = False
    window: int | None = None
    """What `drop`, `flush`, `leave` and `readahead` decided."""
    held: bool | None = None
    """What `keep p` came to; None: it did not run."""
    proposals: list[Folio] = field(default_factory=list)
    refused: bool = False

    @property
    def satisfied(self) -> bool:
        """Whether the proposals have all the pages that the request wants."""
        return self.missing <= 0

    @property
    def missing(self) -> int:
        """Pages that the request still wants."""
        return self.wanted - sum(folio.pages for folio in self.proposals)


class State:
    """The whole state except that of a call. `Machine` sets the attributes without a default."""

    policy: ir.Policy
    fns: dict[str, ir.FnDecl]
    capacity: int
    attached: int  # the capacity at attach
    batch: int
    seed: int
    params: dict[str, int]
    settings: list[Setting]
    """What the inputs held before the first event."""
    quota: int
    """Pages that may be pinned."""
    keep_quota: int
    """Pages that may be kept from swap in a second."""
    array_lengths: dict[str, int]
    """Lists in each array of lists."""

    def __init__(self) -> None:
        self.state: dict[str, int] = {}
        self.tables: dict[str, Table] = {}
        self.inputs: dict[str, Input] = {}
        self.lists: dict[str, list[Folio]] = {}  # in the order of their numbers, from 1; those of an array last
        self.list_numbers: dict[str, int] = {}
        self.ghosts: dict[str, Ghost] = {}
        self.cache: dict[Name, Folio] = {}  # the policy's folios: on a list, or proposed
        self.size = 0  # pages that the policy owns: those of folios on lists, or proposed
        self.left: dict[Name, Folio] = {}  # folios left to the kernel, oldest first
        self.dirtied: deque[Name] = deque()  # by requests that wrote, oldest first
        self.proposed: list[Folio] = []  # neither removed nor refused yet
        self.announced: Name | None = None  # the last folio of `missed`, until it is added or refused
        self.clock = 0  # `added` and `accessed` events so far
        self.every_last: dict[int, int] = {}  # by number of the block: the clock when its last period ended
        self.ms = 0  # time of the last tick, since attach
        self.random = 0  # the state of the random source
        self.task = (0, 0, UNKNOWN)  # thread, process, the command's name
        self.writes = False  # whether the requests write
        self.origin = (0, 0)  # the device and the cgroup of folios that come
        self.readers: dict[int, int] = {}  # of files: how often each is open for reading
        self.area = (0, 0, 0)  # of faults: what names it, its first and last page
        self.swap = (0, 0, 0)  # of faults: the device, its slots, the kernel's window
        self.window = (0, 0, 0, 0)  # of requests: the device, the size of the file, the kernel's start and window
        self.around = ir.Surroundings()  # of the faults and requests of a test
        self.decided = NOTHING  # by the last event that asked what to prefetch
        self.records: list[Row] = []  # events and decisions: the event log
        self.reached: set[ir.Pos] = set()  # statements that ran
        self.pos = ir.Pos(0, 0)  # of the current statement or declaration, for messages
        self.hits = self.misses = self.fallbacks = self.refusals = self.refused_admission = 0
        self.missed_bytes = 0  # of a trace's requests that missed, if it has sizes
        self.read_bytes = 0  # of what was not cached when it was requested, or brought by readahead; the same
        self.wanted = 0  # pages, of `reclaim`: evictions that are still to come
        self.reclaims = 0  # statements that wanted pages
        self.reclaimed = self.unreclaimed = 0  # pages: evicted for them; wanted, and not to be had
        self.keeps = (0, 0)  # a second, and the pages that were kept from swap in it
        self.keeps_kept = self.keeps_refused = 0  # pages: kept; beyond the quota
        self.pinned = 0  # pages
        self.pins_refused = self.pins_kept = self.pins_overruled = 0  # pages: beyond the quota; evicted while pinned

    @property
    def here(self) -> str:
        """The file and the line of the current statement or declaration."""
        return f"{self.pos.file or self.policy.path}:{self.pos.line}"

    @property
    def occupied(self) -> int:
        """Pages in the cache: those that the policy owns and those that it left to the kernel."""
        return self.size + sum([folio.pages for folio in self.left.values()])

    def labels(self, name: str) -> list[str]:
        """The labels of the list `name`, or of all lists of an array."""
        if name in self.array_lengths:
            return [f"{name}.{number}" for number in range(self.array_lengths[name])]
        return [name]

    def empty_arrays(self) -> list[str]:
        """A line for each array that has no folio."""
        lengths = self.array_lengths.items()
        return [
            f"{name}: all {length} empty"
            for name, length in lengths
            if not any(self.lists[label] for label in self.labels(name))
        ]

    def size_on(self, name: str) -> int:
        """Pages on the list `name`, or on all lists of an array."""
        if name not in self.array_lengths:
            return self.list_size(name)
        owned = self.cache.values()
        return sum([folio.pages for folio in owned if folio.on_list and folio.list.partition(".")[0] == name])

    def list_size(self, label: str) -> int:
        return sum([folio.pages for folio in self.lists[label]])

    def from_end(self, label: str, end: End) -> list[Folio]:
        """The folios on a list, in the order in which a scan from `end` visits them."""
        folios = self.lists[label]
        return folios[:] if end is End.HEAD else folios[::-1]

    def first(self, label: str, end: End) -> Folio | None:
        """The folio at this end of a list."""
        folios = self.lists[label]
        return folios[0 if end is End.HEAD else -1] if folios else None

    def next(self, folio: Folio, end: End) -> Folio | None:
        """The folio that a scan from `end` visits after this one, which is on a list."""
        folios = self.lists[folio.list]
        place = folios.index(folio) + (1 if end is End.HEAD else -1)
        return folios[place] if 0 <= place < len(folios) else None

    def reach(self, statement: ir.Stmt) -> None:
        """A statement is about to run."""
        self.reached.add(statement.pos)
        self.pos = statement.pos

    # The event log.

    def record(self, op: Op, file: int = 0, index: int = 0, a: int = 0, b: int = 0) -> None:
        self.records.append(Row(op, file, index, a, b))

    @property
    def decisions(self) -> list[Row]:
        return [row for row in self.records if Op(row.op).is_decision]

    @property
    def header(self) -> Header:
        types = {param.name: param.type for param in self.policy.params}
        return Header(
            policy=self.policy.name,
            lists=self.policy.lists,
            ghosts=tuple(ghost.name for ghost in self.policy.ghosts),
            capacity=self.attached,
            batch=self.batch,
            params={name: show_value(value, types[name]) for name, value in self.params.items()},
            array_lengths=tuple(self.array_lengths.values()),
            seed=self.seed,
            inputs=tuple(self.settings),
        )
