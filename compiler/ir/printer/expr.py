"""IR expressions as text, in prefix notation; see `dump_ir`."""

from __future__ import annotations

from cpol.compiler import ir
from cpol.compiler.literals import show_value


def expression(expr: ir.Expr) -> str:
    """One expression, in prefix notation."""
    match expr:
        case ir.Const():
            return f"{show_value(expr.value, expr.type)}:{expr.type}"
        case ir.Param():
            return f"(param {expr.name}:{expr.type})"
        case ir.State():
            return f"(state {expr.name}:{expr.type})"
        case ir.Local():
            return f"(local {expr.name}:{expr.type})"
        case ir.Field():
            return f"(field {expr.folio}.{expr.name}:{expr.type})"
        case ir.FolioAttr():
            return f"(attr {expr.folio}.{expr.attr}:{expr.type})"
        case ir.ListSize():
            return f"(size {list_ref(expr.list)})"
        case ir.CacheAttr():
            return f"(cache {expr.attr})"
        case ir.TaskAttr():
            return f"(task {expr.attr})"
        case ir.EvictWanted():
            return "(wanted)"
        case ir.Arith():
            return f"({expr.op}:{expr.type} {expression(expr.left)} {expression(expr.right)})"
        case ir.Compare() | ir.Logic():
            return f"({expr.op} {expression(expr.left)} {expression(expr.right)})"
        case ir.Not():
            return f"(not {expression(expr.operand)})"
        case ir.Convert():
            rounding = f" {expr.rounding}" if expr.operand.type == ir.FIX else ""
            return f"(to:{expr.type}{rounding} {expression(expr.operand)})"
        case ir.GhostTake():
            return f"(take {expr.ghost} {expr.folio})"
        case ir.GhostHas():
            return f"(has {expr.ghost} {expr.folio})"
        case ir.GhostSize():
            return f"(ghost-size {expr.ghost})"
        case ir.GhostField():
            return f"(ghost-field {expr.ghost} {expr.folio} {expr.name}:{expr.type})"
        case ir.TableGet():
            indices = " ".join(expression(index) for index in expr.indices)
            return f"(element {expr.table} {indices}:{expr.type})"
        case ir.TableSize():
            return f"(table-size {expr.table})"
        case ir.InputHas():
            return f"(input-has {expr.input} {_key(expr)})"
        case ir.InputGet():
            return f"(input-get {expr.input} {_key(expr)}:{expr.type})"
        case ir.Select():
            return f"(if:{expr.type} {expression(expr.cond)} {expression(expr.then)} {expression(expr.orelse)})"
        case ir.FnCall():
            args = [arg.folio if isinstance(arg, ir.FolioArg) else expression(arg) for arg in expr.args]
            return f"({' '.join(['call', expr.fn, *args])}:{expr.type})"
        case ir.Random():
            return f"(random {expression(expr.bound)})"
        case ir.Hash():
            return f"(hash {expr.folio} {expression(expr.salt)})"
        case ir.Math():
            return f"({expr.op} {expression(expr.operand)})"
        case ir.ContainsAll():
            where = list_ref(expr.where) if isinstance(expr.where, ir.ListRef) else expr.where
            return f"(contains-all {where}{folios(expr.folios)})"


def list_ref(ref: ir.ListRef) -> str:
    """A list, with its index in brackets."""
    return ref.name if ref.index is None else f"{ref.name}[{expression(ref.index)}]"


def folios(names: tuple[tuple[int, int], ...]) -> str:
    """Folios by number, each with a space before it."""
    return "".join(f" {file}:{index}" for file, index in names)


def _key(expr: ir.InputHas | ir.InputGet) -> str:
    return expression(expr.key) if expr.key is not None else str(expr.folio)
