"""Typed AST to IR: expressions. All widening becomes explicit."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from cpol.compiler import ast, ir
from cpol.compiler.symbols import Typed, widened

_ARITH: dict[str, Literal["add", "sub", "mul", "div", "mod"]] = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod",
}  # fmt: skip
_COMPARE: dict[str, Literal["eq", "ne", "lt", "le", "gt", "ge"]] = {
    "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
}  # fmt: skip
_LOGIC: dict[str, Literal["and", "or"]] = {"and": "and", "or": "or"}


def fix_raw(text: str) -> int:
    """The raw value of a literal with a fraction: the nearest Q47.16, ties to even."""
    return round(Fraction(text) * (1 << ir.FIX_FRACTION_BITS))


def lower_expr(typed: Typed, expr: ast.Expr, want: ir.Type | None = None) -> ir.Expr:
    """The IR of `expr`, converted to `want` if it is of another type. `expr` is free of errors."""
    have = typed.types[expr]
    if isinstance(expr, ast.IntLit):
        return number(expr.value, want or have)
    if isinstance(expr, ast.Unary) and isinstance(expr.operand, ast.IntLit):
        return number(-expr.operand.value, want or have)
    lowered = _lower(typed, expr, have)
    if want is not None and want != have:
        return ir.Convert(lowered, want)
    return lowered


def number(value: int, type: ir.Type) -> ir.Const:
    """A whole number as a constant of `type`."""
    return ir.Const(value << ir.FIX_FRACTION_BITS if type == ir.FIX else value, type)


def widen(leaf: ir.Expr) -> ir.Expr:
    """`leaf` in the type in which expressions compute."""
    wide = widened(leaf.type)
    if leaf.type == wide:
        return leaf
    if isinstance(leaf, ir.Const):
        return ir.Const(leaf.value, wide)
    return ir.Convert(leaf, wide)


def _lower(typed: Typed, expr: ast.Expr, have: ir.Type) -> ir.Expr:
    if isinstance(expr, ast.IntLit):
        return number(expr.value, have)
    if isinstance(expr, ast.FixLit):
        return ir.Const(fix_raw(expr.text), ir.FIX)
    if isinstance(expr, ast.BoolLit):
        return ir.Const(int(expr.value), ir.BOOL)
    if isinstance(expr, ast.Path):
        return widen(typed.leaves[expr])
    if isinstance(expr, ast.Call):
        return _call(typed, expr, have)
    if isinstance(expr, ast.Unary):
        if expr.op == "not":
            return ir.Not(lower_expr(typed, expr.operand))
        return ir.Arith("sub", number(0, have), lower_expr(typed, expr.operand, have), have)
    if expr.op in _ARITH:
        left = lower_expr(typed, expr.left, have)
        return ir.Arith(_ARITH[expr.op], left, lower_expr(typed, expr.right, have), have)
    if expr.op in _LOGIC:
        return ir.Logic(_LOGIC[expr.op], lower_expr(typed, expr.left), lower_expr(typed, expr.right))
    common = _common(typed.types[expr.left], typed.types[expr.right])
    return ir.Compare(_COMPARE[expr.op], lower_expr(typed, expr.left, common), lower_expr(typed, expr.right, common))


def _common(left: ir.Type, right: ir.Type) -> ir.Type:
    return ir.FIX if ir.FIX in (left, right) else left


def _call(typed: Typed, call: ast.Call, have: ir.Type) -> ir.Expr:
    if call in typed.leaves:
        return typed.leaves[call]
    function = call.callee.text
    if function in ("min", "max"):
        op: Literal["min", "max"] = "min" if function == "min" else "max"
        tree = lower_expr(typed, call.args[0], have)
        for arg in call.args[1:]:
            tree = ir.Arith(op, tree, lower_expr(typed, arg, have), have)
        return tree
    operand = lower_expr(typed, call.args[0])
    if operand.type == have:
        return operand
    return ir.Convert(operand, have, "ceil" if function == "ceil" else "floor")
