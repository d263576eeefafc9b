"""Expressions of the IR as C text."""

from __future__ import annotations

from decimal import Decimal

from cpol.compiler import ir
from cpol.compiler.backend import layout, names

_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_LOGIC = {"and": "&&", "or": "||"}


def suffix(type_: ir.Type) -> str:
    """Which family of functions in arith.h computes with this type."""
    match type_:
        case ir.FixType():
            return "fix"
        case ir.IntType(True, _):
            return "s64"
        case ir.IntType(False, _):
            return "u64"
        case _:
            raise TypeError(f"no arithmetic on {type_}")


def record_name(folio: str) -> str:
    """The C name of the pointer to the record of a folio."""
    return f"cpol_rec_{folio}"


def constant(value: int, type_: ir.Type) -> str:
    match type_:
        case ir.BoolType():
            return "true" if value else "false"
        case ir.EnumType("reason", members):
            return f"CPOL_{members[value].upper()}"
        case ir.EnumType("list", members):
            return "LIST_none" if value == 0 else f"LIST_{names.identifier(members[value])}"
        case ir.EnumType(_, members):
            return f"{value} /* {names.comment(members[value])} */"
        case ir.FixType():
            decimal = Decimal(value) / (1 << ir.FIX_FRACTION_BITS)
            return f"{layout.integer(value, True)} /* {decimal:.4f} */"
        case ir.IntType(signed, _):
            return layout.integer(value, signed)


def text(expr: ir.Expr) -> str:
    """C text of `expr`; what is not an atom or a call has parentheses where it is an operand."""
    match expr:
        case ir.Const(value, type_):
            return constant(value, type_)
        case ir.Param(name, _):
            return f"cpol_params.{names.identifier(name)}"
        case ir.State(name, _):
            return f"cpol_state.{names.identifier(name)}"
        case ir.Local(name, _):
            return names.identifier(name)
        case ir.Field(folio, name, _):
            return f"{record_name(folio)}->{names.identifier(name)}"
        case ir.FolioAttr(folio, attr, _):
            return f"cpol_folio_{attr}(c, {names.identifier(folio)})"
        case ir.ListSize(name):
            return f"cpol_list_size(c, LIST_{names.identifier(name)})"
        case ir.CacheAttr(attr):
            return f"cpol_cache_{attr}(c)"
        case ir.EvictWanted():
            return "cpol_evict_wanted(c)"
        case ir.Arith(op, left, right, type_):
            return _ordered(f"cpol_{op}_{suffix(type_)}(%s, %s)", left, right)
        case ir.Compare(op, left, right):
            return _ordered(f"%s {_COMPARE[op]} %s", left, right, operands=True)
        case ir.Logic(op, left, right):
            return f"{_operand(left, op)} {_LOGIC[op]} {_operand(right, op)}"
        case ir.Not(operand):
            return f"!{_operand(operand)}"
        case ir.Convert(operand, type_, rounding):
            return convert(text(operand), _is_atom(operand), operand.type, type_, rounding)
        case ir.GhostTake(ghost, folio):
            return f"cpol_ghost_take(c, {names.identifier(ghost)}, {names.identifier(folio)})"
        case ir.GhostHas(ghost, folio):
            return f"cpol_ghost_has(c, {names.identifier(ghost)}, {names.identifier(folio)})"


def convert(value: str, atom: bool, source: ir.Type, target: ir.Type, rounding: str) -> str:
    """`value` of type `source` as `target`, saturating; a narrow target leaves it in the wide type."""
    if source == target or isinstance(target, ir.BoolType | ir.EnumType):
        return value
    wide = value if atom else f"({value})"
    kind, goal = "u64" if isinstance(source, ir.BoolType | ir.EnumType) else suffix(source), suffix(target)
    if kind == goal:
        wide = f"({goal}){wide}" if source not in (ir.U64, ir.S64, ir.FIX) else wide
    elif kind == "fix":
        wide = f"cpol_{goal}_{rounding}_fix({value})"
    else:
        wide = f"cpol_{goal}_from_{kind}({value})"
    return clamp(wide, target)


def clamp(value: str, target: ir.Type) -> str:
    """A wide `value` (u64 or s64), saturated at what `target` can hold."""
    signed, bits = layout.bits_of(target)
    if bits == 64 or not isinstance(target, ir.IntType):
        return value
    return f"cpol_clamp_{'s' if signed else 'u'}({value}, {bits})"


def _is_atom(expr: ir.Expr) -> bool:
    return not isinstance(expr, ir.Compare | ir.Logic)


def _operand(expr: ir.Expr, inside: str = "") -> str:
    """An operand of `&&`, `||`, `!` or a comparison, in parentheses if it binds less or might be misread."""
    plain = _is_atom(expr) and (inside or not isinstance(expr, ir.Not))
    plain = plain or (inside and isinstance(expr, ir.Compare))
    plain = plain or (isinstance(expr, ir.Logic) and expr.op == inside)
    return text(expr) if plain else f"({text(expr)})"


def _ordered(form: str, left: ir.Expr, right: ir.Expr, operands: bool = False) -> str:
    """`form` over both operands. C leaves their order open, so where it can be told, the left one is computed first."""
    write = _operand if operands else text
    if (_touches(left, takes=True) and _touches(right)) or (_touches(right, takes=True) and _touches(left)):
        first = f"{layout.expression_type(left.type)} cpol_left = {text(left)}"
        second = f"{layout.expression_type(right.type)} cpol_right = {text(right)}"
        return f"({{ {first}; {second}; {form % ('cpol_left', 'cpol_right')}; }})"
    return form % (write(left), write(right))


def _touches(expr: ir.Expr, takes: bool = False) -> bool:
    return any(isinstance(e, ir.GhostTake) or (not takes and isinstance(e, ir.GhostHas)) for e in walk(expr))


def walk(expr: ir.Expr) -> list[ir.Expr]:
    """`expr` and all that it is made of."""
    match expr:
        case ir.Arith() | ir.Compare() | ir.Logic():
            return [expr, *walk(expr.left), *walk(expr.right)]
        case ir.Not() | ir.Convert():
            return [expr, *walk(expr.operand)]
        case _:
            return [expr]
