"""Checks that every divisor is non-zero.

A divisor is known to be non-zero if it is

- a constant other than zero, or a param whose range excludes zero;
- `max(x, k)` with a constant k > 0, or a `min` of positive values;
- `signed(x)` of such a whole number;
- `evict.wanted`, `every.periods`, or the size of a table;
- an unsigned sum of which one part is;
- an `if … then … else` of such values;
- the variable of a `for` that starts above zero;
- a name (let, param, state or folio field) that a condition tested, without an assignment since.
"""

from __future__ import annotations

from typing import TypeAlias

from cpol.compiler.check.interval import constant_value
from cpol.compiler.check.symbols import FolioSym, InputSym, LetSym, ParamSym, StateSym, TableSym, Typed
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.edit import replaced
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import parts
from cpol.compiler.types import FIX, S64, U64

Facts: TypeAlias = frozenset[str]
"""Names in their source form (`x`, `f.freq`) whose values are known to be non-zero."""

NONE: Facts = frozenset()
_SWAP = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_NEGATE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def check_divisors(typed: Typed, expr: ast.Expr, report: Report, facts: Facts = NONE) -> bool:
    """Whether each divisor in `expr` is known to be non-zero. It reports an error for each that is not."""
    if isinstance(expr, ast.IfElse):
        cond = check_divisors(typed, expr.cond, report, facts)
        then = check_divisors(typed, expr.then, report, facts | nonzero_when(typed, expr.cond, True))
        orelse = check_divisors(typed, expr.orelse, report, facts | nonzero_when(typed, expr.cond, False))
        return cond and then and orelse
    if not isinstance(expr, ast.Binary):
        passed = [check_divisors(typed, part, report, facts) for part in parts(expr)]  # all, so that each is reported
        return all(passed)
    left = check_divisors(typed, expr.left, report, facts)
    if expr.op in ("and", "or"):
        facts = facts | nonzero_when(typed, expr.left, expr.op == "and")
    right = check_divisors(typed, expr.right, report, facts)
    if expr.op in ("/", "%") and not is_nonzero(typed, expr.right, facts):
        _report_divisor(typed, expr, report)
        return False
    return left and right


def nonzero_when(typed: Typed, cond: ast.Expr, holds: bool) -> Facts:
    """The names that are non-zero if `cond` has the value `holds`."""
    if isinstance(cond, ast.Unary) and cond.op == "not":
        return nonzero_when(typed, cond.operand, not holds)
    if not isinstance(cond, ast.Binary):
        return NONE
    if cond.op in ("and", "or"):
        left, right = (nonzero_when(typed, side, holds) for side in (cond.left, cond.right))
        return left | right if holds == (cond.op == "and") else left & right
    if cond.op not in _SWAP:
        return NONE
    op = cond.op if holds else _NEGATE[cond.op]
    return _compared(typed, cond.left, op, cond.right) | _compared(typed, cond.right, _SWAP[op], cond.left)


def _compared(typed: Typed, name: ast.Expr, op: str, other: ast.Expr) -> Facts:
    """The name as a fact, if `name op other` implies that it is non-zero."""
    if not isinstance(name, ast.Path) or not _is_variable(typed, name):
        return NONE
    both = typed.types[name] == typed.types[other] == U64
    positive = both and op == ">"  # the other side is at least 0; a fix may be below
    value = constant_value(typed, other)
    if value is not None:
        above = (op == ">" and value >= 0) or (op == ">=" and value > 0)
        below = (op == "<" and value <= 0) or (op == "<=" and value < 0)
        positive = positive or above or below or (op == "!=" and value == 0) or (op == "==" and value != 0)
    return frozenset((name.text,)) if positive else NONE


def _is_variable(typed: Typed, path: ast.Path) -> bool:
    """Whether `path` is a let, param, state or folio field."""
    symbol = typed.refs.get(path)
    if isinstance(symbol, FolioSym):
        return path.parts[-1].text in typed.symbols.fields
    return isinstance(symbol, LetSym | ParamSym | StateSym)


