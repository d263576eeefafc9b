"""Expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cpol.compiler.diagnostics.source import Span


@dataclass(frozen=True, eq=False, slots=True)
class Name:
    text: str
    span: Span


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
class Element:
    """`name[index, …]`, and what follows it: `.size`."""

    name: Name
    index: tuple[Expr, ...]
    members: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Named:
    """`name: value`, an argument."""

    name: Name
    value: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Folios:
    """In tests, an argument that is no plain number: `file:first..last`."""

    file: int
    first: int
    last: int
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """`named` are its `field: value` arguments; `index` is that of `list[index].has(…)`, in tests."""

    callee: Path
    args: tuple[Expr, ...]
    named: tuple[Named, ...]
    index: tuple[Expr, ...]
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


@dataclass(frozen=True, eq=False, slots=True)
class IfElse:
    """`if cond then a else b`"""

    cond: Expr
    then: Expr
    orelse: Expr
    span: Span


Expr: TypeAlias = IntLit | FixLit | BoolLit | Path | Element | Call | Unary | Binary | IfElse | Folios
