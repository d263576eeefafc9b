"""Evaluates expressions (docs/semantics.md, Numbers).

Values are raw: a fix is scaled by 2**16, a bool is 0 or 1, an enum is the number of its member.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from cpol.compiler import arithmetic, comm, ir
from cpol.compiler.vocabulary.folio import FOLIO_FLAGS, FOLIO_ORIGIN
from cpol.compiler.vocabulary.function import COMPUTED
from cpol.runtime.machine.errors import PolicyError
from cpol.runtime.machine.interp import functions
from cpol.runtime.machine.interp.ghost import Name
from cpol.runtime.machine.interp.scope import Scope
from cpol.runtime.machine.interp.state import Folio

D = TypeVar("D", ir.VarDecl, ir.ScoreDecl, ir.FnDecl, ir.TableDecl, ir.GhostDecl, ir.InputDecl)


def value(expr: ir.Expr, scope: Scope) -> int:
    """The raw value of `expr`.

    Raises:
        PolicyError: it divides by zero.
    """
    return EVALUATE[type(expr)](expr, scope)


def arith(expr: ir.Arith, scope: Scope) -> int:
    left = value(expr.left, scope)
    right = value(expr.right, scope)
    if right == 0 and expr.op in ("div", "mod"):
        raise PolicyError(f"{scope.machine.here}: division by zero")
    return arithmetic.arith(expr.op, left, right, expr.type)


def bits(expr: ir.Bits, scope: Scope) -> int:
    left = value(expr.left, scope)
    return arithmetic.bits(expr.op, left, value(expr.right, scope))


def compare(expr: ir.Compare, scope: Scope) -> int:
    left = value(expr.left, scope)
    return int(arithmetic.compare(expr.op, left, value(expr.right, scope)))


def logic(expr: ir.Logic, scope: Scope) -> int:
    left = value(expr.left, scope)
    decided = left == (expr.op == "or")
    return left if decided else value(expr.right, scope)


def select(expr: ir.Select, scope: Scope) -> int:
    return value(expr.then if value(expr.cond, scope) else expr.orelse, scope)


def convert(expr: ir.Convert, scope: Scope) -> int:
    return arithmetic.convert(value(expr.operand, scope), expr.operand.type, expr.type, expr.rounding)


def random(expr: ir.Random, scope: Scope) -> int:
    bound = value(expr.bound, scope)  # which may draw, too
    scope.machine.random, number = functions.random(scope.machine.random, bound)
    return number


def hashed(expr: ir.Hash, scope: Scope) -> int:
    return functions.hash_name(*page_name(expr.folio, scope), value(expr.salt, scope))


def math(expr: ir.Math, scope: Scope) -> int:
    return COMPUTED[expr.op](*values(expr.operands, scope))


def cache_attribute(expr: ir.CacheAttr, scope: Scope) -> int:
    return int(getattr(scope.machine, "ms" if expr.attr == "time" else expr.attr))


def task_attribute(expr: ir.TaskAttr, scope: Scope) -> int:
    thread, process, name = scope.machine.task
    writes = scope.machine.writes
    return {"thread": thread, "process": process, "comm": comm.number(name), "writes": writes}[expr.attr]


def list_size(expr: ir.ListSize, scope: Scope) -> int:
    if expr.list.index is None:
        return scope.machine.size_on(expr.list.name)
    return scope.machine.list_size(list_label(expr.list, scope))


def ghost_oldest(expr: ir.GhostOldest, scope: Scope) -> int:
    ghost = scope.machine.ghosts[expr.ghost]
    return ghost_field(expr, scope, None if ghost.oldest is None else ghost.entries[ghost.oldest])


def ghost_field(expr: ir.GhostField | ir.GhostOldest, scope: Scope, record: Mapping[str, int] | None) -> int:
    """A field of the record of a ghost's entry, or its initial value if there is no entry."""
    if record is None:
        return named(named(scope.machine.policy.ghosts, expr.ghost).fields, expr.name).init
    return record[expr.name]


def input_get(expr: ir.InputGet, scope: Scope) -> int:
    found = input_value(expr, scope)
    return named(scope.machine.policy.inputs, expr.input).default if found is None else found


def list_is(expr: ir.ListIs, scope: Scope) -> int:
    return int(tuple(folio.name for folio in scope.machine.lists[list_label(expr.list, scope)]) == expr.folios)


def cached_field(expr: ir.CachedField, scope: Scope) -> int:
    if expr.folio not in scope.machine.cache:
        file, index = expr.folio
        raise PolicyError(f"folio {file}:{index} is not in the cache, so it has no {expr.name}")
    return scope.machine.cache[expr.folio].fields[cell(expr, scope)]


