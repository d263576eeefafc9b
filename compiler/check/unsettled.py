"""Types during inference."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from cpol.compiler import arithmetic
from cpol.compiler.syntax import ast
from cpol.compiler.types import FIX, REASON, S64, U64, BoolType, EnumType, FixType, IntType, Type, raw_range


class Unsettled(Enum):
    LITERAL = "a whole number"  # its context decides the type
    BAD = "an error"  # already reported


LITERAL = Unsettled.LITERAL
BAD = Unsettled.BAD

Ty: TypeAlias = IntType | FixType | BoolType | EnumType | Unsettled


def is_number(type: Type) -> bool:
    return isinstance(type, IntType | FixType)


def is_lowest_fix(expr: ast.Unary) -> bool:
    """Whether it is a minus sign before 2^47: the lowest fix, whose opposite is none."""
    literal = expr.operand
    return (
        expr.op == "-" and isinstance(literal, ast.FixLit) and arithmetic.fraction(literal.text) == -raw_range(FIX)[0]
    )


def default_type(expr: ast.Expr) -> Type:
    """The type of a literal expression without context: signed if it has a minus sign."""
    if isinstance(expr, ast.Unary):
        return S64 if expr.op == "-" else default_type(expr.operand)
    parts: tuple[ast.Expr, ...] = ()
    if isinstance(expr, ast.Binary):
        parts = (expr.left, expr.right)
    elif isinstance(expr, ast.IfElse):
        parts = (expr.then, expr.orelse)
    elif isinstance(expr, ast.Call):
        parts = expr.args
    return S64 if any(default_type(part) == S64 for part in parts) else U64


def article(type: Ty) -> str:
    """The name of the type in messages, with an article."""
    if isinstance(type, Unsettled):
        return "a number"
    if type == REASON:
        return "a reason (`evicted` or `deleted`)"
    if isinstance(type, EnumType) and type.name == "list":
        return "a list"
    return f"an `{type}`" if isinstance(type, IntType) and type.signed else f"a `{type}`"
