"""AST expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cpol.compiler.comm import Comm
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
    """A fix literal. `text` has no underscores: digits, a point, digits."""

    text: str
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class BoolLit:
    value: bool
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class CommLit:
    """The name of a command in quotes."""

    comm: Comm
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Path:
    """A name such as `a` or `a.b`."""

    parts: tuple[Name, ...]
    span: Span

    @property
    def text(self) -> str:
        return ".".join(part.text for part in self.parts)


@dataclass(frozen=True, eq=False, slots=True)
class Element:
    """`name[index, …]` and the members after it, such as `.size`."""

    name: Name
    index: tuple[Expr, ...]
    members: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class FieldElement:
    """`f.field[index]`, an element of an array in a record."""

    path: Path
    index: tuple[Expr, ...]
    span: Span

    @property
    def text(self) -> str:
        return self.path.text


@dataclass(frozen=True, eq=False, slots=True)
class Named:
    """A named argument, `name: value`."""

    name: Name
    value: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Folios:
    """A range of folios in a test, `file:first..last`; or of slots or pages, if `space` says so."""

    file: int
    first: int
    last: int
    span: Span
    space: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """A call. `named` are its named arguments; `index` is set in `list[index].has(…)`, in tests."""

    callee: Path
    args: tuple[Expr, ...]
    named: tuple[Named, ...]
    index: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Unary:
    """A unary expression. `op` is `not` or `-`."""

    op: str
    operand: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Binary:
    """A binary expression. `op` is the sign in the source."""

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


Expr: TypeAlias = (
    IntLit | FixLit | BoolLit | CommLit | Path | Element | FieldElement | Call | Unary | Binary | IfElse | Folios
)
