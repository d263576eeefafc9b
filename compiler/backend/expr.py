"""Expressions of the IR as C text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cpol.compiler import ir
from cpol.compiler.ir import c_names as names
from cpol.compiler.ir import layout
from cpol.compiler.ir.walk import order_matters
from cpol.compiler.literals import show_fix

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
            return f"{layout.integer(value, True)} /* {show_fix(value)} */"
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
        case ir.ListSize(ref):
            return f"cpol_list_{'size' if ref.index is None else 'pages'}(c, {list_number(ref)})"
        case ir.CacheAttr(attr):
            return f"cpol_cache_{attr}(c)"
        case ir.TaskAttr(attr):
            return f"cpol_task_{attr}(c)"
        case ir.EvictWanted():
            return "cpol_evict_wanted(c)"
        case ir.Arith(op, left, right, type_):
            return in_order((left, right), lambda a: f"cpol_{op}_{suffix(type_)}({a[0]}, {a[1]})")
        case ir.Compare(op, left, right):
            return in_order((left, right), lambda a: f"{a[0]} {_COMPARE[op]} {a[1]}", _operand)
        case ir.Logic(op, left, right):
            return f"{_operand(left, op)} {_LOGIC[op]} {_operand(right, op)}"
        case ir.Not(operand):
            return f"!{_operand(operand)}"
        case ir.Select(cond, then, orelse, type_):
            return f"({_operand(cond)} ? {_arm(then, type_)} : {_arm(orelse, type_)})"
        case ir.Convert(operand, type_, rounding):
            return convert(text(operand), _is_atom(operand), operand.type, type_, rounding)
        case ir.GhostTake(ghost, folio):
            return f"cpol_ghost_take(c, {names.identifier(ghost)}, {names.identifier(folio)})"
        case ir.GhostHas(ghost, folio):
            return f"cpol_ghost_has(c, {names.identifier(ghost)}, {names.identifier(folio)})"
        case ir.GhostSize(ghost):
            return f"cpol_ghost_size(c, {names.identifier(ghost)})"
        case ir.GhostField(ghost, folio, name, _):
            arguments = ", ".join(map(names.identifier, (ghost, folio, name)))
            return f"cpol_ghost_field(c, {arguments})"
        case ir.TableGet(table, indices, _):
            return in_order(indices, lambda a: f"cpol_table_get(c, {names.identifier(table)}, {_two(a)})")
        case ir.TableSize(table):
            return f"cpol_table_rows(c, {names.identifier(table)})"
        case ir.InputHas(name, key, folio):
            return _input("has", name, key, folio)
        case ir.InputGet(name, key, folio, type_):
            return f"({layout.expression_type(type_)}){_input('get', name, key, folio)}"
        case ir.FnCall():
            return _call(expr)
        case ir.Random(bound):
            return f"cpol_random(c, {text(bound)})"
        case ir.Hash(folio, salt):
            return f"cpol_hash(c, {names.identifier(folio)}, {text(salt)})"
        case ir.Math(op, operand):
            return f"cpol_{op}_fix({text(operand)})"
        case ir.ContainsAll():
            raise ValueError("`has` with folios by number is for tests, which are not compiled")


def list_number(ref: ir.ListRef) -> str:
    """The number of a list."""
    if ref.index is None:
        return f"LIST_{names.identifier(ref.name)}"
    return f"cpol_list_at(c, {text(ref.index)})"


def _two(indices: Sequence[str]) -> str:
    """Tables have two dimensions in C; of one alone the other index is 0."""
    return f"{indices[0]}, {indices[1] if len(indices) > 1 else 0}"


def _input(what: str, name: str, key: ir.Expr | None, folio: str | None) -> str:
    if key is not None:
        return f"cpol_input_{what}(c, {names.identifier(name)}, {text(key)})"
    if folio is None:
        raise ValueError(f"input {name} is asked for neither a key nor a page")
    return f"cpol_input_{what}_page(c, {names.identifier(name)}, {names.identifier(folio)})"


def _call(call: ir.FnCall) -> str:
    """A folio is passed with its record; a fn that does not read the record is a macro that drops that argument."""
    values = [arg for arg in call.args if not isinstance(arg, ir.FolioArg)]

    def form(texts: Sequence[str]) -> str:
        rest = iter(texts)
        arguments = ["c"]
        for arg in call.args:
            if isinstance(arg, ir.FolioArg):
                arguments += [names.identifier(arg.folio), record_name(arg.folio)]
            else:
                arguments.append(next(rest))
        return f"cpol_fn_{names.identifier(call.fn)}({', '.join(arguments)})"

    return in_order(values, form)


def _arm(expr: ir.Expr, type_: ir.Type) -> str:
    """An arm of `?:`. Numbers get their type, so that the whole has it."""
    plain = _operand(expr)
    return f"({layout.expression_type(type_)}){plain}" if isinstance(expr, ir.Const) else plain


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


def in_order(
    operands: Sequence[ir.Expr], form: Callable[[Sequence[str]], str], write: Callable[[ir.Expr], str] | None = None
) -> str:
    """`form` over the operands. C leaves their order open, so where it can be told they are computed one by one."""
    if not order_matters(operands):
        return form([(write or text)(operand) for operand in operands])
    values = [
        f"{layout.expression_type(operand.type)} cpol_{n} = {text(operand)}; " for n, operand in enumerate(operands, 1)
    ]
    return f"({{ {''.join(values)}{form([f'cpol_{n}' for n in range(1, len(operands) + 1)])}; }})"
