"""Evaluates expressions of constants and params (docs/semantics.md, "Numbers")."""

from __future__ import annotations

from collections.abc import Mapping

from cpol.compiler import arithmetic, ir
from cpol.compiler.vocabulary.function import COMPUTED


def evaluate(expr: ir.Expr, params: Mapping[str, int]) -> int:
    """The raw value of `expr`. `params` gives the raw value of each param.

    Raises:
        AssertionError: `expr` reads anything but params.
    """
    if isinstance(expr, ir.Const):
        return expr.value
    if isinstance(expr, ir.Param):
        return params[expr.name]
    if isinstance(expr, ir.Not):
        return 1 - evaluate(expr.operand, params)
    if isinstance(expr, ir.Logic):
        left = evaluate(expr.left, params)
        return evaluate(expr.right, params) if left == (expr.op == "and") else left
    if isinstance(expr, ir.Compare):
        return int(arithmetic.compare(expr.op, evaluate(expr.left, params), evaluate(expr.right, params)))
    if isinstance(expr, ir.Convert):
        return arithmetic.convert(evaluate(expr.operand, params), expr.operand.type, expr.type, expr.rounding)
    if isinstance(expr, ir.Select):
        return evaluate(expr.then if evaluate(expr.cond, params) else expr.orelse, params)
    if isinstance(expr, ir.Math):
        return COMPUTED[expr.op](*(evaluate(operand, params) for operand in expr.operands))
    if isinstance(expr, ir.Arith):
        return arithmetic.arith(expr.op, evaluate(expr.left, params), evaluate(expr.right, params), expr.type)
    if isinstance(expr, ir.Bits):
        return arithmetic.bits(expr.op, evaluate(expr.left, params), evaluate(expr.right, params))
    raise AssertionError(f"not constant: {expr}")
