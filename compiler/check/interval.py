"""Interval analysis over all values of the params, and constant folding."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from cpol.compiler import arithmetic, comm
from cpol.compiler.check.symbols import (
    ConstSym,
    FolioSym,
    InputSym,
    LetSym,
    ListSym,
    MemberSym,
    ParamSym,
    StateSym,
    Symbol,
    TableSym,
    Typed,
)
from cpol.compiler.check.unsettled import is_lowest_fix
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import nodes
from cpol.compiler.types import BOOL, FIX, REASON, U64, Type, common_type, raw_range
from cpol.compiler.vocabulary.function import COMPUTED, FUNCTIONS, MATH

Range: TypeAlias = tuple[int, int]
"""The lowest and highest raw value."""

Key: TypeAlias = tuple[Symbol, str]

Facts: TypeAlias = Mapping[Key | None, Range]
"""What is known of variables at a place, beyond their types."""

NONE: Final[Facts] = MappingProxyType({})

_ARITH: Final = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod"}
_COMPARE: Final = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def constant_value(typed: Typed, expr: ast.Expr) -> int | None:
    """The raw value of an expression of literals and consts, or None. An integer literal gives the integer."""
    if isinstance(expr, ast.IntLit):
        return expr.value
    if expr not in typed.types or not all(_is_constant(typed, node) for node in nodes(expr)):
        return None
    low, high = interval(typed, expr)
    return low if low == high else None  # divisor.py reports a division by zero


def _is_constant(typed: Typed, node: ast.Expr) -> bool:
    if isinstance(node, ast.Path):
        return named_constant(typed, node) is not None
    if isinstance(node, ast.Call):
        return node.callee.text in MATH
    return not isinstance(node, ast.Element | ast.FieldElement | ast.Folios)


def named_constant(typed: Typed, path: ast.Path) -> int | None:
    """The raw value of a const, an enum member or a list's name; None for other names."""
    symbol = typed.refs.get(path)
    if isinstance(symbol, ConstSym):
        return symbol.value
    if isinstance(symbol, MemberSym) or (isinstance(symbol, ListSym) and len(path.parts) == 1):
        return symbol.number
    return REASON.members.index(path.text) if path.text in REASON.members else None


def interval(typed: Typed, expr: ast.Expr, want: Type | None = None, facts: Facts = NONE) -> Range:
    """The range of raw values of `expr`, converted to `want` if its type differs.

    The analysis follows consts, params, lets and arithmetic; other values have the range of their type, or what
    `facts` say of them. A constant without a division by zero gives its value twice.
    """
    have = typed.types[expr]
    literal = _literal(expr)
    if literal is not None:
        value = arithmetic.whole(literal, want or have)
        return value, value
    found = _interval(typed, expr, have, facts)
    return found if want is None else _converted(found, have, want)


def folded(typed: Typed, expr: ast.Expr, want: Type) -> int:
    """The raw value in `want` of a constant without a division by zero."""
    low, high = interval(typed, expr, want)
    assert low == high
    return low


def _literal(expr: ast.Expr) -> int | None:
    """The value of an integer literal, whose type depends on its context; None for other expressions."""
    if isinstance(expr, ast.IntLit):
        return expr.value
    if isinstance(expr, ast.Unary) and expr.op == "-" and isinstance(expr.operand, ast.IntLit):
        return -expr.operand.value
    return None


def _interval(typed: Typed, expr: ast.Expr, have: Type, facts: Facts) -> Range:
    if isinstance(expr, ast.FixLit):
        value = arithmetic.fraction(expr.text)
        return value, value
    if isinstance(expr, ast.BoolLit):
        return int(expr.value), int(expr.value)
    if isinstance(expr, ast.CommLit):
        return comm.number(expr.comm), comm.number(expr.comm)
    if isinstance(expr, ast.Path):
        return _path(typed, expr, facts)
    if isinstance(expr, ast.IfElse):
        return _if_else(typed, expr, have, facts)
    if isinstance(expr, ast.Unary) and is_lowest_fix(expr):
        return raw_range(FIX)[0], raw_range(FIX)[0]
    if isinstance(expr, ast.Unary):
        low, high = interval(typed, expr.operand, have, facts)
        if expr.op == "~":
            return arithmetic.ALL_BITS - high, arithmetic.ALL_BITS - low
        return (1 - high, 1 - low) if expr.op == "not" else _arith("sub", (0, 0), (low, high), have)
    if isinstance(expr, ast.Binary):
        return _binary(typed, expr, have, facts)
    if isinstance(expr, ast.Call) and expr.callee.text in MATH:
        return _math(typed, expr, have, facts)
    if isinstance(expr, ast.Call) and expr.callee.text == "random" and expr.args:
        return 0, max(0, interval(typed, expr.args[0], U64, facts)[1] - 1)
    return raw_range(typed.declared[expr])


