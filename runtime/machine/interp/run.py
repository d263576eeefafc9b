"""Executes statements (docs/semantics.md: Evicting, Scanning, Counting)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, assert_never

from cpol.compiler import ir
from cpol.runtime.machine.interp.eval import cell, list_label, named, value, values
from cpol.runtime.machine.interp.eval import score as score_of
from cpol.runtime.machine.interp.scope import Scope
from cpol.runtime.machine.interp.state import Call, Folio

if TYPE_CHECKING:
    from cpol.runtime.machine.interp.effects import Effects


class HandlerOver(Exception):
    """Ends the handler at once: the request has all the pages that it wants, or the folio is refused."""


class LoopStopped(Exception):
    """`stop`: ends the innermost scan, `for` or `while`."""


def run_handler(handler: ir.Handler, machine: Effects, call: Call, folio: Folio | None, why: int) -> None:
    scope = Scope(machine, call)
    if handler.folio is not None and folio is not None:
        scope.folios[handler.folio] = folio
    if handler.why is not None:
        scope.values[handler.why] = why
    with suppress(HandlerOver):
        run(handler.body, scope)


def run(body: Iterable[ir.Stmt], scope: Scope) -> None:
    for statement in body:
        scope.machine.reach(statement)
        run_one(statement, scope)


def run_one(statement: ir.Stmt, scope: Scope) -> None:
    machine = scope.machine
    match statement:
        case ir.If():
            run(statement.then if value(statement.cond, scope) else statement.orelse, scope.inner())
        case ir.Let():
            scope.values[statement.name] = value(statement.value, scope)
        case ir.Var():
            scope.values[statement.name] = value(statement.value, scope)
        case ir.SetVar():
            scope.block(statement.name)[statement.name] = value(statement.value, scope)
        case ir.SetState():
            machine.state[statement.name] = value(statement.value, scope)
        case ir.For():
            count(statement, scope)
        case ir.SetField():
            place = cell(statement, scope)
            scope.folios[statement.folio].fields[place] = value(statement.value, scope)
        case ir.SetRecord():
            new = value(statement.value, scope)
            machine.set_record(statement, scope.folios.get(statement.folio or ""), scope.call, new)
        case ir.SetTable():
            indices = values(statement.indices, scope)
            machine.tables[statement.table].set(indices, value(statement.value, scope))
        case ir.Stop():
            raise LoopStopped
        case ir.Place():
            machine.place(scope.folios[statement.folio], list_label(statement.list, scope), statement.end)
        case ir.Leave():
            machine.leave(scope.folios[statement.folio])
        case ir.Refuse():
            machine.refuse(scope.call, scope.folios[statement.folio])
            raise HandlerOver
        case ir.Move():
            machine.move(scope.folios[statement.folio], list_label(statement.list, scope), statement.end)
        case ir.GhostAdd():
            fields = named(machine.policy.ghosts, statement.ghost).fields
            record = {field.name: new for field, new in zip(fields, values(statement.values, scope), strict=True)}
            machine.ghost_add(statement.ghost, scope.folios[statement.folio], record)
        case ir.GhostDrop():
            machine.ghost_take(statement.ghost, scope.folios[statement.folio])
        case ir.GhostForget():
            machine.ghost_forget(statement.ghost)
        case ir.Scan():
            scan(statement, scope)
        case ir.Evict():
            folio = scope.folios[statement.folio]
            machine.propose(scope.call, folio, statement.far)
            if scope.call.satisfied:
                raise HandlerOver
        case ir.EvictByScore():
            of = list_label(statement.list, scope)
            bound = value(statement.bound, scope)
            score = named(machine.policy.scores, statement.score)
            sign = -1 if statement.highest else 1
            machine.propose_lowest(
                scope.call, of, statement.end, bound, lambda folio: sign * score_of(score, scope, folio)
            )
            if scope.call.satisfied:
                raise HandlerOver
        case ir.Pin():
            machine.pin(scope.folios[statement.folio])
        case ir.Unpin():
            machine.unpin(scope.folios[statement.folio])
        case ir.WantEviction():
            machine.want(value(statement.pages, scope))
        case ir.Prefetch():
            machine.aim(
                scope.call, statement.space, *values((statement.target, statement.count, statement.stride), scope)
            )
        case ir.Default():
            machine.default(scope.call)
        case ir.Hold():
            machine.hold(scope.call)
        case ir.Drop():
            machine.drop(scope.call)
        case ir.Flush():
            machine.flush(scope.call, statement.wait)
        case ir.LeaveFile():
            machine.leave_file(scope.call)
        case ir.Ahead():
            machine.ahead(scope.call, value(statement.pages, scope))
        case _:
            assert_never(statement)


def count(statement: ir.For, scope: Scope) -> None:
    low = value(statement.low, scope)
    high = value(statement.high, scope)
    for number in range(low, min(high, low + ir.MAX_ROUNDS - 1) + 1):
        inner = scope.inner()
        inner.values[statement.name] = number
        try:
            run(statement.body, inner)
        except LoopStopped:
            return


def scan(statement: ir.Scan, scope: Scope) -> None:
    machine = scope.machine
    of = list_label(statement.list, scope)
    visits = len(machine.lists[of])
    if statement.bound is not None:
        visits = min(visits, value(statement.bound, scope))
    next_folio = machine.first(of, statement.end)
    # A scan inside this one may have taken the next folio to another list.
    while visits > 0 and next_folio is not None and next_folio in machine.lists[of]:
        folio = next_folio
        next_folio = machine.next(folio, statement.end)
        try:
            run(statement.body, scope.inner(statement.folio, folio))
        except LoopStopped:
            return
        visits -= 1
