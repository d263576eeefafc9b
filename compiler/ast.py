"""The abstract syntax tree: what was written, without judging it.

Nodes compare by identity, so that later passes can note facts about each in tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cpol.compiler.ir import End
from cpol.compiler.source import Span


@dataclass(frozen=True, eq=False, slots=True)
class Name:
    text: str
    span: Span


# Expressions


@dataclass(frozen=True, eq=False, slots=True)
class IntLit:
    value: int
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class FixLit:
    """`text` without its underscores: digits, a point, digits."""

    text: str
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class BoolLit:
    value: bool
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Path:
    """`a`, or `a.b`, and so on."""

    parts: tuple[Name, ...]
    span: Span

    @property
    def text(self) -> str:
        return ".".join(part.text for part in self.parts)


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    callee: Path
    args: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Unary:
    """`op` is `not` or `-`."""

    op: str
    operand: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Binary:
    """`op` as it is written."""

    op: str
    left: Expr
    right: Expr
    span: Span
    op_span: Span


Expr: TypeAlias = IntLit | FixLit | BoolLit | Path | Call | Unary | Binary


# Statements


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
class Assign:
    """`op` is `=`, `+=`, `-=` or `*=`."""

    target: Path
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
class Place:
    folio: Name
    end: End
    list: Name
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Move:
    folio: Name
    end: End
    list: Name
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Scan:
    """`body` runs first, then the first of `arms` that holds, or else `otherwise`. `head` spans the first line."""

    list: Name
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
class EvictLowest:
    score: Name
    bound: Expr
    end: End
    list: Name
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Stop:
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Keep:
    span: Span


Stmt: TypeAlias = Let | Assign | CallStmt | If | Place | Move | Scan | Evict | EvictLowest | Stop | Keep


# Declarations


@dataclass(frozen=True, eq=False, slots=True)
class ConstDecl:
    name: Name
    type: Name
    value: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class ParamDecl:
    name: Name
    type: Name
    default: Expr
    low: Expr | None
    high: Expr | None
    doc: str
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class ListDecl:
    names: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class GhostDecl:
    """`settings` are its `name: value` pairs."""

    name: Name
    settings: tuple[tuple[Name, Expr], ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class FieldDecl:
    name: Name
    type: Name
    init: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class FolioDecl:
    fields: tuple[FieldDecl, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class StateDecl:
    name: Name
    type: Name
    init: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class ScoreDecl:
    name: Name
    folio: Name
    body: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Handler:
    """`head` spans `on` to the end of the parameters."""

    events: tuple[Name, ...]
    params: tuple[Name, ...]
    block: Block
    span: Span
    head: Span


@dataclass(frozen=True, eq=False, slots=True)
class Invariant:
    cond: Expr
    span: Span


Item: TypeAlias = ConstDecl | ParamDecl | ListDecl | GhostDecl | FolioDecl | StateDecl | ScoreDecl | Handler | Invariant


@dataclass(frozen=True, eq=False, slots=True)
class Policy:
    name: Name
    doc: str
    items: tuple[Item, ...]
    span: Span
