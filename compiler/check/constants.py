"""Checks that a stored constant fits its type."""

from __future__ import annotations

from cpol.compiler.check.unsettled import article
from cpol.compiler.diagnostics import Report
from cpol.compiler.syntax import ast
from cpol.compiler.types import IntType, Type, raw_range


def check_fits(expr: ast.Expr, value: int | None, type: Type, report: Report) -> bool:
    """Whether the constant `value` of `expr` fits `type`; None passes. It reports an error if not."""
    if not isinstance(type, IntType) or value is None or _holds(type, value):
        return True
    low, high = raw_range(type)
    signed = type.signed or value < 0
    wider = next(
        (t for t in (IntType(signed, bits) for bits in (8, 16, 32, 64) if bits >= type.bits) if _holds(t, value)), None
    )
    report.error(
        "E0204",
        expr.span,
        f"{'the number of a name' if isinstance(expr, ast.CommLit) else value} does not fit {article(type)}",
        label=f"`{type}` holds {low} to {high}",
        help=f"declare it as `{wider}`" if wider is not None else "",
    )
    return False


def literal(expr: ast.Expr) -> int | None:
    """The value of a number literal, with an optional minus sign; None for other expressions."""
    if isinstance(expr, ast.Unary) and expr.op == "-" and isinstance(expr.operand, ast.IntLit):
        return -expr.operand.value
    return expr.value if isinstance(expr, ast.IntLit) else None


def _holds(type: IntType, value: int) -> bool:
    low, high = raw_range(type)
    return low <= value <= high
