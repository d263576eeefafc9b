"""The state of the abstract machine, as docs/semantics.md names it: what there is, and what handlers read of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from cpol.compiler import ir
from cpol.compiler.ir import End
from cpol.compiler.literals import show_value
from cpol.runtime.events import Header, Op, Row
from cpol.runtime.interp.ghost import Ghost, Name
from cpol.runtime.interp.table import Table
from cpol.runtime.settings.inputs import Input, Setting


@dataclass(eq=False)
class Folio:
    """A folio in the cache, and its record; or one that may come into it."""

    file: int
    index: int
    pages: int
    fields: dict[str, int]
    list: str = "none"
    """The list it is on (`queue`, or `generation.5`), or was on before it was a candidate, proposed or removed."""
    on_list: bool = False
    was_read: bool = False
    far: End = End.TAIL
    """Proposed: the far end of the scan that proposed it."""

    @property
    def name(self) -> Name:
        return self.file, self.index


@dataclass
class Call:
    """One call of a handler; of `admit`, with its answer, and of `evict`, with what it wants and proposed."""

    wanted: int = 0
    proposals: list[Folio] = field(default_factory=list)
    refused: bool = False

    @property
    def satisfied(self) -> bool:
        return self.missing <= 0

    @property
    def missing(self) -> int:
        return self.wanted - sum(folio.pages for folio in self.proposals)


class State:
    """All of it but what a call holds. `Machine` fills it in."""

    policy: ir.Policy
    capacity: int
    batch: int
    seed: int
    params: dict[str, int]
    settings: list[Setting]
    """What the inputs were filled with before the first event."""
    array_length: int
    """Lists in the array of lists; 0 without one."""

    def __init__(self) -> None:
        self.state: dict[str, int] = {}
        self.tables: dict[str, Table] = {}
        self.inputs: dict[str, Input] = {}
        self.lists: dict[str, list[Folio]] = {}  # in the order of their numbers, from 1; those of an array last
        self.ghosts: dict[str, Ghost] = {}
        self.cache: dict[Name, Folio] = {}  # of the policy: on a list, or proposed
        self.left: dict[Name, Folio] = {}  # left to the kernel, in the order of arrival
        self.proposed: list[Folio] = []  # and neither removed nor refused yet
        self.announced: Name | None = None  # whose `missed` has run, and who has not been added since
        self.clock = 0  # `added` and `accessed` events so far
        self.ms = 0  # of the last tick
        self.random = 0  # the state of the random source
        self.task = (0, 0)  # thread, process
        self.records: list[Row] = []  # events and decisions: the event log
        self.reached: set[ir.Pos] = set()  # statements that ran
        self.line = 0  # of the statement or declaration in hand, for messages
        self.hits = self.misses = self.fallbacks = self.refusals = self.refused_admission = 0

    @property
    def size(self) -> int:
        """Pages that the policy owns."""
        return sum(folio.pages for folio in self.cache.values() if folio.list != "none")

    @property
    def occupied(self) -> int:
        """Pages in the cache: those that the policy owns, and those that it left to the kernel."""
        return self.size + sum(folio.pages for folio in self.left.values())

    def labels(self, name: str) -> list[str]:
        """The lists that `name` stands for: one, or all of an array."""
        if self.policy.list_array is not None and name == self.policy.list_array.name:
            return [f"{name}.{number}" for number in range(self.array_length)]
        return [name]

    def size_on(self, name: str) -> int:
        """Pages on the list, or on all lists of the array."""
        return sum(
            folio.pages for folio in self.cache.values() if folio.on_list and folio.list.partition(".")[0] == name
        )

    def list_size(self, label: str) -> int:
        return sum(folio.pages for folio in self.lists[label])

    def from_end(self, label: str, end: End) -> list[Folio]:
        """The folios on a list, in the order in which a scan from `end` meets them."""
        folios = self.lists[label]
        return folios[:] if end is End.HEAD else folios[::-1]

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
            capacity=self.capacity,
            batch=self.batch,
            params={name: show_value(value, types[name]) for name, value in self.params.items()},
            array_length=self.array_length,
            seed=self.seed,
            inputs=tuple(self.settings),
        )
