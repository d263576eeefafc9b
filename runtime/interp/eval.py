"""What expressions are worth and what statements do."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from cpol.compiler import ir
from cpol.runtime.interp import numbers
from cpol.runtime.interp.errors import PolicyError

if TYPE_CHECKING:
    from cpol.runtime.interp.machine import Call, Folio, Machine

D = TypeVar("D", ir.VarDecl, ir.ScoreDecl)


class HandlerOver(Exception):
    """The request has what it wanted: the handler ends at once."""


class ScanStopped(Exception):
    """`stop`: the innermost scan ends."""


@dataclass(frozen=True)
class Scope:
    """What names mean at one place in a handler. A block has its own, so that its names end with it."""

    machine: Machine
    call: Call
    values: dict[str, int] = field(default_factory=dict)
    folios: dict[str, Folio] = field(default_factory=dict)
    scanned_from: dict[str, ir.End] = field(default_factory=dict)
    """For the folio of a scan, the end that the scan began at."""

    def inner(self) -> Scope:
        return replace(self, values=dict(self.values), folios=dict(self.folios), scanned_from=dict(self.scanned_from))


def run_handler(handler: ir.Handler, machine: Machine, call: Call, folio: Folio | None, why: int) -> None:
    scope = Scope(machine, call)
    if handler.folio is not None and folio is not None:
        scope.folios[handler.folio] = folio
    if handler.why is not None:
        scope.values[handler.why] = why
    with suppress(HandlerOver):
        run(handler.body, scope)


def score(declaration: ir.ScoreDecl, machine: Machine, call: Call, folio: Folio) -> int:
    return value(declaration.body, Scope(machine, call, folios={declaration.folio: folio}))


# Statements.


def run(body: Iterable[ir.Stmt], scope: Scope) -> None:
    for statement in body:
        scope.machine.reached.add(statement.pos)
        scope.machine.line = statement.pos.line
        run_one(statement, scope)


def run_one(statement: ir.Stmt, scope: Scope) -> None:
    machine = scope.machine
    match statement:
        case ir.Let():
            scope.values[statement.name] = value(statement.value, scope)
        case ir.SetState():
            new = value(statement.value, scope)
            machine.state[statement.name] = numbers.saturate(new, named(machine.policy.states, statement.name).type)
        case ir.SetField():
            new = value(statement.value, scope)
            type = named(machine.policy.fields, statement.name).type
            scope.folios[statement.folio].fields[statement.name] = numbers.saturate(new, type)
        case ir.If():
            run(statement.then if value(statement.cond, scope) else statement.orelse, scope.inner())
        case ir.Place():
            machine.place(scope.folios[statement.folio], statement.list, statement.end)
        case ir.Move():
            machine.move(scope.folios[statement.folio], statement.list, statement.end)
        case ir.GhostAdd():
            machine.ghost_add(statement.ghost, scope.folios[statement.folio])
        case ir.Scan():
            scan(statement, scope)
        case ir.Propose():
            folio = scope.folios[statement.folio]
            machine.propose(scope.call, folio, scope.scanned_from[statement.folio].far)
            if scope.call.satisfied:
                raise HandlerOver
        case ir.EvictLowest():
            bound = value(statement.bound, scope)
            score = named(machine.policy.scores, statement.score)
            machine.propose_lowest(scope.call, statement.list, statement.end, bound, score)
            if scope.call.satisfied:
                raise HandlerOver
        case ir.Stop():
            raise ScanStopped


def scan(statement: ir.Scan, scope: Scope) -> None:
    machine = scope.machine
    visits = len(machine.lists[statement.list])
    if statement.bound is not None:
        visits = min(visits, value(statement.bound, scope))
    next_folio = first(machine.from_end(statement.list, statement.end))
    while visits > 0 and next_folio is not None:
        folio = next_folio
        folios = machine.from_end(statement.list, statement.end)
        next_folio = first(folios[folios.index(folio) + 1 :])
        inner = scope.inner()
        inner.folios[statement.folio] = folio
        inner.scanned_from[statement.folio] = statement.end
        try:
            run(statement.body, inner)
        except ScanStopped:
            return
        visits -= 1


def named(declarations: Iterable[D], name: str) -> D:
    return next(declaration for declaration in declarations if declaration.name == name)


def first(folios: list[Folio]) -> Folio | None:
    return folios[0] if folios else None


# Expressions. A value is a raw integer: a fix is scaled by 2**16, a bool is 0 or 1, an enum its number.


def value(expr: ir.Expr, scope: Scope) -> int:
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
            return scope.folios[expr.folio].fields[expr.name]
        case ir.FolioAttr():
            folio = scope.folios[expr.folio]
            match expr.attr:
                case "list":
                    return machine.policy.list_type.members.index(folio.list)
                case "pages":
                    return folio.pages
                case "index":
                    return folio.index
                case "file":
                    return folio.file
        case ir.ListSize():
            return machine.list_size(expr.list)
        case ir.CacheAttr():
            return machine.size if expr.attr == "size" else machine.capacity
        case ir.EvictWanted():
            return scope.call.wanted
        case ir.Arith():
            left = value(expr.left, scope)
            right = value(expr.right, scope)
            if right == 0 and expr.op in ("div", "mod"):
                raise PolicyError(f"{machine.policy.path}:{machine.line}: division by zero")
            return numbers.arith(expr.op, left, right, expr.type)
        case ir.Compare():
            left = value(expr.left, scope)
            return int(numbers.compare(expr.op, left, value(expr.right, scope)))
        case ir.Logic():
            left = value(expr.left, scope)
            decided = left == (expr.op == "or")
            return left if decided else value(expr.right, scope)
        case ir.Not():
            return 1 - value(expr.operand, scope)
        case ir.Convert():
            return numbers.convert(value(expr.operand, scope), expr.operand.type, expr.type, expr.rounding)
        case ir.GhostTake():
            return int(machine.ghost_take(expr.ghost, scope.folios[expr.folio]))
        case ir.GhostHas():
            return int(machine.ghosts[expr.ghost].has(scope.folios[expr.folio].name))
