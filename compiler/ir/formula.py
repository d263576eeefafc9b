"""Formulas that the loader evaluates at attach, in reverse Polish (runtime/machine/include/cpol/README.md)."""

from __future__ import annotations

from cpol.compiler import ir
from cpol.compiler.ir.evaluate import evaluate


def tick(policy: ir.Policy) -> list[str]:
    """Milliseconds between ticks: the shortest period. Some `every` block must count ms."""
    periods = [polish(every.period) for every in policy.everies if every.unit == "ms"]
    result = periods[0]
    for period in periods[1:]:
        result = [*result, *period, "min"]
    return result


def polish(expr: ir.Expr) -> list[str]:
    """`expr` in reverse Polish: a ghost's capacity, a table's size, an array's length or a period.

    Raises:
        ValueError: `expr` reads what does not exist at attach.
    """
    match expr:
        case ir.CacheAttr("capacity"):
            return ["capacity"]
        case ir.Param(name):
            return [f"param:{name}"]
        case ir.Const(value, ir.FixType()):
            return [f"fix:{value}"]
        case ir.Const(value, type_):
            return [f"int:{value}", "to_s64"] if _signed(type_) else [f"int:{value}"]
        case ir.Arith(op, left, right, _):
            return [*polish(left), *polish(right), op]
        case ir.Convert(operand, target, rounding):
            return [*polish(operand), *_conversion(operand.type, target, rounding)]
        case ir.Select() | ir.Math() | ir.Bits():  # the checker lets only constant ones pass
            return polish(ir.Const(evaluate(expr, {}), expr.type))
        case _:
            raise ValueError(f"what is evaluated at attach cannot hold {type(expr).__name__}")


def _conversion(source: ir.Type, target: ir.Type, rounding: str) -> list[str]:
    if target == ir.FIX:
        return [] if source == ir.FIX else ["to_fix"]
    if _signed(target):
        return [] if _signed(source) else ["to_s64"]
    if source == ir.FIX:
        return [rounding]
    return ["to_u64"] if _signed(source) else []


def _signed(type_: ir.Type) -> bool:
    return isinstance(type_, ir.IntType) and type_.signed
