"""AST of tests in a policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cpol.compiler.comm import Comm
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax.ast.expr import Expr, Folios, Name


@dataclass(frozen=True, eq=False, slots=True)
class FolioSize:
    """`of 8 pages`. `unit` is the word behind the number."""

    pages: int
    unit: Name
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class TestAction:
    """A step such as `access 1, 2..4 of 8 pages as 7 of "rsync"`, `remove 3` or `tick 100`.

    `slot` and `how` are of `fault 5 slot 9 cached` and `request 7:100 sequential`.
    """

    verb: Name
    folios: tuple[Folios, ...]
    size: FolioSize | None
    task: int | None
    comm: Comm | None
    slot: int | None
    how: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Fill:
    """A step that fills an input: `input.method(args)`."""

    input: Name
    method: Name
    args: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Expect:
    cond: Expr
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Repeat:
    """Steps that run `times` times."""

    times: Folios
    steps: tuple[Step, ...]
    span: Span


Step: TypeAlias = TestAction | Fill | Expect | Repeat


@dataclass(frozen=True, eq=False, slots=True)
class Cell:
    """`name: value` of a case. `values` are several for a list of folios. `used`: a step has the name."""

    name: Name
    values: tuple[Expr, ...]
    used: bool
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Case:
    """A row of a test's table. `steps` are those of the test, with the values of this case in place of their names."""

    name: Name
    cells: tuple[Cell, ...]
    steps: tuple[Step, ...]
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Test:
    """A test. `head` spans `test` to the end of its settings. With cases, it has no steps of its own.

    The value of a setting such as `area: 0..1023` is a range of numbers, as Folios.
    """

    name: Name
    settings: tuple[tuple[Name, Expr], ...]
    cases: tuple[Case, ...]
    steps: tuple[Step, ...]
    doc: str
    span: Span
    head: Span
