"""Warns of arithmetic that ends at the limit of its type whatever the values are."""

from __future__ import annotations

from cpol.compiler.check.interval import interval
from cpol.compiler.check.symbols import Typed
from cpol.compiler.diagnostics import Report
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import statements
from cpol.compiler.types import U64, IntType, raw_range


def check_saturation(typed: Typed, report: Report) -> None:
    """Warn of each unsigned difference that is always 0, and of each store that always saturates.

    The policy has no errors. A difference of constants may be meant so.
    """
    for item in typed.symbols.policy.items:
        if isinstance(item, ast.Handler | ast.Every):
            _check_stores(typed, item.block.body, report)
    for expr, type in typed.types.items():
        if not isinstance(expr, ast.Binary) or expr.op != "-" or type != U64:
            continue
        left, right = (interval(typed, side, U64) for side in (expr.left, expr.right))
        if left[1] > right[0] or (left[0] == left[1] and right[0] == right[1]):
            continue
        most = _text(expr.left, report)
        report.warning(
            "W0409",
            expr.span,
            "this is always 0",
            why=f"`{most}` is at most {left[1]}, and an unsigned number ends at 0",
            help="make both sides `signed(…)` if the difference may be negative",
        )


def _check_stores(typed: Typed, body: tuple[ast.Stmt, ...], report: Report) -> None:
    for stmt in statements(body):
        if not isinstance(stmt, ast.Assign) or stmt.op == "*=":
            continue
        type = getattr(typed.refs[stmt.target], "type", None)
        if not isinstance(type, IntType) or type.signed:
            continue
        least, most = interval(typed, stmt.value, U64)[0], raw_range(type)[1]
        if least > most:
            value, target = _text(stmt.value, report), _text(stmt.target, report)
            report.warning(
                "W0409",
                stmt.span,
                f"this always leaves `{target}` at {0 if stmt.op == '-=' else most}",
                why=f"a `{type}` ends at {most}"
                + ("" if value == str(least) else f", and `{value}` is at least {least}"),
                help=f"give `{target}` a wider type",
            )


def _text(expr: ast.Expr, report: Report) -> str:
    return " ".join(report.source.slice(expr.span).split())
