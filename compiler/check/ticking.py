"""Warns of a state that counts periods of `every` to tell the time."""

from __future__ import annotations

from cpol.compiler.check.interval import constant_value
from cpol.compiler.check.symbols import StateSym, Typed
from cpol.compiler.diagnostics import Report
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import statements


def check_ticking(typed: Typed, every: ast.Every, report: Report) -> None:
    """Warn of each `s += PERIOD` in `every PERIOD ms`, where `s` is a state."""
    if every.unit.text != "ms":
        return
    for stmt in statements(every.block.body):
        if not isinstance(stmt, ast.Assign) or stmt.op != "+=" or not isinstance(stmt.target, ast.Path):
            continue
        if isinstance(typed.refs.get(stmt.target), StateSym) and _same(typed, stmt.value, every.period, report):
            state = report.source.slice(stmt.target.span)
            report.warning(
                "W0408",
                stmt.span,
                f"`{state}` falls behind the time",
                label="adds the period each time that the block runs",
                why="the block runs once, however many periods have passed",
                help=f"read `cache.time` where `{state}` is read",
            )


def _same(typed: Typed, value: ast.Expr, period: ast.Expr, report: Report) -> bool:
    """Whether both are the same constant or the same name."""
    number = constant_value(typed, value)
    if number is not None:
        return number == constant_value(typed, period)
    return isinstance(value, ast.Path) and report.source.slice(value.span) == report.source.slice(period.span)
