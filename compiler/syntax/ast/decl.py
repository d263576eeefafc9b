"""AST declarations and the policy itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax.ast.expr import Expr, Name
from cpol.compiler.syntax.ast.stmt import Block, Let
from cpol.compiler.syntax.ast.test import Test


@dataclass(frozen=True, eq=False, slots=True)
class Import:
    """An import. `source` is the name of a library, or the path of a file if `file` is set."""

    names: tuple[Name, ...]
    source: Name
    file: bool
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class ConstDecl:
    name: Name
    type: Name
    value: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class ParamDecl:
    """A param. `notes` are the words after its range."""

    name: Name
    type: Name
    default: Expr
    low: Expr | None
    high: Expr | None
    notes: tuple[Name, ...]
    doc: str
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class ListName:
    """The name of a list. `length` is set for an array."""

    name: Name
    length: Expr | None
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class ListDecl:
    lists: tuple[ListName, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class EnumDecl:
    name: Name
    members: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class GhostDecl:
    """A ghost. `settings` are its `name: value` pairs, `records` its `folio { … }` parts."""

    name: Name
    settings: tuple[tuple[Name, Expr], ...]
    records: tuple[FolioDecl, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class FieldDecl:
    """A field of a record. An array has its length in `length`, empty for a single value."""

    name: Name
    type: Name
    length: tuple[Expr, ...]
    init: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class FolioDecl:
    fields: tuple[FieldDecl, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class RecordDecl:
    """The records of files or threads: `name` is `file` or `task`, `bound` how many there are at most."""

    name: Name
    bound: Expr
    fields: tuple[FieldDecl, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class StateDecl:
    name: Name
    type: Name
    init: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class TableDecl:
    name: Name
    type: Name
    sizes: tuple[Expr, ...]
    init: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class InputDecl:
    """An input. `kind` is `set`, `map` or `array`; a map has a type and a default.

    An array has a type and one size, and its key is `index`.
    """

    name: Name
    kind: Name
    key: Name
    type: Name | None
    default: Expr | None
    doc: str
    span: Span
    sizes: tuple[Expr, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class PinDecl:
    """`pin up to quota`. `unit` is the word behind it. `head` spans `pin up to`."""

    quota: Expr
    unit: Name | None
    span: Span
    head: Span


@dataclass(frozen=True, eq=False, slots=True)
class KeepDecl:
    """`keep up to quota`. `unit` is the word behind it. `head` spans `keep up to`."""

    quota: Expr
    unit: Name | None
    span: Span
    head: Span


@dataclass(frozen=True, eq=False, slots=True)
class CacheDecl:
    """`cache up to quota`. `unit` is the word behind it. `head` spans `cache up to`."""

    quota: Expr
    unit: Name | None
    span: Span
    head: Span


@dataclass(frozen=True, eq=False, slots=True)
class FnParam:
    """A parameter of a fn or an action. The type of a folio and of a list is None.

    `kind` is `list`, or empty.
    """

    name: Name
    type: Name | None
    span: Span
    kind: str = ""

    @property
    def list(self) -> bool:
        return self.kind == "list"


@dataclass(frozen=True, eq=False, slots=True)
class FnDecl:
    name: Name
    params: tuple[FnParam, ...]
    type: Name
    lets: tuple[Let, ...]
    body: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class ActionDecl:
    """An action. `head` spans `action` to the end of the parameters."""

    name: Name
    params: tuple[FnParam, ...]
    block: Block
    span: Span
    head: Span


@dataclass(frozen=True, eq=False, slots=True)
class Every:
    """A periodic block. `head` spans `every` to its unit."""

    period: Expr
    unit: Name
    block: Block
    span: Span
    head: Span


@dataclass(frozen=True, eq=False, slots=True)
class ScoreDecl:
    name: Name
    folio: Name
    body: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Handler:
    """A handler. `head` spans `on` to the end of the parameters."""

    events: tuple[Name, ...]
    params: tuple[Name, ...]
    block: Block
    span: Span
    head: Span


@dataclass(frozen=True, eq=False, slots=True)
class Invariant:
    cond: Expr
    span: Span


Item: TypeAlias = (
    Import | ConstDecl | ParamDecl | EnumDecl | ListDecl | GhostDecl | FolioDecl | RecordDecl | StateDecl | TableDecl
    | InputDecl | PinDecl | KeepDecl | CacheDecl
    | FnDecl | ActionDecl | ScoreDecl | Handler | Every | Invariant | Test
)  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class Policy:
    name: Name
    doc: str
    items: tuple[Item, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Library:
    """A file of declarations that policies import."""

    name: Name
    doc: str
    items: tuple[Item, ...]
    span: Span
