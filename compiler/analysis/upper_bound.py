"""The largest value that an expression can have, with its formula."""

from __future__ import annotations

from dataclasses import dataclass, field

from cpol.compiler import ir
from cpol.compiler.literals import show_value

ONE = 1 << ir.FIX_FRACTION_BITS


@dataclass(frozen=True)
class Most:
    """`raw`: the most, as raw value of the expression's type; `exact`: it is the value itself, settled at attach."""

    raw: int
    text: str
    exact: bool = False


@dataclass(frozen=True)
class Setting:
    """What is settled at attach. `params` are raw; `tables`: elements of the first dimension."""

    capacity: int
    params: dict[str, int]
    tables: dict[str, Most] = field(default_factory=dict)
    ghosts: dict[str, Most] = field(default_factory=dict)

    @staticmethod
    def of(policy: ir.Policy, capacity: int, given: dict[str, int] | None = None) -> Setting:
        bare = Setting(capacity, {param.name: param.default for param in policy.params} | (given or {}))
        tables = {table.name: most(table.sizes[0], bare, {}) for table in policy.tables}
        ghosts = {ghost.name: most(ghost.capacity, bare, {}) for ghost in policy.ghosts}
        return Setting(capacity, bare.params, tables, ghosts)


def ceiling(type_: ir.Type) -> int:
    """The largest raw value of a type."""
    match type_:
        case ir.IntType(signed, bits):
            return (1 << (bits - signed)) - 1
        case ir.FixType():
            return (1 << 63) - 1
        case ir.BoolType():
            return 1
        case ir.EnumType():
            return len(type_.members) - 1


def most(expr: ir.Expr, setting: Setting, lets: dict[str, Most]) -> Most:
    """An upper bound of `expr`, with what has been computed for the names of `let`."""
    top = ceiling(expr.type)
    anything = Most(top, f"{top:,}" if not isinstance(expr.type, ir.FixType) else "unbounded")
    match expr:
        case ir.Const(value, type_):
            return Most(value, show_value(value, type_), exact=True)
        case ir.Param(name):
            return Most(setting.params[name], name, exact=True)
        case ir.Local(name) if name in lets:
            return lets[name]
        case ir.ListSize() | ir.CacheAttr("size"):
            return Most(setting.capacity, "capacity")
        case ir.CacheAttr("capacity"):
            return Most(setting.capacity, "capacity", exact=True)
        case ir.TableSize(name):
            first = setting.tables[name]
            return Most(max(first.raw, 1), first.text, exact=True)
        case ir.GhostSize(name):
            return Most(setting.ghosts[name].raw, setting.ghosts[name].text)
        case ir.EvictWanted():
            return Most(ir.MAX_BATCH, "evict.wanted")
        case ir.State(_, type_) | ir.Field(_, _, type_) | ir.TableGet(_, _, type_) | ir.InputGet(type=type_):
            return Most(ceiling(type_), f"{ceiling(type_):,}")
        case ir.Random(bound):
            below = most(bound, setting, lets)
            return Most(below.raw, below.text)
        case ir.Convert(operand, target, rounding):
            return _converted(most(operand, setting, lets), operand.type, target, rounding)
        case ir.Select(_, then, orelse):
            sides = [most(side, setting, lets) for side in (then, orelse)]
            return Most(max(s.raw for s in sides), f"max({sides[0].text}, {sides[1].text})")
        case ir.Arith(op, left, right, type_):
            found = _arith(op, most(left, setting, lets), most(right, setting, lets), type_, top)
            return found or anything
        case _:
            return anything


def bare(text: str) -> str:
    """A formula without the parentheses around all of it."""
    depth = 0
    for position, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text


def _converted(inner: Most, source: ir.Type, target: ir.Type, rounding: str) -> Most:
    raw = inner.raw
    if isinstance(target, ir.FixType) and not isinstance(source, ir.FixType):
        raw *= ONE
    elif isinstance(source, ir.FixType) and not isinstance(target, ir.FixType):
        raw = -(-raw >> ir.FIX_FRACTION_BITS) if rounding == "ceil" else raw >> ir.FIX_FRACTION_BITS
    low = 0 if isinstance(target, ir.IntType) and not target.signed else -ceiling(target) - 1
    return Most(max(low, min(raw, ceiling(target))), inner.text, inner.exact)


def _arith(op: str, left: Most, right: Most, type_: ir.Type, top: int) -> Most | None:
    """None: nothing can be said, which is so for most of what may be negative."""
    exact = left.exact and right.exact
    if exact:
        return _exact(op, left, right, type_)
    unsigned = isinstance(type_, ir.IntType) and not type_.signed
    if not (unsigned or op in ("min", "max", "add")):
        return None
    a, b = left.raw, right.raw
    match op:
        case "add":
            return Most(min(a + b, top), f"({left.text} + {right.text})")
        case "sub":
            if right.exact:
                return Most(max(a - b, 0), f"({left.text} - {right.text})")
            return Most(a, left.text)
        case "mul":
            return Most(min(a * b, top), f"{left.text} * {right.text}")
        case "div":
            if not right.exact:
                return Most(a, left.text)
            return Most(a // b if b else top, f"{left.text} / {right.text}")
        case "mod":
            return Most(b, right.text)
        case "min":
            return Most(min(a, b), f"min({left.text}, {right.text})")
        case "max":
            return Most(max(a, b), f"max({left.text}, {right.text})")
    return None


SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%"}


def _exact(op: str, left: Most, right: Most, type_: ir.Type) -> Most | None:
    """As every executor computes it (docs/semantics.md, Numbers)."""
    a, b = left.raw, right.raw
    fraction = ir.FIX_FRACTION_BITS if isinstance(type_, ir.FixType) else 0
    if op in ("div", "mod") and b == 0:
        return None
    results = {
        "add": a + b, "sub": a - b, "mul": a * b >> fraction, "min": min(a, b), "max": max(a, b),
        "div": (a << fraction) // b if b else 0, "mod": a % b if b else 0,
    }  # fmt: skip
    low = 0 if isinstance(type_, ir.IntType) and not type_.signed else -ceiling(type_) - 1
    value = max(low, min(results[op], ceiling(type_)))
    sign = SIGNS.get(op)
    text = f"({left.text} {sign} {right.text})" if sign else f"{op}({left.text}, {right.text})"
    return Most(value, text, exact=True)
