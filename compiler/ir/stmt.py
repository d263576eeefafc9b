"""Statements. Each has the position that `#line` and messages use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cpol.compiler.diagnostics.source import Pos
from cpol.compiler.ir.expr import Expr, ListRef
from cpol.compiler.types import End


@dataclass(frozen=True)
class Let:
    name: str
    value: Expr
    pos: Pos


@dataclass(frozen=True)
class SetState:
    """`value` is of the widened type (U64, S64, FIX, BOOL, enum); saturates to the state's type."""

    name: str
    value: Expr
    pos: Pos


@dataclass(frozen=True)
class SetField:
    folio: str
    name: str
    value: Expr
    pos: Pos


@dataclass(frozen=True)
class If:
    cond: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    pos: Pos


@dataclass(frozen=True)
class SetTable:
    """As SetState; the indices as in TableGet, evaluated before the value."""

    table: str
    indices: tuple[Expr, ...]
    value: Expr
    pos: Pos


@dataclass(frozen=True)
class For:
    """`name` (U64) runs from `low` to `high`, both included; at most MAX_ROUNDS rounds."""

    name: str
    low: Expr
    high: Expr
    body: tuple[Stmt, ...]
    pos: Pos


@dataclass(frozen=True)
class Place:
    """Adopt the folio; only in `added`, where each path has exactly one Place or Leave."""

    folio: str
    end: End
    list: ListRef
    pos: Pos


@dataclass(frozen=True)
class Leave:
    """Leave the folio to the kernel; only in `added`."""

    folio: str
    pos: Pos


@dataclass(frozen=True)
class Refuse:
    """The folio does not come into the cache; only in `admit`. Ends the handler."""

    folio: str
    pos: Pos


@dataclass(frozen=True)
class Move:
    folio: str
    end: End
    list: ListRef
    pos: Pos


@dataclass(frozen=True)
class GhostAdd:
    """Remember the folio as the newest entry. One that is there already moves to the newest place. `values`: of all
    fields of the record, in order of declaration, widened; they saturate."""

    ghost: str
    folio: str
    pos: Pos
    values: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class GhostDrop:
    """`take` whose answer nobody wants."""

    ghost: str
    folio: str
    pos: Pos


@dataclass(frozen=True)
class GhostForget:
    """Forget the oldest entry that is not held, if there is one."""

    ghost: str
    pos: Pos


@dataclass(frozen=True)
class Scan:
    """`when` arms are lowered to nested `If`s."""

    list: ListRef
    end: End
    bound: Expr | None  # U64; None: as many folios as the list holds
    folio: str
    body: tuple[Stmt, ...]
    pos: Pos


@dataclass(frozen=True)
class Evict:
    """`evict f`. Ends the handler when the request has what it wanted. `far`: the end of the list that the scan of this
    folio comes to last, to which a folio that is refused goes back."""

    folio: str
    far: End
    pos: Pos


@dataclass(frozen=True)
class EvictLowest:
    """`evict lowest score of up to bound from end of list`. Ends the handler when the request has what it wanted."""

    score: str
    bound: Expr  # U64
    end: End
    list: ListRef
    pos: Pos


@dataclass(frozen=True)
class Stop:
    """Ends the innermost scan or `for`."""

    pos: Pos


Stmt: TypeAlias = (
    Let | SetState | SetField | SetTable | If | For | Place | Leave | Refuse | Move
    | GhostAdd | GhostDrop | GhostForget | Scan | Evict | EvictLowest | Stop
)  # fmt: skip