def key_of(typed: Typed, path: ast.Path) -> Key | None:
    """What facts know a name by: the symbol of a variable, or that of a folio and the name of its field."""
    symbol = typed.refs.get(path)
    if isinstance(symbol, FolioSym) and len(path.parts) == 2 and path.parts[1].text in typed.symbols.fields:
        return symbol, path.parts[1].text
    one = len(path.parts) == 1 and isinstance(symbol, LetSym | StateSym | ParamSym)
    return (symbol, "") if one and symbol is not None and not getattr(symbol, "live", False) else None


def _path(typed: Typed, path: ast.Path, facts: Facts) -> Range:
    fact = facts.get(key_of(typed, path)) if facts else None
    if fact is not None:
        return fact
    symbol = typed.refs.get(path)
    if isinstance(symbol, LetSym) and symbol.range is not None:
        return symbol.range
    if isinstance(symbol, ParamSym):
        return symbol.low, symbol.high
    if isinstance(symbol, TableSym | InputSym):  # the size
        return symbol.range
    value = named_constant(typed, path)
    return raw_range(typed.declared[path]) if value is None else (value, value)


def _if_else(typed: Typed, expr: ast.IfElse, have: Type, facts: Facts) -> Range:
    cond = interval(typed, expr.cond, None, facts)
    sides = [interval(typed, side, have, facts) for side, taken in ((expr.then, 1), (expr.orelse, 0)) if taken in cond]
    return min(low for low, _ in sides), max(high for _, high in sides)


def _binary(typed: Typed, expr: ast.Binary, have: Type, facts: Facts) -> Range:
    if expr.op in _ARITH:
        left, right = (interval(typed, side, have, facts) for side in (expr.left, expr.right))
        return _arith(_ARITH[expr.op], left, right, have)
    if expr.op in arithmetic.BITS:
        left, right = (interval(typed, side, U64, facts) for side in (expr.left, expr.right))
        return arithmetic.bits_range(arithmetic.BITS[expr.op], left, right)
    if expr.op in ("and", "or"):
        (a, b), (c, d) = (interval(typed, side, None, facts) for side in (expr.left, expr.right))
        return (min(a, c), min(b, d)) if expr.op == "and" else (max(a, c), max(b, d))
    common = common_type(typed.types[expr.left], typed.types[expr.right])
    (a, b), (c, d) = (interval(typed, side, common, facts) for side in (expr.left, expr.right))
    if (a, c) != (b, d):
        return raw_range(BOOL)
    holds = int(arithmetic.compare(_COMPARE[expr.op], a, c))
    return holds, holds


def _math(typed: Typed, call: ast.Call, have: Type, facts: Facts) -> Range:
    function = call.callee.text
    if function in ("min", "max"):
        sides = [interval(typed, arg, have, facts) for arg in call.args]
        choose = min if function == "min" else max
        return choose(low for low, _ in sides), choose(high for _, high in sides)
    if function in COMPUTED:
        known = FUNCTIONS[function]
        ranges = [interval(typed, arg, type, facts) for arg, type in zip(call.args, known.operands, strict=True)]
        if any(low < high for low, high in ranges):
            return raw_range(known.type)
        value = COMPUTED[function](*(low for low, _ in ranges))
        return value, value
    found = interval(typed, call.args[0], None, facts)
    return _converted(found, typed.types[call.args[0]], have, "ceil" if function == "ceil" else "floor")


def _converted(range: Range, source: Type, target: Type, rounding: str = "floor") -> Range:
    low, high = (arithmetic.convert(value, source, target, rounding) for value in range)
    return low, high


def _arith(op: str, left: Range, right: Range, type: Type) -> Range:
    (a, b), (c, d) = left, right
    pairs: list[tuple[int, int]] = []
    if op == "add":
        pairs = [(a, c), (b, d)]
    elif op == "sub":
        pairs = [(a, d), (b, c)]
    elif op == "mod" and c > 0 and (a, c) != (b, d):  # it rounds down, so that its result is never below 0
        return (a, b) if a >= 0 and b < c else (0, min(b, d - 1) if a >= 0 else d - 1)
    elif op == "mul" or (op == "div" and c > 0) or (left == (a, a) and right == (c, c) and c != 0):
        pairs = [(x, y) for x in left for y in right]
    values = [arithmetic.arith(op, x, y, type) for x, y in pairs]
    return (min(values), max(values)) if values else raw_range(type)
