"""AST statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax.ast.expr import Call, Element, Expr, FieldElement, Name, Path
from cpol.compiler.types import End


@dataclass(frozen=True, eq=False, slots=True)
class ListRef:
    """A list, or a list of an array."""

    name: Name
    index: Expr | None
    span: Span

    @property
    def text(self) -> str:
        return self.name.text


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Let:
    name: Name
    value: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Var:
    name: Name
    type: Name
    value: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Bind(Var):
    """What an action receives for a parameter that is a value. It cannot be assigned to."""


@dataclass(frozen=True, eq=False, slots=True)
class BindIndex(Let):
    """Which list of an array an action receives for a parameter that is a list. `value` is the index."""


@dataclass(frozen=True, eq=False, slots=True)
class Assign:
    """An assignment. `op` is `=`, `+=`, `-=` or `*=`."""

    target: Path | Element | FieldElement
    op: str
    value: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class CallStmt:
    call: Call
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Branch:
    cond: Expr
    block: Block
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class If:
    branches: tuple[Branch, ...]
    orelse: Block | None
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Arm:
    """The members of an enum that an arm of a `match` takes."""

    members: tuple[Path, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Match(If):
    """A choice by a member of an enum. As an `If`, its branches compare, one for each arm.

    Without `otherwise`, the last arm is the `orelse`: the checker makes sure that it takes what is left.
    """

    value: Path
    arms: tuple[Arm, ...]
    otherwise: Block | None


@dataclass(frozen=True, eq=False, slots=True)
class For:
    """A loop from `low` to `high`, both included. `head` spans the first line."""

    name: Name
    low: Expr
    high: Expr
    block: Block
    span: Span
    head: Span


@dataclass(frozen=True, eq=False, slots=True)
class While:
    """A loop of at most `bound` rounds, each of which begins by asking `cond`. `head` spans the first line."""

    cond: Expr
    bound: Expr
    block: Block
    span: Span
    head: Span


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    folio: Name
    end: End
    list: ListRef
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Leave:
    folio: Name
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Refuse:
    folio: Name
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Move:
    folio: Name
    end: End
    list: ListRef
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Scan:
    """A scan. It runs `body`, then the first of `arms` that holds, or else `otherwise`.

    `head` spans the first line.
    """

    list: ListRef
    end: End
    bound: Expr | None
    folio: Name
    body: tuple[Stmt, ...]
    arms: tuple[Branch, ...]
    otherwise: Block | None
    span: Span
    head: Span


@dataclass(frozen=True, eq=False, slots=True)
class Evict:
    folio: Name
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class EvictByScore:
    score: Name
    bound: Expr
    end: End
    list: ListRef
    span: Span
    highest: bool


@dataclass(frozen=True, eq=False, slots=True)
class Stop:
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Keep:
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Pin:
    folio: Name
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Unpin:
    folio: Name
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Prefetch:
    """`prefetch slot target`, `prefetch page target`, or `prefetch target up to bound by stride` of the file.

    `space` is the word in front of the target, or None.
    """

    space: Name | None
    target: Expr
    bound: Expr | None
    stride: Expr | None
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Default:
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Hold:
    """`keep pages`, in `on swap`."""

    pages: Name
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Drop:
    range: Name
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Flush:
    """`flush range`, or `flush range and wait`."""

    range: Name
    wait: bool
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Ahead:
    """`readahead pages`: the window of an open file."""

    pages: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Reclaim:
    """`reclaim pages`: asks for an eviction of so many pages."""

    pages: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Do:
    """A call of an action.

    `body` is what the call does: a copy of the action's body with the names of the caller, behind
    its `Bind`s. It is None until expand/ makes the copy, and after an error.
    """

    call: Call
    body: tuple[Stmt, ...] | None
    span: Span


Stmt: TypeAlias = (
    Let | Var | Assign | CallStmt | Do | If | For | While | Place | Leave | Refuse | Move | Scan | Evict | EvictByScore
    | Stop | Keep | Pin | Unpin | Prefetch | Default | Drop | Flush | Ahead | Hold | Reclaim
)  # fmt: skip
