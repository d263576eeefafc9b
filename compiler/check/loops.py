"""Checks the rounds of loops and the steps of scans: at least one, and a common bound for nested loops."""

from __future__ import annotations

from cpol.compiler.check.interval import interval
from cpol.compiler.check.symbols import Typed
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import inner
from cpol.compiler.types import MAX_ROUNDS, U64

MAX_TOGETHER = 1 << 24
"""Limit for the product of the rounds of nested `for`s and `while`s."""


def check_loops(typed: Typed, body: tuple[ast.Stmt, ...], report: Report) -> None:
    """Check the rounds of each `for` and `while`, also of nested ones together, and the bound of each scan."""
    _walk(typed, body, report, None, 1)


def _walk(
    typed: Typed, body: tuple[ast.Stmt, ...], report: Report, outer: ast.For | ast.While | None, rounds: int
) -> None:
    for stmt in body:
        around, together = outer, rounds
        bound = stmt.bound if isinstance(stmt, ast.Scan | ast.While) else None
        if isinstance(stmt, ast.Scan | ast.While) and bound is not None and interval(typed, bound, U64)[1] == 0:
            _warn_unrun(stmt, bound, report)
        if isinstance(stmt, ast.For | ast.While):
            around, together = stmt, rounds * _rounds(typed, stmt)
            if together == 0:
                if isinstance(stmt, ast.For):
                    _warn_empty(stmt, report)
                continue
            if outer is not None and together > MAX_TOGETHER:
                report.error(
                    "E0318",
                    stmt.head,
                    f"these loops may run {together} rounds together",
                    label=f"up to {_rounds(typed, stmt)} rounds for each round of the outer loop",
                    why=f"nested loops may run at most {MAX_TOGETHER} rounds in all",
                    help=f"bound one of them with a constant: `{_bounded(stmt)}`",
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


def _bounded(stmt: ast.For | ast.While) -> str:
    """How the first line of `stmt` has a bound that the compiler sees."""
    return f"for {stmt.name.text} in 0..min(…, 99)" if isinstance(stmt, ast.For) else "while … up to min(…, 99)"


def _warn_unrun(stmt: ast.Scan | ast.While, bound: ast.Expr, report: Report) -> None:
    text = report.source.slice(bound.span)
    what, none, zero = "scan", "it is to look at no folio", "`up to 0` looks at none"
    helps = "the number of folios to look at, such as `up to 1`; without `up to` it looks at the whole list"
    if isinstance(stmt, ast.While):
        what, none, zero = "loop", "it is to run no round", "`up to 0` is no round"
        helps = "the number of rounds after which it ends in any case"
    report.warning(
        "W0407",
        bound.span,
        f"this {what} never runs",
        label=none,
        why=zero if text == "0" else f"`{text}` is 0: whole numbers divide to a whole number",
        help=f"write {helps}",
    )


def _rounds(typed: Typed, stmt: ast.For | ast.While) -> int:
    """An upper bound of the rounds of `stmt`."""
    if isinstance(stmt, ast.While):
        return min(MAX_ROUNDS, interval(typed, stmt.bound, U64)[1])
    low, _ = interval(typed, stmt.low, U64)
    _, high = interval(typed, stmt.high, U64)
    return max(0, min(MAX_ROUNDS, high - low + 1))
