"""Upper bounds of expressions, with formulas."""

from __future__ import annotations

from dataclasses import dataclass, field

from cpol.compiler import arithmetic, ir
from cpol.compiler.literals import show_value
from cpol.compiler.types import raw_range


@dataclass(frozen=True)
class UpperBound:
    """A bound. `raw` is a raw value of the expression's type; `exact`: it is the value itself, known at attach."""

    raw: int
    text: str
    exact: bool = False


@dataclass(frozen=True)
class Setting:
    """Values known at attach. `params` are raw; `tables` bounds the size of the first dimension."""

    capacity: int
    params: dict[str, int]
    tables: dict[str, UpperBound] = field(default_factory=dict)
    ghosts: dict[str, UpperBound] = field(default_factory=dict)

    @staticmethod
    def of(policy: ir.Policy, capacity: int, given: dict[str, int] | None = None) -> Setting:
        plain = Setting(capacity, {param.name: param.default for param in policy.params} | (given or {}))
        tables = {table.name: upper_bound(table.sizes[0], plain, {}) for table in policy.tables}
        ghosts = {ghost.name: upper_bound(ghost.capacity, plain, {}) for ghost in policy.ghosts}
        return Setting(capacity, plain.params, tables, ghosts)


def upper_bound(expr: ir.Expr, setting: Setting, lets: dict[str, UpperBound]) -> UpperBound:
    """An upper bound of `expr`. `lets` has the bounds of `let` names."""
    _, top = raw_range(expr.type)
    anything = UpperBound(top, f"{top:,}" if not isinstance(expr.type, ir.FixType) else "unbounded")
    match expr:
        case ir.Const(value, type_):
            return UpperBound(value, show_value(value, type_), exact=True)
        case ir.Param(name):
            return UpperBound(setting.params[name], name, exact=True)
        case ir.Local(name) if name in lets:
            return lets[name]
        case ir.ListSize() | ir.CacheAttr("size"):
            return UpperBound(setting.capacity, "capacity")
        case ir.CacheAttr("capacity"):
            return UpperBound(setting.capacity, "capacity", exact=True)
        case ir.TableSize(name):
            first = setting.tables[name]
            return UpperBound(max(first.raw, 1), first.text, exact=True)
        case ir.GhostSize(name):
            return UpperBound(setting.ghosts[name].raw, setting.ghosts[name].text)
        case ir.FaultAttr("window"):
            return UpperBound(ir.PREFETCH_TARGETS, "p.window")
        case ir.EvictWanted():
            return UpperBound(ir.MAX_BATCH, "evict.wanted")
        case ir.EveryPeriods():
            return UpperBound(raw_range(ir.U64)[1], "every.periods")
        case ir.State(_, type_) | ir.Field(type=type_) | ir.TableGet(_, _, type_) | ir.InputGet(type=type_):
            _, high = raw_range(type_)
            return UpperBound(high, f"{high:,}")
        case ir.Random(bound):
            below = upper_bound(bound, setting, lets)
            return UpperBound(below.raw, below.text)
        case ir.Convert(operand, target, rounding):
            return _converted(upper_bound(operand, setting, lets), operand.type, target, rounding)
        case ir.Select(_, then, orelse):
            sides = [upper_bound(side, setting, lets) for side in (then, orelse)]
            return UpperBound(max(s.raw for s in sides), f"max({sides[0].text}, {sides[1].text})")
        case ir.Arith(op, left, right, type_):
            found = _arith(op, upper_bound(left, setting, lets), upper_bound(right, setting, lets), type_, top)
            return found or anything
        case ir.Bits(op, left, right):
            return _bits(op, upper_bound(left, setting, lets), upper_bound(right, setting, lets))
        case _:
            return anything


def period_text(period: ir.Expr, setting: Setting) -> str:
    """The formula of a period, without the 1 that it is at least."""
    if isinstance(period, ir.Arith) and period.op == "max" and isinstance(period.right, ir.Const):
        period = period.left
    return strip_parens(upper_bound(period, setting, {}).text)


def bounds_nothing(found: UpperBound) -> bool:
    """Whether a whole number may have any value of its type."""
    return found.raw >= raw_range(ir.S64)[1] and not found.exact


def strip_parens(text: str) -> str:
    """A formula without its outer parentheses."""
    depth = 0
    for position, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text


def _converted(inner: UpperBound, source: ir.Type, target: ir.Type, rounding: str) -> UpperBound:
    return UpperBound(arithmetic.convert(inner.raw, source, target, rounding), inner.text, inner.exact)


def _arith(op: str, left: UpperBound, right: UpperBound, type_: ir.Type, top: int) -> UpperBound | None:
    """The bound of an operation, or None if there is none, as for most signed operations."""
    exact = left.exact and right.exact
    if exact:
        return _exact(op, left, right, type_)
    unsigned = isinstance(type_, ir.IntType) and not type_.signed
    if not (unsigned or op in ("min", "max", "add")):
        return None
    a, b = left.raw, right.raw
    match op:
        case "add":
            return UpperBound(a + b, f"({left.text} + {right.text})") if a + b < top else None
        case "sub":
            if right.exact:
                return UpperBound(max(a - b, 0), f"({left.text} - {right.text})")
            return UpperBound(a, left.text)
        case "mul":
            return UpperBound(a * b, f"{left.text} * {right.text}") if a * b < top else None
        case "div":
            if not right.exact:
                return UpperBound(a, left.text)
            return UpperBound(a // b if b else top, f"{left.text} / {right.text}")
        case "mod":
            return UpperBound(b, right.text)
        case "min":
            if top in (a, b):  # which bounds nothing
                return right if a == top else left
            return UpperBound(min(a, b), f"min({left.text}, {right.text})")
        case "max":
            return UpperBound(max(a, b), f"max({left.text}, {right.text})")
    return None


def _bits(op: str, left: UpperBound, right: UpperBound) -> UpperBound:
    """The bound of an operation on bits."""
    a, b = ((side.raw if side.exact else 0, side.raw) for side in (left, right))
    _, high = arithmetic.bits_range(op, a, b)
    sign = next(sign for sign, name in arithmetic.BITS.items() if name == op)
    exact = left.exact and right.exact
    if op == "and" and not exact:
        return UpperBound(high, f"min({left.text}, {right.text})")
    if op == "shr" and not exact:
        return UpperBound(high, f"({left.text} >> {right.text})" if right.exact else left.text)
    return UpperBound(high, f"({left.text} {sign} {right.text})" if exact else f"{high:,}", exact)


SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%"}


def _exact(op: str, left: UpperBound, right: UpperBound, type_: ir.Type) -> UpperBound | None:
    """The value of an operation on exact operands, or None for a division by zero."""
    if op in ("div", "mod") and right.raw == 0:
        return None
    value = arithmetic.arith(op, left.raw, right.raw, type_)
    sign = SIGNS.get(op)
    text = f"({left.text} {sign} {right.text})" if sign else f"{op}({left.text}, {right.text})"
    return UpperBound(value, text, exact=True)
