"""Expressions. `type` is U64, S64, FIX, BOOL or an EnumType, unless a node says otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from cpol.compiler.types import BOOL, FIX, U64, Type


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
class ListRef:
    """A list: `name`, or in an array the list at `index` (U64), which saturates at the last. No expression itself."""

    name: str
    index: Expr | None = None


@dataclass(frozen=True)
class ListSize:
    """Pages on a list; of an array without an index, on all of its lists."""

    list: ListRef
    type: Type = U64


@dataclass(frozen=True)
class CacheAttr:
    attr: Literal["size", "capacity", "clock"]
    type: Type = U64


@dataclass(frozen=True)
class TaskAttr:
    """Of the task that caused the event; 0 if not known."""

    attr: Literal["thread", "process"]
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
    """To `type`, saturating. From FIX to an integer: `rounding`. From and to U64, S64, FIX and narrower integers; from
    an enum to U64."""

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


@dataclass(frozen=True)
class GhostSize:
    """Entries that count."""

    ghost: str
    type: Type = U64


@dataclass(frozen=True)
class GhostField:
    """A field of the folio's entry, or the field's initial value if there is none; of the declared type, unwidened."""

    ghost: str
    folio: str
    name: str
    type: Type


@dataclass(frozen=True)
class TableGet:
    """An element, of the declared type, unwidened. Each index (U64) saturates at the last of its dimension."""

    table: str
    indices: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True)
class TableSize:
    """Elements of the first dimension."""

    table: str
    type: Type = U64


@dataclass(frozen=True)
class InputHas:
    """Whether the input has the key: `key` (U64), or of a `page` input the page of `folio`."""

    input: str
    key: Expr | None
    folio: str | None
    type: Type = BOOL


@dataclass(frozen=True)
class InputGet:
    """What the input maps the key to, or its default; of the declared type, unwidened."""

    input: str
    key: Expr | None
    folio: str | None
    type: Type


@dataclass(frozen=True)
class Select:
    """`if cond then a else b`: only the one taken is evaluated. Both of `type`."""

    cond: Expr
    then: Expr
    orelse: Expr
    type: Type


@dataclass(frozen=True)
class FolioArg:
    """A folio that is passed to a `fn`."""

    folio: str


@dataclass(frozen=True)
class FnCall:
    """`args` are of the types that the parameters have when widened."""

    fn: str
    args: tuple[Expr | FolioArg, ...]
    type: Type


@dataclass(frozen=True)
class Random:
    """Below `bound` (U64)."""

    bound: Expr
    type: Type = U64


@dataclass(frozen=True)
class Hash:
    """Of the folio's name; `salt` is U64."""

    folio: str
    salt: Expr
    type: Type = U64


@dataclass(frozen=True)
class Math:
    """`operand` is FIX."""

    op: Literal["log2", "exp2"]
    operand: Expr
    type: Type = FIX


@dataclass(frozen=True)
class ContainsAll:
    """Only in tests: whether `where` (a list, the name of a ghost, or `cache`) has all of these (file, index)."""

    where: ListRef | str
    folios: tuple[tuple[int, int], ...]
    type: Type = BOOL


Expr: TypeAlias = (
    Const | Param | State | Local | Field | FolioAttr | ListSize | CacheAttr | TaskAttr | EvictWanted
    | Arith | Compare | Logic | Not | Convert | GhostTake | GhostHas | GhostSize | GhostField
    | TableGet | TableSize | InputHas | InputGet | Select | FnCall | Random | Hash | Math | ContainsAll
)  # fmt: skip
