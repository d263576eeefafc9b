"""What a number can be, whatever the params are set to."""

from __future__ import annotations

from cpol.compiler import ir
from cpol.compiler.check.symbols import ParamSym, Symbols, TableSym
from cpol.compiler.ir.evaluate import saturate
from cpol.compiler.types import raw_range

_ONE = 1 << ir.FIX_FRACTION_BITS


def interval(expr: ir.Expr, symbols: Symbols) -> tuple[int, int]:
    """The least and the greatest raw value of `expr`, as far as it is known from consts, params and arithmetic."""
    if isinstance(expr, ir.Const):
        return expr.value, expr.value
    if isinstance(expr, ir.Param):
        symbol = symbols.names[expr.name]
        assert isinstance(symbol, ParamSym)
        return symbol.low, symbol.high
    if isinstance(expr, ir.TableSize):
        table = symbols.names[expr.table]
        assert isinstance(table, TableSym)
        return table.range
    if isinstance(expr, ir.Convert):
        return _convert(interval(expr.operand, symbols), expr)
    if isinstance(expr, ir.Select):
        (a, b), (c, d) = interval(expr.then, symbols), interval(expr.orelse, symbols)
        return min(a, c), max(b, d)
    if isinstance(expr, ir.Arith):
        left, right = interval(expr.left, symbols), interval(expr.right, symbols)
        found = _arith(expr.op, left, right, expr.type == ir.FIX)
        if found is not None:
            return saturate(found[0], expr.type), saturate(found[1], expr.type)
    return raw_range(expr.type)


def _convert(range: tuple[int, int], convert: ir.Convert) -> tuple[int, int]:
    source, target = convert.operand.type, convert.type
    low, high = range
    if source == ir.FIX and target != ir.FIX:
        up = convert.rounding == "ceil"
        low, high = (-(-low // _ONE), -(-high // _ONE)) if up else (low // _ONE, high // _ONE)
    elif target == ir.FIX and source != ir.FIX:
        low, high = low * _ONE, high * _ONE
    return saturate(low, target), saturate(high, target)


def _arith(op: str, left: tuple[int, int], right: tuple[int, int], fix: bool) -> tuple[int, int] | None:
    """None: not known."""
    (a, b), (c, d) = left, right
    if op == "add":
        return a + c, b + d
    if op == "sub":
        return a - d, b - c
    if op == "min":
        return min(a, c), min(b, d)
    if op == "max":
        return max(a, c), max(b, d)
    if op == "mul":
        corners = [x * y // (_ONE if fix else 1) for x in left for y in right]
        return min(corners), max(corners)
    if op == "div" and c > 0:
        corners = [x * (_ONE if fix else 1) // y for x in left for y in right]
        return min(corners), max(corners)
    return None
