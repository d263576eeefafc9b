"""Warns of comparisons that are always or never true, which are likely mistakes."""

from __future__ import annotations

from typing import TypeAlias

from cpol.compiler.check.interval import constant_value
from cpol.compiler.check.symbols import ParamSym, Typed
from cpol.compiler.diagnostics import Report
from cpol.compiler.literals import show_fix
from cpol.compiler.syntax import ast
from cpol.compiler.types import FIX, FIX_FRACTION_BITS, FixType, IntType, raw_range

Range: TypeAlias = tuple[int, int]
"""The lowest and highest value, in units of 1/65536."""

_ONE = 1 << FIX_FRACTION_BITS


def check_always(typed: Typed, expr: ast.Binary, report: Report) -> None:
    """Warn if the ranges of the operands decide the comparison `expr`. The types of both must be known."""
    sides = (expr.left, expr.right)
    if all(constant_value(typed, side) is not None for side in sides):
        return
    left, right = (_range(typed, side) for side in sides)
    if left is None or right is None:
        return
    answer = _answer(expr.op, left, right)
    if answer is None:
        return
    side = expr.left if constant_value(typed, expr.left) is None else expr.right
    text = report.source.slice(side.span)
    low, high = (left, right)[side is expr.right]
    report.warning(
        "W0406",
        expr.span,
        f"this is {'always' if answer else 'never'} true",
        why=f"`{text}` is {show_fix(low)} to {show_fix(high)}",
    )


def _range(typed: Typed, expr: ast.Expr) -> Range | None:
    """The range of a constant, a param or a variable of a narrow type; None for other expressions."""
    value = constant_value(typed, expr)
    if value is not None:
        scaled = value if typed.types[expr] == FIX and not isinstance(expr, ast.IntLit) else value * _ONE
        return scaled, scaled
    type = typed.declared.get(expr) if isinstance(expr, ast.Path) else None
    if not isinstance(type, IntType | FixType):
        return None
    symbol = typed.refs.get(expr) if isinstance(expr, ast.Path) else None
    low, high = (symbol.low, symbol.high) if isinstance(symbol, ParamSym) else raw_range(type)
    unit = 1 if type == FIX else _ONE
    return low * unit, high * unit


def _answer(op: str, left: Range, right: Range) -> bool | None:
    """The result of `left op right` if the ranges decide it, or None."""
    if op in (">", ">="):
        return _answer("<" if op == ">" else "<=", right, left)
    below, above = left[1] < right[0], left[0] > right[1]
    if op == "<":
        return True if below else False if left[0] >= right[1] else None
    if op == "<=":
        return True if left[1] <= right[0] else False if above else None
    if below or above:
        return op == "!="
    return None
