"""Expressions in words, and what their parts are worth: for messages about invariants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cpol.compiler import ir
from cpol.runtime.interp import eval, numbers
from cpol.runtime.interp.errors import PolicyError

if TYPE_CHECKING:
    from cpol.runtime.interp.machine import Machine

SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
BINDING = {"or": 1, "and": 2, "not": 3, "add": 5, "sub": 5, "mul": 6, "div": 6, "mod": 6}
COMPARISON = 4


def explain(expr: ir.Expr, machine: Machine) -> list[tuple[str, str]]:
    """Each part of `expr` that is not a constant, once, inner parts first, with its value."""
    from cpol.runtime.interp.machine import Call

    parts: dict[str, str] = {}
    for part in subexpressions(expr):
        if isinstance(part, ir.Const | ir.Convert) or part is expr:
            continue
        try:
            parts[text(part)] = numbers.show(eval.value(part, eval.Scope(machine, Call())), part.type)
        except PolicyError:  # a division by zero that `and` or `or` guards
            parts[text(part)] = "undefined"
    return list(parts.items())


def subexpressions(expr: ir.Expr) -> Iterator[ir.Expr]:
    match expr:
        case ir.Arith() | ir.Compare() | ir.Logic():
            yield from subexpressions(expr.left)
            yield from subexpressions(expr.right)
        case ir.Not() | ir.Convert():
            yield from subexpressions(expr.operand)
    yield expr


def text(expr: ir.Expr, least: int = 0) -> str:
    """`expr` as one writes it; in parentheses if it binds less than `least`."""
    match expr:
        case ir.Const():
            return numbers.show(expr.value, expr.type)
        case ir.Param() | ir.State() | ir.Local():
            return expr.name
        case ir.Field():
            return f"{expr.folio}.{expr.name}"
        case ir.FolioAttr():
            return f"{expr.folio}.{expr.attr}"
        case ir.ListSize():
            return f"{expr.list}.size"
        case ir.CacheAttr():
            return f"cache.{expr.attr}"
        case ir.EvictWanted():
            return "evict.wanted"
        case ir.GhostTake():
            return f"{expr.ghost}.take({expr.folio})"
        case ir.GhostHas():
            return f"{expr.ghost}.has({expr.folio})"
        case ir.Convert():
            if isinstance(expr.operand.type, ir.FixType):
                return f"{expr.rounding}({text(expr.operand)})"
            return text(expr.operand, least)
        case ir.Not():
            result, binding = f"not {text(expr.operand, BINDING['not'])}", BINDING["not"]
        case ir.Arith(op="min" | "max"):
            return f"{expr.op}({text(expr.left)}, {text(expr.right)})"
        case ir.Arith() | ir.Compare() | ir.Logic():
            binding = BINDING.get(expr.op, COMPARISON)
            result = f"{text(expr.left, binding)} {SIGNS.get(expr.op, expr.op)} {text(expr.right, binding + 1)}"
    return f"({result})" if binding < least else result
