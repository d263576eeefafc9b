"""The value of a constant expression, computed as docs/semantics.md says."""

from __future__ import annotations

from cpol.compiler import ir
from cpol.compiler.ir import fixmath
from cpol.compiler.types import raw_range

_ONE = 1 << ir.FIX_FRACTION_BITS


def saturate(value: int, type: ir.Type) -> int:
    low, high = raw_range(type)
    return max(low, min(high, value))


def evaluate(expr: ir.Expr) -> int:
    """The raw value of `expr`, which reads nothing."""
    if isinstance(expr, ir.Const):
        return expr.value
    if isinstance(expr, ir.Not):
        return 1 - evaluate(expr.operand)
    if isinstance(expr, ir.Logic):
        left = evaluate(expr.left)
        return evaluate(expr.right) if left == (expr.op == "and") else left
    if isinstance(expr, ir.Compare):
        a, b = evaluate(expr.left), evaluate(expr.right)
        return int({"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[expr.op])
    if isinstance(expr, ir.Convert):
        return _convert(evaluate(expr.operand), expr)
    if isinstance(expr, ir.Select):
        return evaluate(expr.then if evaluate(expr.cond) else expr.orelse)
    if isinstance(expr, ir.Math):
        return (fixmath.log2 if expr.op == "log2" else fixmath.exp2)(evaluate(expr.operand))
    if isinstance(expr, ir.Arith):
        return saturate(_arith(expr.op, evaluate(expr.left), evaluate(expr.right), expr.type == ir.FIX), expr.type)
    raise AssertionError(f"not constant: {expr}")


def _convert(value: int, convert: ir.Convert) -> int:
    source, target = convert.operand.type, convert.type
    if source == ir.FIX and target != ir.FIX:
        value = -(-value // _ONE) if convert.rounding == "ceil" else value // _ONE
    elif target == ir.FIX and source != ir.FIX:
        value *= _ONE
    return saturate(value, target)


def _arith(op: str, a: int, b: int, fix: bool) -> int:
    if op == "add":
        return a + b
    if op == "sub":
        return a - b
    if op == "mul":
        return a * b // _ONE if fix else a * b
    if op == "div":
        return a * _ONE // b if fix else a // b
    if op == "mod":
        return a % b
    return min(a, b) if op == "min" else max(a, b)
