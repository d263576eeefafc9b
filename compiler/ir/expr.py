"""IR expressions. `type` is U64, S64, FIX, BOOL or an EnumType, unless a node says otherwise."""

from __future__ import annotations

from typing import Literal, TypeAlias

from cpol.compiler.nodes import dataclass
from cpol.compiler.types import BOOL, U64, Space, Type


@dataclass(frozen=True)
class Const:
    value: int  # raw: fix scaled by 2**16, bool 0 or 1, enum member number
    type: Type


@dataclass(frozen=True)
class Param:
    """The value of a param, in its declared type (not widened)."""

    name: str
    type: Type


@dataclass(frozen=True)
class State:
    """The value of a state, in its declared type."""

    name: str
    type: Type


@dataclass(frozen=True)
class Local:
    """A `let`, a `var`, a loop variable, a `fn` parameter or the `why` of `removed`."""

    name: str
    type: Type


@dataclass(frozen=True)
class Field:
    """`folio.name`: a field of the folio record, in its declared type.

    `index` (U64) selects an element of an array and saturates at the last one.
    """

    folio: str
    name: str
    type: Type
    index: Expr | None = None


@dataclass(frozen=True)
class FolioAttr:
    """A built-in attribute of a folio: one of READ_OF_FOLIOS, in its declared type."""

    folio: str
    attr: str
    type: Type


@dataclass(frozen=True)
class ListRef:
    """A reference to a list; not an expression.

    `index` (U64) selects a list of the array and saturates at the last one.
    """

    name: str
    index: Expr | None = None


@dataclass(frozen=True)
class ListSize:
    """Pages on a list. An array without an index counts the pages on all of its lists."""

    list: ListRef
    type: Type = U64


@dataclass(frozen=True)
class CacheAttr:
    """What is known of the cache: one of CACHE."""

    attr: str
    type: Type = U64


@dataclass(frozen=True)
class TaskAttr:
    """What is known of the task that caused the event: one of TASK. Ids and names are 0 if they are unknown."""

    attr: str
    type: Type = U64


@dataclass(frozen=True)
class FaultAttr:
    """What is known of the fault; only in `fault` and `prefetch`: one of FAULT, in its declared type.

    In `swap`, what is known of the pages that are about to go out: one of OUT.
    """

    attr: str
    type: Type


@dataclass(frozen=True)
class RequestAttr:
    """What is known of the request of `readahead`, or of the range of RANGE_EVENTS: one of REQUEST or RANGE, in its
    declared type.
    """

    attr: str
    type: Type


@dataclass(frozen=True)
class EveryPeriods:
    """Periods that went by since the block last ran, at least 1; only in `every`."""

    type: Type = U64


@dataclass(frozen=True)
class EvictWanted:
    """Pages that the current request wants from this call; only in `evict`."""

    type: Type = U64


@dataclass(frozen=True)
class Arith:
    """`left op right`, saturated. Both operands have `type`: U64, S64 or FIX.

    The checker rejects every divisor that it cannot show to be non-zero.
    """

    op: Literal["add", "sub", "mul", "div", "mod", "min", "max"]
    left: Expr
    right: Expr
    type: Type


@dataclass(frozen=True)
class Bits:
    """An operation on the bits of two U64. A shift by 64 or more gives 0."""

    op: Literal["and", "or", "xor", "shl", "shr"]
    left: Expr
    right: Expr
    type: Type = U64


@dataclass(frozen=True)
class Compare:
    """A comparison of two operands of the same type."""

    op: Literal["eq", "ne", "lt", "le", "gt", "ge"]
    left: Expr
    right: Expr
    type: Type = BOOL


@dataclass(frozen=True)
class Logic:
    """A logical operation. It short-circuits, left to right."""

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
    """Converts to `type`, saturating. `rounding` applies to FIX to integer.

    Source and target are U64, S64, FIX or narrower integers; an enum converts to U64 only.
    """

    operand: Expr
    type: Type
    rounding: Literal["floor", "ceil"] = "floor"


@dataclass(frozen=True)
class GhostTake:
    """True if the ghost has an entry for the folio, which it then removes."""

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
    """Entries in the ghost, without a held one (docs/semantics.md, "State")."""

    ghost: str
    type: Type = U64


@dataclass(frozen=True)
class GhostFull:
    """Whether the ghost has as many entries as it may have, so that a new one makes it forget the oldest."""

    ghost: str
    type: Type = BOOL


@dataclass(frozen=True)
class GhostOldest:
    """A field of the oldest entry that is not held, in its declared type; without one, the initial value."""

    ghost: str
    name: str
    type: Type


@dataclass(frozen=True)
class GhostField:
    """A field of the folio's ghost entry, in its declared type; without an entry, the initial value."""

    ghost: str
    folio: str
    name: str
    type: Type