def is_nonzero(typed: Typed, divisor: ast.Expr, facts: Facts) -> bool:
    """Whether `divisor` is known to be non-zero."""
    value = constant_value(typed, divisor)
    if value is not None:
        return value != 0
    if isinstance(divisor, ast.Path):
        symbol = typed.refs.get(divisor)
        if isinstance(symbol, ParamSym) and (symbol.low > 0 or symbol.high < 0):
            return True
        built_in = divisor.text in ("evict.wanted", "every.periods")
        return divisor.text in facts or built_in or isinstance(symbol, TableSym | InputSym)
    if isinstance(divisor, ast.Unary):
        if divisor.op == "~":
            return False
        return is_nonzero(typed, divisor.operand, facts)
    if isinstance(divisor, ast.IfElse):
        then = is_nonzero(typed, divisor.then, facts | nonzero_when(typed, divisor.cond, True))
        return then and is_nonzero(typed, divisor.orelse, facts | nonzero_when(typed, divisor.cond, False))
    if isinstance(divisor, ast.Binary) and divisor.op == "+" and typed.types.get(divisor) == U64:
        return is_nonzero(typed, divisor.left, facts) or is_nonzero(typed, divisor.right, facts)  # it saturates
    whole = _signed(typed, divisor)
    if whole is not None:
        return is_nonzero(typed, whole, facts)
    if isinstance(divisor, ast.Call) and divisor.callee.text == "max":
        return any(is_positive(typed, arg, facts) for arg in divisor.args)
    if isinstance(divisor, ast.Call) and divisor.callee.text == "min":
        return all(is_positive(typed, arg, facts) for arg in divisor.args)
    return False


def is_positive(typed: Typed, expr: ast.Expr, facts: Facts) -> bool:
    """Whether `expr` is known to be above zero. An unsigned non-zero value is."""
    value = constant_value(typed, expr)
    if value is not None:
        return value > 0
    symbol = typed.refs.get(expr) if isinstance(expr, ast.Path) else None
    if isinstance(symbol, ParamSym) and symbol.low > 0:
        return True
    if isinstance(expr, ast.IfElse):
        then = is_positive(typed, expr.then, facts | nonzero_when(typed, expr.cond, True))
        return then and is_positive(typed, expr.orelse, facts | nonzero_when(typed, expr.cond, False))
    whole = _signed(typed, expr)
    if whole is not None:
        return is_positive(typed, whole, facts)
    if isinstance(expr, ast.Call) and expr.callee.text in ("max", "min"):
        above = (is_positive(typed, arg, facts) for arg in expr.args)
        return any(above) if expr.callee.text == "max" else all(above)
    return typed.types.get(expr) == U64 and is_nonzero(typed, expr, facts)


def _signed(typed: Typed, expr: ast.Expr) -> ast.Expr | None:
    """The whole number in `signed(…)`, which saturates and so is zero only if the number is. None for all else."""
    if not isinstance(expr, ast.Call) or expr.callee.text != "signed" or len(expr.args) != 1:
        return None
    return expr.args[0] if typed.types.get(expr.args[0]) in (U64, S64) else None


def _report_divisor(typed: Typed, expr: ast.Binary, report: Report) -> None:
    divisor = expr.right
    text = report.source.slice(divisor.span)
    if constant_value(typed, divisor) == 0:
        report.error(
            "E0209",
            divisor.span,
            "this divides by zero",
            label="always zero",
            help="divide by another number, or remove the division",
        )
        return
    symbol = typed.refs.get(divisor) if isinstance(divisor, ast.Path) else None
    least = f"max({text}, 1)" if len(text) <= 40 and "//" not in text else ""
    fix = None
    if typed.types.get(divisor) == FIX:  # `max(x, 1)` would make 1 of a share
        helps = f"divide by `max({text if len(text) <= 40 else '…'}, LEAST)`, with a number above 0 as LEAST: 0.001"
        helps += f", or put it in `if {text} > 0 {{ … }}`" if isinstance(symbol, LetSym | StateSym) else ""
    elif isinstance(symbol, ParamSym):
        helps = f"start the range of `{text}` above zero, or divide by `max({text}, 1)`"
        fix = replaced(report.source, divisor.span, least, only=False) if least else None
    elif isinstance(symbol, LetSym):
        helps = f"divide by `max({text}, 1)`, or put it in `if {text} > 0 {{ … }}`"
        fix = replaced(report.source, divisor.span, least, only=False) if least else None
    else:
        helps = f"divide by `max({text}, 1)`" if len(text) <= 40 else "divide by `max(…, 1)`"
        fix = replaced(report.source, divisor.span, least) if least else None
    report.error(
        "E0209",
        divisor.span,
        "this divisor may be zero",
        label="not proved to be nonzero",
        why=f"`{expr.op}` by zero has no result, and a policy must never fail while it runs",
        help=helps,
        fix=fix,
    )
