"""Evaluates expressions (docs/semantics.md, Numbers).

Values are raw: a fix is scaled by 2**16, a bool is 0 or 1, an enum is the number of its member.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

from cpol.compiler import arithmetic, comm, ir
from cpol.compiler.types import FOLIO_FLAGS, FOLIO_ORIGIN
from cpol.runtime.errors import PolicyError
from cpol.runtime.interp import functions
from cpol.runtime.interp.ghost import Name
from cpol.runtime.interp.scope import Scope
from cpol.runtime.interp.state import Folio

Computed: TypeAlias = (
    ir.Arith | ir.Bits | ir.Compare | ir.Logic | ir.Not | ir.Select | ir.Convert | ir.FnCall
    | ir.Random | ir.Hash | ir.Math
)  # fmt: skip
D = TypeVar("D", ir.VarDecl, ir.ScoreDecl, ir.FnDecl, ir.TableDecl, ir.GhostDecl, ir.InputDecl)


def value(expr: ir.Expr, scope: Scope) -> int:
    """The raw value of `expr`.

    Raises:
        PolicyError: it divides by zero.
    """
    machine = scope.machine
    match expr:
        case ir.Const():
            return expr.value
        case ir.Param():
            return machine.params[expr.name]
        case ir.State():
            return machine.state[expr.name]
        case ir.Local():
            return scope.values[expr.name]
        case ir.Field():
            return scope.folios[expr.folio].fields[cell(expr, scope)]
        case ir.FolioAttr():
            return folio_attribute(expr, scope)
        case ir.CacheAttr():
            cache = {"size": machine.size, "capacity": machine.capacity, "clock": machine.clock, "time": machine.ms}
            return cache[expr.attr]
        case ir.TaskAttr():
            thread, process, name = machine.task
            return {
                "thread": thread, "process": process, "comm": comm.number(name), "writes": machine.writes
            }[expr.attr]  # fmt: skip
        case ir.EvictWanted():
            return scope.call.wanted
        case ir.EveryPeriods():
            return scope.call.periods
        case ir.ListSize():
            if expr.list.index is None:
                return machine.size_on(expr.list.name)
            return machine.list_size(list_label(expr.list, scope))
        case ir.GhostTake():
            return int(machine.ghost_take(expr.ghost, scope.folios[expr.folio]))
        case ir.GhostHas():
            return int(machine.ghosts[expr.ghost].has(scope.folios[expr.folio].name))
        case ir.GhostSize():
            return machine.ghosts[expr.ghost].count
        case ir.GhostFull():
            return int(machine.ghosts[expr.ghost].full)
        case ir.GhostOldest():
            ghost = machine.ghosts[expr.ghost]
            if ghost.oldest is None:
                return named(named(machine.policy.ghosts, expr.ghost).fields, expr.name).init
            return ghost.entries[ghost.oldest][expr.name]
        case ir.GhostField():
            record = machine.ghosts[expr.ghost].entries.get(scope.folios[expr.folio].name)
            if record is None:
                return named(named(machine.policy.ghosts, expr.ghost).fields, expr.name).init
            return record[expr.name]
        case ir.RecordField():
            return machine.record_of(expr, scope.folios.get(expr.folio or ""), scope.call)[expr.name]
        case ir.TableGet():
            return machine.tables[expr.table].get(values(expr.indices, scope))
        case ir.TableSize():
            return machine.tables[expr.table].sizes[0]
        case ir.InputHas():
            return int(input_value(expr, scope) is not None)
        case ir.InputGet():
            found = input_value(expr, scope)
            return named(machine.policy.inputs, expr.input).default if found is None else found
        case ir.ArrayGet():
            return machine.inputs[expr.input].entry(value(expr.index, scope))
        case ir.ArraySize():
            return machine.inputs[expr.input].size
        case ir.ContainsAll():
            return int(all(contains(expr, name, scope) for name in expr.folios))
        case ir.ListIs():
            return int(tuple(folio.name for folio in machine.lists[list_label(expr.list, scope)]) == expr.folios)
        case ir.CachedField():
            if expr.folio not in machine.cache:
                file, index = expr.folio
                raise PolicyError(f"folio {file}:{index} is not in the cache, so it has no {expr.name}")
            return machine.cache[expr.folio].fields[cell(expr, scope)]
        case ir.AllPinned():
            return int(all(name in machine.cache and machine.cache[name].pinned for name in expr.folios))
        case ir.FaultAttr():
            return int(getattr(scope.call.fault, expr.attr))
        case ir.RequestAttr():
            return int(getattr(scope.call.request, expr.attr))
        case ir.PrefetchedIs():
            return int(machine.decided.targets == expr.targets)
        case ir.Defaulted():
            return int(machine.decided.defaulted)
        case ir.RangeDid():
            return int(getattr(machine.decided, expr.what))
        case ir.AheadIs():
            return int(machine.decided.window == expr.pages)
        case _:
            return computed(expr, scope)


def cell(field: ir.Field | ir.CachedField | ir.SetField, scope: Scope) -> str:
    """The name of a field in a record, such as `h[1]` for an element of an array."""
    if field.index is None:
        return field.name
    last = named(scope.machine.policy.fields, field.name).length - 1
    return f"{field.name}[{min(value(field.index, scope), last)}]"


def computed(expr: Computed, scope: Scope) -> int:
    """The value of an expression with operands."""
    machine = scope.machine
    match expr:
        case ir.Arith():
            left = value(expr.left, scope)
            right = value(expr.right, scope)
            if right == 0 and expr.op in ("div", "mod"):
                raise PolicyError(f"{machine.here}: division by zero")
            return arithmetic.arith(expr.op, left, right, expr.type)
        case ir.Bits():
            left = value(expr.left, scope)
            return arithmetic.bits(expr.op, left, value(expr.right, scope))
        case ir.Compare():
            left = value(expr.left, scope)
            return int(arithmetic.compare(expr.op, left, value(expr.right, scope)))
        case ir.Logic():
            left = value(expr.left, scope)
            decided = left == (expr.op == "or")
            return left if decided else value(expr.right, scope)
        case ir.Not():
            return 1 - value(expr.operand, scope)
        case ir.Select():
            return value(expr.then if value(expr.cond, scope) else expr.orelse, scope)
        case ir.Convert():
            return arithmetic.convert(value(expr.operand, scope), expr.operand.type, expr.type, expr.rounding)
        case ir.FnCall():
            return called(expr, scope)
        case ir.Random():
            bound = value(expr.bound, scope)  # which may draw, too
            machine.random, number = functions.random(machine.random, bound)
            return number
        case ir.Hash():
            return functions.hash_name(*page_name(expr.folio, scope), value(expr.salt, scope))
        case ir.Math():
            operand = value(expr.operand, scope)
            return arithmetic.log2(operand) if expr.op == "log2" else arithmetic.exp2(operand)


def values(exprs: Iterable[ir.Expr], scope: Scope) -> list[int]:
    return [value(expr, scope) for expr in exprs]


def folio_attribute(expr: ir.FolioAttr, scope: Scope) -> int:
    folio = scope.folios[expr.folio]
    match expr.attr:
        case "list":
            return scope.machine.policy.list_type.members.index(folio.list.partition(".")[0])
        case "pages":
            return folio.pages
        case "index":
            return folio.index
        case "file":
            return folio.file
        case "pinned":
            return folio.pinned
        case "unread":
            return not folio.was_read
        case "device" | "cgroup":
            return folio.origin[FOLIO_ORIGIN.index(expr.attr)]
        case flag:
            return folio.flags >> FOLIO_FLAGS.index(flag) & 1


def list_label(ref: ir.ListRef, scope: Scope) -> str:
    """The list that `ref` names. An index beyond the end of its array names the last list."""
    if ref.index is None:
        return ref.name
    return f"{ref.name}.{min(value(ref.index, scope), scope.machine.array_lengths[ref.name] - 1)}"


def input_value(expr: ir.InputHas | ir.InputGet, scope: Scope) -> int | None:
    source = scope.machine.inputs[expr.input]
    if expr.key is not None:
        return source.find(value(expr.key, scope))
    return source.find(*page_name(expr.folio, scope))


def page_name(folio: str | None, scope: Scope) -> Name:
    """The name of a folio, or of the page where the request of `readahead` begins."""
    if folio is not None:
        return scope.folios[folio].name
    request = scope.call.request
    assert request is not None  # the checker allows it only there
    return request.file, request.index


def called(expr: ir.FnCall, scope: Scope) -> int:
    """The result of a `fn`. Its body sees only the parameters and its `let`s."""
    function = named(scope.machine.policy.fns, expr.fn)
    inner = Scope(scope.machine, scope.call)
    for (name, _), arg in zip(function.params, expr.args, strict=True):
        if isinstance(arg, ir.FolioArg):
            inner.folios[name] = scope.folios[arg.folio]
        else:
            inner.values[name] = value(arg, scope)
    for let in function.lets:
        inner.values[let.name] = value(let.value, inner)
    return value(function.body, inner)


def contains(expr: ir.ContainsAll, name: Name, scope: Scope) -> bool:
    """In a test: whether the list, ghost or cache contains this folio."""
    machine = scope.machine
    if not isinstance(expr.where, ir.ListRef):
        return name in machine.cache if expr.where == "cache" else machine.ghosts[expr.where].has(name)
    labels = machine.labels(expr.where.name) if expr.where.index is None else [list_label(expr.where, scope)]
    return any(folio.name == name for label in labels for folio in machine.lists[label])


def score(declaration: ir.ScoreDecl, scope: Scope, folio: Folio) -> int:
    return value(declaration.body, Scope(scope.machine, scope.call, folios={declaration.folio: folio}))


def named(declarations: Iterable[D], name: str) -> D:
    return next(declaration for declaration in declarations if declaration.name == name)