@dataclass(frozen=True)
class RecordField:
    """A field of a file's, thread's or area's record, in its declared type; without a record, the initial value.

    The file is that of `folio`, or of the request of `readahead` if `folio` is None; the thread that of the current
    task; the area that of the fault. In tests, `key` names each.
    """

    record: Literal["file", "task", "area"]
    folio: str | None
    name: str
    type: Type
    key: int | None = None


@dataclass(frozen=True)
class TableGet:
    """An element, in its declared type. Each index (U64) saturates at the end of its dimension."""

    table: str
    indices: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True)
class TableSize:
    """Size of the first dimension, in elements."""

    table: str
    type: Type = U64


@dataclass(frozen=True)
class InputHas:
    """Whether the input has the key.

    The key is `key` (U64). Of a `page` input it is None: the page of `folio`, or if `folio` is None, too, that where
    the request of `readahead` begins.
    """

    input: str
    key: Expr | None
    folio: str | None
    type: Type = BOOL


@dataclass(frozen=True)
class InputGet:
    """The input's value for the key, or its default; in the declared type. The key is as in InputHas."""

    input: str
    key: Expr | None
    folio: str | None
    type: Type


@dataclass(frozen=True)
class ArrayGet:
    """An entry of an input that is an array, in its declared type. Beyond the end, `index` (U64) gives 0."""

    input: str
    index: Expr
    type: Type


@dataclass(frozen=True)
class ArraySize:
    """Entries of an input that is an array."""

    input: str
    type: Type = U64


@dataclass(frozen=True)
class Select:
    """`if cond then a else b`. Only the chosen branch is evaluated. Both have `type`."""

    cond: Expr
    then: Expr
    orelse: Expr
    type: Type


@dataclass(frozen=True)
class FolioArg:
    """A folio argument of a `fn`."""

    folio: str


@dataclass(frozen=True)
class FnCall:
    """A call of a `fn`. Each value in `args` has the declared type of its parameter, the call that of the result."""

    fn: str
    args: tuple[Expr | FolioArg, ...]
    type: Type


@dataclass(frozen=True)
class Random:
    """A pseudo-random number below `bound` (U64)."""

    bound: Expr
    type: Type = U64


@dataclass(frozen=True)
class Hash:
    """A hash of the folio's name, or of where the request of `readahead` begins if it is None; `salt` is U64."""

    folio: str | None
    salt: Expr
    type: Type = U64


@dataclass(frozen=True)
class Math:
    """The value of a built-in function: one of COMPUTED, whose operands and value have the types of its record."""

    op: str
    operands: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True)
class ContainsAll:
    """True if `where` contains all `folios`, given as (file, index); only in tests.

    `where` is a list, the name of a ghost, or `cache`.
    """

    where: ListRef | str
    folios: tuple[tuple[int, int], ...]
    type: Type = BOOL


@dataclass(frozen=True)
class ListIs:
    """True if the list holds exactly these `folios`, given as (file, index), from head to tail; only in tests."""

    list: ListRef
    folios: tuple[tuple[int, int], ...]
    type: Type = BOOL


@dataclass(frozen=True)
class CachedField:
    """A field of the record of a cached folio, given as (file, index), with an index as in Field; only in tests."""

    folio: tuple[int, int]
    name: str
    type: Type
    index: Expr | None = None


@dataclass(frozen=True)
class AllPinned:
    """True if all `folios`, given as (file, index), are pinned; only in tests."""

    folios: tuple[tuple[int, int], ...]
    type: Type = BOOL


@dataclass(frozen=True)
class PrefetchedIs:
    """True if the last handler that ran recorded exactly these targets, in this order; only in tests."""

    targets: tuple[tuple[Space, int], ...]
    type: Type = BOOL


@dataclass(frozen=True)
class Defaulted:
    """True if the kernel's own prefetching runs, by what the last handler that ran decided; only in tests."""

    type: Type = BOOL


@dataclass(frozen=True)
class RangeDid:
    """True if the last handler that ran had its range dropped, flushed, or waited for, left its file to the kernel, or
    kept its pages; only in tests.
    """

    what: Literal["dropped", "flushed", "waited", "left", "kept"]
    type: Type = BOOL


@dataclass(frozen=True)
class AheadIs:
    """True if the last handler that ran set the window of its file to so many pages; only in tests."""

    pages: int
    type: Type = BOOL


Expr: TypeAlias = (
    Const | Param | State | Local | Field | FolioAttr | ListSize | CacheAttr | TaskAttr | EvictWanted | EveryPeriods
    | Arith | Bits | Compare | Logic | Not | Convert | GhostTake | GhostHas | GhostSize | GhostField
    | GhostFull | GhostOldest
    | TableGet | TableSize | InputHas | InputGet | ArrayGet | ArraySize | Select | FnCall | Random | Hash | Math
    | ContainsAll | ListIs | CachedField | AllPinned | RecordField
    | FaultAttr | RequestAttr | PrefetchedIs | Defaulted | RangeDid | AheadIs
)  # fmt: skip
