"""IR declarations and the policy itself."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Literal

from cpol.compiler.diagnostics.source import Pos
from cpol.compiler.ir.expr import Expr
from cpol.compiler.ir.steps import Test
from cpol.compiler.ir.stmt import Let, Stmt
from cpol.compiler.nodes import dataclass
from cpol.compiler.types import EnumType, Type
from cpol.compiler.vocabulary.event import PREFETCH_EVENTS


@dataclass(frozen=True)
class ParamDecl:
    """A param. `default`, `low` and `high` are raw values of `type` (fix scaled by 2**16)."""

    name: str
    type: Type
    default: int
    low: int
    high: int
    doc: str
    pos: Pos
    unit: str = ""
    live: bool = False


@dataclass(frozen=True)
class VarDecl:
    """A state, or a field of the folio record. `init` is raw; `length` is 0 unless it is an array."""

    name: str
    type: Type
    init: int
    pos: Pos
    length: int = 0

    @property
    def cells(self) -> tuple[VarDecl, ...]:
        """The field itself, or each element of an array as a field of its own, such as `h[0]`."""
        if not self.length:
            return (self,)
        return tuple(replace(self, name=f"{self.name}[{number}]", length=0) for number in range(self.length))


@dataclass(frozen=True)
class GhostDecl:
    """A ghost. Attach evaluates `capacity` (U64, in entries) once.

    It uses constants, params and `cache.capacity` only. The records of files, threads and areas are
    ghosts, too, named `file`, `task` and `area`: `key` says what an entry stands for.
    """

    name: str
    capacity: Expr
    pos: Pos
    fields: tuple[VarDecl, ...] = ()
    key: Literal["folio", "file", "task", "area"] = "folio"


@dataclass(frozen=True)
class ListArray:
    """An array of lists. Arrays are the last of `Policy.lists`. Attach evaluates `length` (U64) once."""

    name: str
    length: Expr
    pos: Pos


@dataclass(frozen=True)
class TableDecl:
    """A table with one or two dimensions. Attach evaluates `sizes` (U64) once; a size of 0 counts as 1."""

    name: str
    type: Type
    sizes: tuple[Expr, ...]
    init: int
    pos: Pos


@dataclass(frozen=True)
class InputDecl:
    """A set, map or array that user space fills. `value` is None for a set; `default` is raw.

    An array has the key `index`. Attach evaluates its `size` (U64) once; a size of 0 counts as 1.
    """

    name: str
    key: Literal["thread", "process", "comm", "file", "page", "device", "cgroup", "index"]
    value: Type | None
    default: int
    doc: str
    pos: Pos
    size: Expr | None = None


@dataclass(frozen=True)
class PinDecl:
    """How many pages may be pinned, or kept from swap in a second. Attach evaluates `quota` (U64) once."""

    quota: Expr
    pos: Pos


@dataclass(frozen=True)
class FnDecl:
    """A pure function. A folio parameter has the type None.

    `lets` are computed in order, then the body. In both, a parameter is a `Local` of its declared type.
    """

    name: str
    params: tuple[tuple[str, Type | None], ...]
    body: Expr
    type: Type  # the declared type, which the body has
    pos: Pos
    lets: tuple[Let, ...] = ()


@dataclass(frozen=True)
class Every:
    """A periodic block. `period` (U64) is at least 1: a constant, a param, or of events what attach could evaluate."""

    period: Expr
    unit: Literal["events", "ms"]
    body: tuple[Stmt, ...]
    pos: Pos


@dataclass(frozen=True)
class ScoreDecl:
    """A score. `body` (U64, S64 or FIX) reads the folio named `folio`; the lowest score goes first."""

    name: str
    folio: str
    body: Expr
    pos: Pos


@dataclass(frozen=True)
class Handler:
    """A handler. `folio` and `why` are the names that it gives its arguments.

    `event` is one of init, missed, admit, added, first_accessed, accessed, removed, evict, or of
    PREFETCH_EVENTS.
    In these, `folio` is the name of the fault, of the request, of the range, or of the pages.
    """

    event: str
    folio: str | None
    why: str | None
    body: tuple[Stmt, ...]
    pos: Pos


@dataclass(frozen=True)
class Invariant:
    """A condition that always holds. `text` is its source, on one line."""

    cond: Expr
    text: str
    pos: Pos


@dataclass(frozen=True)
class Policy:
    """A whole policy. Handlers are keyed by event."""

    name: str
    doc: str
    path: str
    params: tuple[ParamDecl, ...]
    states: tuple[VarDecl, ...]
    lists: tuple[str, ...]  # list k has number k + 1 in the enum type `list`
    ghosts: tuple[GhostDecl, ...]
    fields: tuple[VarDecl, ...]
    scores: tuple[ScoreDecl, ...]
    handlers: dict[str, Handler] = field(default_factory=dict)
    invariants: tuple[Invariant, ...] = ()
    list_arrays: tuple[ListArray, ...] = ()
    tables: tuple[TableDecl, ...] = ()
    inputs: tuple[InputDecl, ...] = ()
    fns: tuple[FnDecl, ...] = ()
    everies: tuple[Every, ...] = ()
    tests: tuple[Test, ...] = ()
    pin: PinDecl | None = None
    keep: PinDecl | None = None

    @property
    def keyed(self) -> tuple[InputDecl, ...]:
        """The sets and maps among the inputs."""
        return tuple(given for given in self.inputs if given.size is None)

    @property
    def arrays(self) -> tuple[InputDecl, ...]:
        """The arrays among the inputs."""
        return tuple(given for given in self.inputs if given.size is not None)

    @property
    def prefetches(self) -> bool:
        """Whether it handles an event of prefetching."""
        return any(event in self.handlers for event in PREFETCH_EVENTS)

    @property
    def evicts(self) -> bool:
        """Whether it handles an event of eviction. A policy that does not owns no folio."""
        return not self.prefetches or any(event not in ("init", *PREFETCH_EVENTS) for event in self.handlers)

    @property
    def cells(self) -> tuple[VarDecl, ...]:
        """The values of a folio's record: its fields, and the elements of its arrays."""
        return tuple(cell for each in self.fields for cell in each.cells)

    @property
    def plain_lists(self) -> tuple[str, ...]:
        """The lists that are in no array."""
        return self.lists[: len(self.lists) - len(self.list_arrays)]

    @property
    def list_type(self) -> EnumType:
        return EnumType("list", ("none", *self.lists))
