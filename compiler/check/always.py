"""Warns of comparisons that are always or never true, which are likely mistakes."""

from __future__ import annotations

from cpol.compiler import arithmetic
from cpol.compiler.check.interval import NONE, Facts, Range, constant_value, interval
from cpol.compiler.check.symbols import Typed
from cpol.compiler.diagnostics import Report
from cpol.compiler.literals import show_fix
from cpol.compiler.syntax import ast
from cpol.compiler.types import FIX, U64, Type


def check_always(
    typed: Typed, expr: ast.Binary, common: Type, report: Report, facts: Facts = NONE, spare: bool | None = None
) -> None:
    """Warn if the ranges of the operands decide the comparison `expr`.

    Args:
        common: the type in which it compares.
        facts: what the conditions around it leave; it then warns only of what these decide.
        spare: the answer of which it does not warn.
    """
    constants = [constant_value(typed, side) is not None for side in (expr.left, expr.right)]
    if all(constants):
        return
    left, right = (interval(typed, side, common, facts) for side in (expr.left, expr.right))
    answer = _answer(expr.op, left, right)
    if answer is None or answer is spare:
        return
    if facts and _answer(expr.op, *(interval(typed, side, common) for side in (expr.left, expr.right))) is not None:
        return
    here = " here" if facts else ""
    shown = [
        f"`{_text(side, report)}` is {_show(range, common)}{here}"
        for side, range, constant in zip((expr.left, expr.right), (left, right), constants, strict=True)
        if not constant
    ]
    report.warning(
        "W0406",
        expr.span,
        f"this is {'always' if answer else 'never'} true",
        why=" and ".join(shown),
        help=_advice(typed, expr, common, report, facts),
    )


def _text(expr: ast.Expr, report: Report) -> str:
    return " ".join(report.source.slice(expr.span).split())


def _show(range: Range, type: Type) -> str:
    low, high = (show_fix(value) if type == FIX else str(value) for value in range)
    return low if low == high else f"{low} to {high}"


def _advice(typed: Typed, expr: ast.Binary, common: Type, report: Report, facts: Facts) -> str:
    """What was meant by an unsigned difference that is compared with 0; empty for other comparisons, and where that is
    decided, too."""
    for side, other, op in ((expr.left, expr.right, expr.op), (expr.right, expr.left, _FLIPPED[expr.op])):
        if isinstance(side, ast.Binary) and side.op == "-" and common == U64 and constant_value(typed, other) == 0:
            if _answer(op, *(interval(typed, part, common, facts) for part in (side.left, side.right))) is not None:
                return ""
            first, second = (_operand(part, report) for part in (side.left, side.right))
            return f"an unsigned difference ends at 0: write `{first} {op} {second}`"
    return ""


def _operand(expr: ast.Expr, report: Report) -> str:
    """Its text beside a comparison, which binds closer than `if`, and may not stand beside `&` without parentheses."""
    text = _text(expr, report)
    loose = isinstance(expr, ast.IfElse) or (isinstance(expr, ast.Binary) and expr.op in arithmetic.BITS)
    return f"({text})" if loose else text


_FLIPPED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


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