def all_pinned(expr: ir.AllPinned, scope: Scope) -> int:
    cache = scope.machine.cache
    return int(all(name in cache and cache[name].pinned for name in expr.folios))


def cell(field: ir.Field | ir.CachedField | ir.SetField, scope: Scope) -> str:
    """The name of a field in a record, such as `h[1]` for an element of an array."""
    if field.index is None:
        return field.name
    last = named(scope.machine.policy.fields, field.name).length - 1
    return f"{field.name}[{min(value(field.index, scope), last)}]"


def values(exprs: Iterable[ir.Expr], scope: Scope) -> list[int]:
    return [EVALUATE[type(expr)](expr, scope) for expr in exprs]


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
        case "readers":
            return scope.machine.readers.get(folio.file, 0)
        case flag:
            return folio.flags >> FOLIO_FLAGS.index(flag) & 1


def request_attribute(expr: ir.RequestAttr, scope: Scope) -> int:
    request = scope.call.request
    assert request is not None  # the checker allows it only there
    if expr.attr == "readers":
        return scope.machine.readers.get(request.file, 0)
    return int(getattr(request, expr.attr))


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
    function = scope.machine.fns[expr.fn]
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
    return value(declaration.body, Scope(scope.machine, scope.call, {declaration.folio: folio}))


def named(declarations: Iterable[D], name: str) -> D:
    return next(declaration for declaration in declarations if declaration.name == name)


EVALUATE: dict[type, Callable[[Any, Scope], int]] = {
    ir.Const: lambda expr, scope: expr.value,
    ir.Param: lambda expr, scope: scope.machine.params[expr.name],
    ir.State: lambda expr, scope: scope.machine.state[expr.name],
    ir.Local: lambda expr, scope: scope.block(expr.name)[expr.name],
    ir.Field: lambda expr, scope: scope.folios[expr.folio].fields[cell(expr, scope)],
    ir.FolioAttr: folio_attribute,
    ir.CacheAttr: cache_attribute,
    ir.TaskAttr: task_attribute,
    ir.EvictWanted: lambda expr, scope: scope.call.wanted,
    ir.EveryPeriods: lambda expr, scope: scope.call.periods,
    ir.Arith: arith,
    ir.Bits: bits,
    ir.Compare: compare,
    ir.Logic: logic,
    ir.Not: lambda expr, scope: 1 - value(expr.operand, scope),
    ir.Select: select,
    ir.Convert: convert,
    ir.FnCall: called,
    ir.Random: random,
    ir.Hash: hashed,
    ir.Math: math,
    ir.ListSize: list_size,
    ir.GhostTake: lambda expr, scope: int(scope.machine.ghost_take(expr.ghost, scope.folios[expr.folio])),
    ir.GhostHas: lambda expr, scope: int(scope.machine.ghosts[expr.ghost].has(scope.folios[expr.folio].name)),
    ir.GhostSize: lambda expr, scope: scope.machine.ghosts[expr.ghost].count,
    ir.GhostFull: lambda expr, scope: int(scope.machine.ghosts[expr.ghost].full),
    ir.GhostOldest: ghost_oldest,
    ir.GhostField: lambda expr, scope: ghost_field(
        expr, scope, scope.machine.ghosts[expr.ghost].entries.get(scope.folios[expr.folio].name)
    ),
    ir.RecordField: lambda expr, scope: scope.machine.record_of(expr, scope.folios.get(expr.folio or ""), scope.call)[
        expr.name
    ],
    ir.TableGet: lambda expr, scope: scope.machine.tables[expr.table].get(values(expr.indices, scope)),
    ir.TableSize: lambda expr, scope: scope.machine.tables[expr.table].sizes[0],
    ir.InputHas: lambda expr, scope: int(input_value(expr, scope) is not None),
    ir.InputGet: input_get,
    ir.ArrayGet: lambda expr, scope: scope.machine.inputs[expr.input].entry(value(expr.index, scope)),
    ir.ArraySize: lambda expr, scope: scope.machine.inputs[expr.input].size,
    ir.ContainsAll: lambda expr, scope: int(all(contains(expr, name, scope) for name in expr.folios)),
    ir.ListIs: list_is,
    ir.CachedField: cached_field,
    ir.AllPinned: all_pinned,
    ir.FaultAttr: lambda expr, scope: int(getattr(scope.call.fault, expr.attr)),
    ir.RequestAttr: request_attribute,
    ir.PrefetchedIs: lambda expr, scope: int(scope.machine.decided.targets == expr.targets),
    ir.Defaulted: lambda expr, scope: int(scope.machine.decided.defaulted),
    ir.RangeDid: lambda expr, scope: int(getattr(scope.machine.decided, expr.what)),
    ir.AheadIs: lambda expr, scope: int(scope.machine.decided.window == expr.pages),
}
"""How each kind of expression is evaluated."""
