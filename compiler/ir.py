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
"""Lists that are no array."""

MAX_LIST_ARRAY = 16384
"""Lists in an array of lists."""

MAX_ROUNDS = 65536
"""Rounds of a `for`, and steps of a scan in the kernel."""

MAX_TABLE = 1 << 24
"""Elements of a table."""


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
    """Names numbered from 0. `list` (number 0 is `none`) and `reason` are built in; the others are declared."""

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
    """Pages on a list; of an array without an index, on all of its lists."""

    list: str
    type: Type = U64
    index: Expr | None = None


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
class Holds:
    """Only in tests: whether `where` (a list, a ghost, or `cache`) has all of these (file, index). `index`: of the list
    in an array."""

    where: str
    folios: tuple[tuple[int, int], ...]
    index: Expr | None = None
    type: Type = BOOL


Expr: TypeAlias = (
    Const | Param | State | Local | Field | FolioAttr | ListSize | CacheAttr | TaskAttr | EvictWanted
    | Arith | Compare | Logic | Not | Convert | GhostTake | GhostHas | GhostSize | GhostField
    | TableGet | TableSize | InputHas | InputGet | Select | FnCall | Random | Hash | Math | Holds
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
    """Adopt the folio; only in `added`, where each path has exactly one Place or Leave. `index`: of an array's list."""

    folio: str
    end: End
    list: str
    pos: Pos
    index: Expr | None = None


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
    list: str
    pos: Pos
    index: Expr | None = None


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

    list: str
    end: End
    bound: Expr | None  # U64; None: as many folios as the list holds
    folio: str
    body: tuple[Stmt, ...]
    pos: Pos
    index: Expr | None = None


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
    index: Expr | None = None


@dataclass(frozen=True)
class Stop:
    """Ends the innermost scan or `for`."""

    pos: Pos


Stmt: TypeAlias = (
    Let | SetState | SetField | SetTable | If | For | Place | Leave | Refuse | Move
    | GhostAdd | GhostDrop | GhostForget | Scan | Propose | EvictLowest | Stop
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


# Tests in a policy. Folios are (file, index).


@dataclass(frozen=True)
class Access:
    folios: tuple[tuple[int, int], ...]
    task: int
    pos: Pos


@dataclass(frozen=True)
class Remove:
    folios: tuple[tuple[int, int], ...]
    pos: Pos


@dataclass(frozen=True)
class Tick:
    ms: int
    pos: Pos


@dataclass(frozen=True)
class Fill:
    """`key`: one number, or of a `page` input file, first and last. `value`: raw; None removes the key."""

    input: str
    key: tuple[int, ...]
    value: int | None
    pos: Pos


@dataclass(frozen=True)
class Expect:
    cond: Expr
    text: str
    pos: Pos


Step: TypeAlias = Access | Remove | Tick | Fill | Expect


@dataclass(frozen=True)
class Test:
    """`params` are raw."""

    name: str
    doc: str
    capacity: int
    batch: int
    seed: int
    params: tuple[tuple[str, int], ...]
    steps: tuple[Step, ...]
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
