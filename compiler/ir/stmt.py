"""IR statements. `pos` is the position for `#line` and messages."""

from __future__ import annotations

from typing import Literal, TypeAlias

from cpol.compiler.diagnostics.source import Pos
from cpol.compiler.ir.expr import Expr, ListRef
from cpol.compiler.nodes import dataclass
from cpol.compiler.types import End, Space, Type


@dataclass(frozen=True)
class Let:
    name: str
    value: Expr
    pos: Pos


@dataclass(frozen=True)
class Var:
    """Declares a variable of this call, up to the end of the block. `value` has `type`, and so have its `Local`s."""

    name: str
    type: Type
    value: Expr
    pos: Pos


@dataclass(frozen=True)
class SetVar:
    """Assigns to a `Var`, as that does."""

    name: str
    type: Type
    value: Expr
    pos: Pos


@dataclass(frozen=True)
class SetState:
    """Assigns `value`, which has the state's declared type."""

    name: str
    value: Expr
    pos: Pos


@dataclass(frozen=True)
class SetField:
    """Assigns a field, as SetState does. The index of an array's element is evaluated before the value."""

    folio: str
    name: str
    value: Expr
    pos: Pos
    index: Expr | None = None


@dataclass(frozen=True)
class SetRecord:
    """Assigns to a field of the record of a file, of the current thread or of the fault's area.

    The file is that of `folio`, or of the request of `readahead` if `folio` is None.

    Makes the record if there is none, and makes it the newest. `value` has the field's declared type.
    """

    record: Literal["file", "task", "area"]
    folio: str | None
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
    """Assigns an element. The indices are evaluated before the value.

    The indices behave as in TableGet. `value` has the table's declared type.
    """

    table: str
    indices: tuple[Expr, ...]
    value: Expr
    pos: Pos


ROUND = "while"
"""The local that counts the rounds of a `while`, which is a `For`. No policy has this name."""


@dataclass(frozen=True)
class For:
    """A loop in which `name` (U64) runs from `low` to `high`, both included; at most MAX_ROUNDS rounds."""

    name: str
    low: Expr
    high: Expr
    body: tuple[Stmt, ...]
    pos: Pos


@dataclass(frozen=True)
class Place:
    """Adopts the folio; only in `added`, where each path has exactly one Place or Leave."""

    folio: str
    end: End
    list: ListRef
    pos: Pos


@dataclass(frozen=True)
class Leave:
    """Leaves the folio to the kernel; only in `added`."""

    folio: str
    pos: Pos


@dataclass(frozen=True)
class Refuse:
    """Keeps the folio out of the cache and ends the handler; only in `admit`."""

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
    """Adds an entry for the folio as the newest, or makes its present entry the newest.

    `values` are all fields of the record, in the order of declaration and of their declared types.
    """

    ghost: str
    folio: str
    pos: Pos
    values: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class GhostDrop:
    """Removes the folio's entry: `take` with an unused result."""

    ghost: str
    folio: str
    pos: Pos


@dataclass(frozen=True)
class GhostForget:
    """Removes the oldest entry that is not held, if there is one."""

    ghost: str
    pos: Pos


@dataclass(frozen=True)
class Scan:
    """A scan of a list from one end. `when` arms become nested `If`s."""

    list: ListRef
    end: End
    bound: Expr | None  # U64; None: the number of folios on the list
    folio: str
    body: tuple[Stmt, ...]
    pos: Pos


@dataclass(frozen=True)
class Evict:
    """`evict f`. It ends the handler once the request has the pages that it wants.

    `far` is the end at which the enclosing scan stops. A folio that the kernel refuses goes there.
    """

    folio: str
    far: End
    pos: Pos


@dataclass(frozen=True)
class EvictByScore:
    """`evict lowest score of up to bound from end of list`, or `evict highest`.

    It ends the handler once the request has the pages that it wants.
    """

    score: str
    bound: Expr  # U64
    end: End
    list: ListRef
    pos: Pos
    highest: bool = False


@dataclass(frozen=True)
class Stop:
    """Ends the innermost scan or `for`; a `while` is a `for`."""

    pos: Pos


@dataclass(frozen=True)
class Pin:
    """Keeps the folio in the cache if the quota has room for it. No effect if it is proposed, or pinned already."""

    folio: str
    pos: Pos


@dataclass(frozen=True)
class Unpin:
    """Ends a Pin, if there is one."""

    folio: str
    pos: Pos


@dataclass(frozen=True)
class WantEviction:
    """`reclaim`: an eviction of `pages` (U64) follows the event; only in RECLAIMING and `every`. 0 wants nothing."""

    pages: Expr
    pos: Pos


@dataclass(frozen=True)
class Prefetch:
    """Records targets: `target`, `target + stride`, … (S64). `count` (U64) of them; a count of 0 is 1.

    Slots and pages are for `prefetch`, with a count of 1 and a stride of 0. Indices are for `readahead`.
    """

    space: Space
    target: Expr
    count: Expr
    stride: Expr
    pos: Pos


@dataclass(frozen=True)
class Default:
    """Lets the kernel's own prefetching run, too; only in `prefetch` and `readahead`."""

    pos: Pos


@dataclass(frozen=True)
class Hold:
    """Keeps the pages in memory this time, as far as the quota allows; only in `swap`."""

    pos: Pos


@dataclass(frozen=True)
class Drop:
    """Has the range leave the cache; only in `read` and `written`."""

    pos: Pos


@dataclass(frozen=True)
class Flush:
    """Has the range written back; only in `written`. `wait`: its writer waits for that."""

    wait: bool
    pos: Pos


@dataclass(frozen=True)
class LeaveFile:
    """Leaves the open file to the kernel, until it is closed; only in `opened`, `read` and `written`."""

    pos: Pos


@dataclass(frozen=True)
class Ahead:
    """Sets the window of readahead of the file that was opened; only in `opened`. `pages` is U64."""

    pages: Expr
    pos: Pos


Stmt: TypeAlias = (
    Let | Var | SetVar | SetState | SetField | SetRecord | SetTable | If | For | Place | Leave | Refuse | Move
    | GhostAdd | GhostDrop | GhostForget | Scan | Evict | EvictByScore | Stop | Pin | Unpin | WantEviction
    | Prefetch | Default | Drop | Flush | LeaveFile | Ahead | Hold
)  # fmt: skip
