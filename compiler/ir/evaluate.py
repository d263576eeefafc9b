"""The value of a constant expression, computed as docs/semantics.md says."""

from __future__ import annotations

from cpol.compiler import arithmetic, ir


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
        return int(arithmetic.compare(expr.op, evaluate(expr.left), evaluate(expr.right)))
    if isinstance(expr, ir.Convert):
        return arithmetic.convert(evaluate(expr.operand), expr.operand.type, expr.type, expr.rounding)
    if isinstance(expr, ir.Select):
        return evaluate(expr.then if evaluate(expr.cond) else expr.orelse)
    if isinstance(expr, ir.Math):
        return (arithmetic.log2 if expr.op == "log2" else arithmetic.exp2)(evaluate(expr.operand))
    if isinstance(expr, ir.Arith):
        return arithmetic.arith(expr.op, evaluate(expr.left), evaluate(expr.right), expr.type)
    raise AssertionError(f"not constant: {expr}")
