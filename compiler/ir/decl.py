"""Declarations, and the policy as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from cpol.compiler.diagnostics.source import Pos
from cpol.compiler.ir.expr import Expr
from cpol.compiler.ir.steps import Test
from cpol.compiler.ir.stmt import Stmt
from cpol.compiler.types import EnumType, Type


@dataclass(frozen=True)
class ParamDecl:
    """`default`, `low`, `high` are raw values of `type` (fix scaled by 2**16)."""

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
    """A state, or a field of the folio record."""

    name: str
    type: Type
    init: int
    pos: Pos


@dataclass(frozen=True)
class GhostDecl:
    """`capacity`, in entries (U64), is evaluated once, at attach, from constants, params and `cache.capacity`."""

    name: str
    capacity: Expr
    pos: Pos
    fields: tuple[VarDecl, ...] = ()


@dataclass(frozen=True)
class ListArray:
    """The array of lists, the last of `Policy.lists`. Its length (U64) is evaluated once, as a ghost's capacity is."""

    name: str
    length: Expr
    pos: Pos


@dataclass(frozen=True)
class TableDecl:
    """One or two `sizes` (U64), evaluated once, as a ghost's capacity is; 0 counts as 1."""

    name: str
    type: Type
    sizes: tuple[Expr, ...]
    init: int
    pos: Pos


@dataclass(frozen=True)
class InputDecl:
    """What user space fills. `value` is None for a set; `default` is raw."""

    name: str
    key: Literal["thread", "process", "file", "page"]
    value: Type | None
    default: int
    doc: str
    pos: Pos


@dataclass(frozen=True)
class FnDecl:
    """Pure. The type of a parameter is None if it is a folio; in the body values are `Local`s, of widened types."""

    name: str
    params: tuple[tuple[str, Type | None], ...]
    body: Expr
    type: Type  # as declared; the body is of the widened type, and what is returned saturates
    pos: Pos


@dataclass(frozen=True)
class Every:
    """`period` (U64) is a constant or a param, at least 1."""

    period: Expr
    unit: Literal["events", "ms"]
    body: tuple[Stmt, ...]
    pos: Pos


@dataclass(frozen=True)
class ScoreDecl:
    """`body` is of U64, S64 or FIX and reads the folio named `folio`; the lowest goes first."""

    name: str
    folio: str
    body: Expr
    pos: Pos


@dataclass(frozen=True)
class Handler:
    """`event`: one of init, missed, admit, added, first_accessed, accessed, removed, evict. `folio` and `why`: its
    names for them."""

    event: str
    folio: str | None
    why: str | None
    body: tuple[Stmt, ...]
    pos: Pos


@dataclass(frozen=True)
class Invariant:
    cond: Expr
    text: str
    pos: Pos


@dataclass(frozen=True)
class Policy:
    name: str
    doc: str
    path: str
    params: tuple[ParamDecl, ...]
    states: tuple[VarDecl, ...]
    lists: tuple[str, ...]  # list k is number k + 1 of the enum type `list`
    ghosts: tuple[GhostDecl, ...]
    fields: tuple[VarDecl, ...]
    scores: tuple[ScoreDecl, ...]
    handlers: dict[str, Handler] = field(default_factory=dict)
    invariants: tuple[Invariant, ...] = ()
    list_array: ListArray | None = None
    tables: tuple[TableDecl, ...] = ()
    inputs: tuple[InputDecl, ...] = ()
    fns: tuple[FnDecl, ...] = ()
    everies: tuple[Every, ...] = ()
    tests: tuple[Test, ...] = ()

    @property
    def list_type(self) -> EnumType:
        return EnumType("list", ("none", *self.lists))
