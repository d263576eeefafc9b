"""Loops in loops: each is bounded, and so has to be what they do together."""

from __future__ import annotations

from cpol.compiler.check.interval import interval
from cpol.compiler.check.symbols import Typed
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import inner
from cpol.compiler.types import MAX_ROUNDS, U64

MAX_TOGETHER = 1 << 24
"""Rounds of all `for`s around a statement."""


def check_loops(typed: Typed, body: tuple[ast.Stmt, ...], report: Report) -> None:
    """Check the rounds of each `for` in a `for`."""
    _walk(typed, body, report, None, 1)


def _walk(typed: Typed, body: tuple[ast.Stmt, ...], report: Report, outer: ast.For | None, rounds: int) -> None:
    for stmt in body:
        around, together = outer, rounds
        if isinstance(stmt, ast.For):
            around, together = stmt, rounds * _rounds(typed, stmt)
            if outer is not None and together > MAX_TOGETHER:
                report.error(
                    "E0318",
                    stmt.head,
                    f"these loops may run {together} rounds together",
                    label=f"up to {_rounds(typed, stmt)} rounds in each of the outer one",
                    why=f"nothing may take that long: {MAX_TOGETHER} rounds are allowed",
                    help=f"bound one of them with a constant: `for {stmt.name.text} in 0..min(…, 99)`",
                    others=(Label(outer.head, "the loop around it"),),
                )
                return
        for part in inner(stmt):
            _walk(typed, part, report, around, together)


def _rounds(typed: Typed, stmt: ast.For) -> int:
    """The most rounds that `stmt` can have."""
    low, _ = interval(typed, stmt.low, U64)
    _, high = interval(typed, stmt.high, U64)
    return max(0, min(MAX_ROUNDS, high - low + 1))
