"""The policy IR: what the checker proved, in a form that three executors share.

Every expression carries its type; all widening is explicit (`Convert`). A store saturates at the type of its target.
Nothing here refers to the syntax: names are resolved and positions are kept only for `#line` and messages.
The meaning of each node is `docs/semantics.md`, and its specification is `cpol.runtime.interp`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, TypeAlias

FIX_FRACTION_BITS = 16
"""Fraction bits of `fix` (Q47.16)."""

EVICT_ROUNDS = 8
"""How often one request calls the evict handler before the machine falls back."""

MAX_BATCH = 32
"""Pages that one call of the evict handler can be asked for."""

MAX_LISTS = 8


@dataclass(frozen=True)
class IntType:
    """An integer of `bits` (1 to 64); `u64` and `s64` are the types of expressions."""

    signed: bool
    bits: int

    def __str__(self) -> str:
        return f"{'s' if self.signed else 'u'}{self.bits}"


@dataclass(frozen=True)
class FixType:
    def __str__(self) -> str:
        return "fix"


@dataclass(frozen=True)
class BoolType:
    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class EnumType:
    """A set of names numbered from 0. `list` (number 0 is `none`) and `reason` are built in."""

    name: str
    members: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


Type: TypeAlias = IntType | FixType | BoolType | EnumType

U64 = IntType(False, 64)
S64 = IntType(True, 64)
FIX = FixType()
BOOL = BoolType()
REASON = EnumType("reason", ("evicted", "deleted"))


class End(Enum):
    HEAD = "head"
    TAIL = "tail"

    @property
    def far(self) -> End:
        return End.TAIL if self is End.HEAD else End.HEAD


@dataclass(frozen=True)
class Pos:
    """1-based line and column in the `.cpol` file."""

    line: int
    column: int


# Expressions. `type` is U64, S64, FIX, BOOL or an EnumType.


@dataclass(frozen=True)
class Const:
    value: int  # raw: a fix is scaled by 2**16, a bool is 0 or 1, an enum its number
    type: Type


@dataclass(frozen=True)
class Param:
    """The value of a param or const-like setting; of the declared type, unwidened."""

    name: str
    type: Type


@dataclass(frozen=True)
class State:
    name: str
    type: Type


@dataclass(frozen=True)
class Local:
    """A `let` or the `why` of `removed`."""

    name: str
    type: Type


@dataclass(frozen=True)
class Field:
    """`folio.name`: a field of the folio record."""

    folio: str
    name: str
    type: Type


@dataclass(frozen=True)
class FolioAttr:
    """A built-in attribute of a folio: `list` is of the policy's list enum, the others are U64."""

    folio: str
    attr: Literal["list", "pages", "index", "file"]
    type: Type


@dataclass(frozen=True)
class ListSize:
    """Pages on a list."""

    list: str
    type: Type = U64


@dataclass(frozen=True)
class CacheAttr:
    attr: Literal["size", "capacity"]
    type: Type = U64


@dataclass(frozen=True)
class EvictWanted:
    """Pages that the request in hand wants from this call; only in `evict`."""

    type: Type = U64


@dataclass(frozen=True)
class Arith:
    """`left op right`, both of `type`, which is U64, S64 or FIX. Saturates. A divisor is proved non-zero."""

    op: Literal["add", "sub", "mul", "div", "mod", "min", "max"]
    left: Expr
    right: Expr
    type: Type


@dataclass(frozen=True)
class Compare:
    """Both operands have one type."""

    op: Literal["eq", "ne", "lt", "le", "gt", "ge"]
    left: Expr
    right: Expr
    type: Type = BOOL


@dataclass(frozen=True)
class Logic:
    """Short-circuits, left to right."""

    op: Literal["and", "or"]
    left: Expr
    right: Expr
    type: Type = BOOL


@dataclass(frozen=True)
class Not:
    operand: Expr
    type: Type = BOOL


@dataclass(frozen=True)
class Convert:
    """To `type`, saturating. From FIX to an integer: `rounding`. From and to U64, S64, FIX and narrower integers."""

    operand: Expr
    type: Type
    rounding: Literal["floor", "ceil"] = "floor"


@dataclass(frozen=True)
class GhostTake:
    """Whether the ghost remembers the folio; if so it is forgotten."""

    ghost: str
    folio: str
    type: Type = BOOL


@dataclass(frozen=True)
class GhostHas:
    ghost: str
    folio: str
    type: Type = BOOL


Expr: TypeAlias = (
    Const | Param | State | Local | Field | FolioAttr | ListSize | CacheAttr | EvictWanted
    | Arith | Compare | Logic | Not | Convert | GhostTake | GhostHas
)  # fmt: skip


# Statements. Each has the position that `#line` and messages use.


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
class Place:
    """Adopt the folio; only in `added`, exactly once on each path."""

    folio: str
    end: End
    list: str
    pos: Pos


@dataclass(frozen=True)
class Move:
    folio: str
    end: End
    list: str
    pos: Pos


@dataclass(frozen=True)
class GhostAdd:
    """Remember the folio as the newest entry. One that is there already moves to the newest place."""

    ghost: str
    folio: str
    pos: Pos


@dataclass(frozen=True)
class Scan:
    """`when` arms are lowered to nested `If`s."""

    list: str
    end: End
    bound: Expr | None  # U64; None: as many folios as the list holds
    folio: str
    body: tuple[Stmt, ...]
    pos: Pos


@dataclass(frozen=True)
class Propose:
    """`evict f`. Ends the handler when the request has what it wanted."""

    folio: str
    pos: Pos


@dataclass(frozen=True)
class EvictLowest:
    """`evict lowest score of up to bound from end of list`. Ends the handler when the request has what it wanted."""

    score: str
    bound: Expr  # U64
    end: End
    list: str
    pos: Pos


@dataclass(frozen=True)
class Stop:
    """Ends the innermost scan."""

    pos: Pos


Stmt: TypeAlias = (
    Let | SetState | SetField | If | Place | Move | GhostAdd | Scan | Propose | EvictLowest | Stop
)  # fmt: skip


# Declarations.


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


@dataclass(frozen=True)
class ScoreDecl:
    """`body` is of U64, S64 or FIX and reads the folio named `folio`; the lowest goes first."""

    name: str
    folio: str
    body: Expr
    pos: Pos


@dataclass(frozen=True)
class Handler:
    """`event`: init, added, first_accessed, accessed, removed or evict. `folio` and `why`: its names for them."""

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

    @property
    def list_type(self) -> EnumType:
        return EnumType("list", ("none", *self.lists))
