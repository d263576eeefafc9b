"""Checks the rounds of loops and the steps of scans: at least one, and a common bound for nested loops."""

from __future__ import annotations

from cpol.compiler.check.interval import interval
from cpol.compiler.check.symbols import Typed
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import inner
from cpol.compiler.types import MAX_ROUNDS, U64

MAX_TOGETHER = 1 << 24
"""Limit for the product of the rounds of nested `for`s."""


def check_loops(typed: Typed, body: tuple[ast.Stmt, ...], report: Report) -> None:
    """Check the rounds of each `for`, also of nested ones together, and the bound of each scan."""
    _walk(typed, body, report, None, 1)


def _walk(typed: Typed, body: tuple[ast.Stmt, ...], report: Report, outer: ast.For | None, rounds: int) -> None:
    for stmt in body:
        around, together = outer, rounds
        if isinstance(stmt, ast.Scan) and stmt.bound is not None and interval(typed, stmt.bound, U64)[1] == 0:
            _warn_empty_scan(stmt.bound, report)
        if isinstance(stmt, ast.For):
            around, together = stmt, rounds * _rounds(typed, stmt)
            if together == 0:
                _warn_empty(stmt, report)
                continue
            if outer is not None and together > MAX_TOGETHER:
                report.error(
                    "E0318",
                    stmt.head,
                    f"these loops may run {together} rounds together",
                    label=f"up to {_rounds(typed, stmt)} rounds for each round of the outer loop",
                    why=f"nested loops may run at most {MAX_TOGETHER} rounds in all",
                    help=f"bound one of them with a constant: `for {stmt.name.text} in 0..min(…, 99)`",
                    others=(Label(outer.head, "the loop around it"),),
                )
                return
        for part in inner(stmt):
            _walk(typed, part, report, around, together)


def _warn_empty(stmt: ast.For, report: Report) -> None:
    low, high = (report.source.slice(end.span) for end in (stmt.low, stmt.high))
    report.warning(
        "W0407",
        stmt.low.span.to(stmt.high.span),
        "this loop never runs",
        label="its start is above its end",
        why="a `for` counts up",
        help=f"write `for {stmt.name.text} in {high}..{low}`",
    )


def _warn_empty_scan(bound: ast.Expr, report: Report) -> None:
    text = report.source.slice(bound.span)
    report.warning(
        "W0407",
        bound.span,
        "this scan never runs",
        label="it is to look at no folio",
        why="`up to 0` looks at none" if text == "0" else f"`{text}` is 0: whole numbers divide to a whole number",
        help="write the number of folios to look at, such as `up to 1`; without `up to` it looks at the whole list",
    )


def _rounds(typed: Typed, stmt: ast.For) -> int:
    """An upper bound of the rounds of `stmt`."""
    low, _ = interval(typed, stmt.low, U64)
    _, high = interval(typed, stmt.high, U64)
    return max(0, min(MAX_ROUNDS, high - low + 1))
