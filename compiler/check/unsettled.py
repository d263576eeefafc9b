"""Types while they are being found out."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from cpol.compiler import ir
from cpol.compiler.syntax import ast


class Unsettled(Enum):
    LITERAL = "a whole number"  # that takes the type of what it meets
    BAD = "an error"  # told already


LITERAL = Unsettled.LITERAL
BAD = Unsettled.BAD

Ty: TypeAlias = ir.IntType | ir.FixType | ir.BoolType | ir.EnumType | Unsettled


def is_number(type: ir.Type) -> bool:
    return isinstance(type, ir.IntType | ir.FixType)


def default_type(expr: ast.Expr) -> ir.Type:
    """Of an expression of literals that meets nothing: signed if there is a minus sign in it."""
    if isinstance(expr, ast.Unary):
        return ir.S64 if expr.op == "-" else default_type(expr.operand)
    parts: tuple[ast.Expr, ...] = ()
    if isinstance(expr, ast.Binary):
        parts = (expr.left, expr.right)
    elif isinstance(expr, ast.IfElse):
        parts = (expr.then, expr.orelse)
    elif isinstance(expr, ast.Call):
        parts = expr.args
    return ir.S64 if any(default_type(part) == ir.S64 for part in parts) else ir.U64


def article(type: Ty) -> str:
    """The type, as messages call it."""
    if isinstance(type, Unsettled):
        return "a number"
    if type == ir.REASON:
        return "a reason (`evicted` or `deleted`)"
    if isinstance(type, ir.EnumType) and type.name == "list":
        return "a list"
    return f"an `{type}`" if isinstance(type, ir.IntType) and type.signed else f"a `{type}`"
