"""Messages about a value of the wrong type, and how to convert it."""

from __future__ import annotations

from cpol.compiler.check.unsettled import article
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.words import listing
from cpol.compiler.syntax import ast
from cpol.compiler.types import BOOL, FIX, EnumType, IntType, Type


def say_mismatch(report: Report, expr: ast.Expr, got: Type, want: Type, what: str) -> None:
    """Report that `what` needs a `want`, but `expr` is a `got`."""
    text = report.source.slice(expr.span)
    short = text if len(text) <= 40 and "\n" not in text else "…"
    if got == FIX and isinstance(want, IntType):
        helps = f"write `floor({short})` or `ceil({short})`" if not want.signed else f"write `signed({short})`"
        report.error(
            "E0203",
            expr.span,
            f"{what} needs a whole number, but this is a `fix`",
            label="has a fraction",
            help=helps,
        )
    elif isinstance(got, IntType) and isinstance(want, IntType):
        function = "signed" if want.signed else "unsigned"
        report.error(
            "E0202",
            expr.span,
            f"{what} needs {article(want)}, but this is {article(got)}",
            label=f"this is {article(got)}",
            why="signed and unsigned numbers do not mix",
            help=f"write `{function}({short})`",
        )
    else:
        message = f"{what} needs {article(want)}, but this is {article(got)}"
        report.error("E0201", expr.span, message, label=f"`{got}`", help=_instead(expr, short, got, want))


def _instead(expr: ast.Expr, text: str, got: Type, want: Type) -> str:
    """What to write instead of a number where a `bool` is needed, or the other way round; else nothing."""
    if got != BOOL and want == BOOL and not isinstance(got, EnumType):
        if isinstance(expr, ast.CommLit):
            return f"write `task.comm == {text}`"
        if isinstance(expr, ast.IntLit):
            return "write `true`" if expr.value else "write `false`"
        return f"write `{text} != 0`"
    if got == BOOL and isinstance(want, IntType):
        literal = {"false": "0", "true": "1"}.get(text)
        return f"write `{literal}`" if literal else f"write `if {text} then 1 else 0`"
    if isinstance(want, EnumType) and want.members:
        return f"write one of {listing(dict.fromkeys(want.members[:8]))}"
    return ""
