"""A session of steps through a test or a trace, and the state after each step for the page to draw."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

from cpol.compiler import ir
from cpol.compiler.literals import show_value
from cpol.compiler.stages import Compilation
from cpol.errors import RequestError
from cpol.runtime.explore.check.checked import CheckedMachine
from cpol.runtime.explore.step import Script, Session, Step, of_test
from cpol.runtime.explore.step.changes import ghost_entry, records
from cpol.runtime.explore.step.script import Event
from cpol.runtime.explore.step.text import effects, lines_that_ran
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.events import Op
from cpol.runtime.machine.interp import Given, Machine, run_trace
from cpol.runtime.machine.interp.explain import show_name, show_task
from cpol.runtime.machine.interp.snapshot import describe_inputs, describe_table, snapshot, title

MOST_DRAWN = 60
"""Folios of a list that are drawn. Of a longer one, half at each end."""


def of_trace(policy: ir.Policy, pages: list[int], capacity: Any, params: dict[str, str]) -> Script:
    """The events of a trace, up to one that breaks the policy.

    Raises:
        RequestError: the policy evicts nothing, or the capacity is no number.
        MachineError: the policy cannot attach.
    """
    need_evict(policy)
    if isinstance(capacity, bool) or not isinstance(capacity, int):
        raise RequestError("capacity: write a whole number of pages")
    machine = Machine(policy, capacity, params)
    with suppress(MachineError):  # the session meets it again at the last of these events
        run_trace(machine, Given(pages))
    items = [Event(row, number) for number, row in enumerate(_events(machine), 1)]
    begin = partial(CheckedMachine, [], policy, capacity, params, 1)
    return Script(policy, "the trace", "trace", [*items], begin)


def need_evict(policy: ir.Policy) -> None:
    """Raise RequestError: the policy only prefetches, so requests of pages tell it nothing."""
    if not policy.evicts:
        raise RequestError(f"{policy.name} only prefetches: step through its tests; `cpolc sim` compares such policies")


def _events(machine: Machine) -> list[Any]:
    return [row for row in machine.records if not Op(row.op).is_decision]


def script_of(made: Compilation, asked: dict[str, Any], pages: list[int]) -> Script:
    """The script that the page asks for.

    Raises:
        RequestError: there is no such test.
        MachineError: the policy cannot attach.
    """
    if asked.get("test") is None:
        return of_trace(made.policy, pages, asked["capacity"], asked.get("params", {}))
    for test in made.policy.tests:
        if test.name == asked["test"]:
            return of_test(made.policy, test)
    raise RequestError(f"the policy has no test {asked['test']!r} any more")


def drawn(session: Session, step: Step, source: list[str]) -> dict[str, Any]:
    """A step, and the state after it."""
    machine, policy, before = session.machine, session.policy, session.before
    after = session.state or snapshot(machine)
    old = records(before)
    own = [pos for pos in step.ran if not pos.file]
    return {
        "number": step.number,
        "last": session.last,
        "over": session.over,
        "event": step.event,
        "effects": effects(step),
        "ran": lines_that_ran(step.ran, source, session.statements),
        "lines": sorted({pos.line for pos in own}),
        "problem": step.problem,
        "cache": f"{machine.size} of {machine.capacity} pages",
        "clock": f"clock {machine.clock}, {machine.ms} ms, {show_task(machine.task)}",
        "lists": _lists(policy, before, after, old),
        "ghosts": [
            {
                "name": title(ghost),
                "room": machine.ghosts[ghost.name].capacity,
                "entries": _some([ghost_entry(ghost, entry) for entry in after["ghosts"][ghost.name]]),
                "count": len(after["ghosts"][ghost.name]),
                "changed": before["ghosts"][ghost.name] != after["ghosts"][ghost.name],
            }
            for ghost in policy.ghosts
        ],
        "states": [
            {
                "name": state.name,
                "before": show_value(before["state"][state.name], state.type),
                "value": show_value(after["state"][state.name], state.type),
            }
            for state in policy.states
        ],
        "tables": [
            {
                "text": describe_table(table, machine),
                "changed": before["tables"][table.name] != after["tables"][table.name],
            }
            for table in policy.tables
        ],
        "inputs": describe_inputs(machine),
    }


def _lists(policy: ir.Policy, before: Any, after: Any, old: dict[tuple[int, int], Any]) -> list[dict[str, Any]]:
    """The lists from head to tail, and what was proposed. Empty lists of an array are left out."""
    where = {_name(folio): label for label, folios in before["lists"].items() for folio in folios}
    rows = list(after["lists"].items())
    if after["proposed"]:
        rows.append(("proposed", after["proposed"]))
    return [
        {
            "name": label,
            "pages": sum(folio["pages"] for folio in folios),
            "count": len(folios),
            "changed": [_name(each) for each in before["lists"].get(label, [])] != [_name(each) for each in folios],
            "folios": _some([_folio(policy, folio, label, where, old) for folio in folios]),
        }
        for label, folios in rows
    ]


def _name(folio: Any) -> tuple[int, int]:
    return folio["file"], folio["index"]


def _folio(policy: ir.Policy, folio: Any, label: str, where: Any, old: Any) -> dict[str, Any]:
    """A folio with its record. `mark`: `new`, `moved` from another list, `changed` in its record, or nothing."""
    name = _name(folio)
    known = old.get(name)
    mark = ""
    if known is None:
        mark = "new"
    elif where.get(name) != label:
        mark = "moved"
    elif known["fields"] != folio["fields"]:
        mark = "changed"
    values = [f"{cell.name} {show_value(folio['fields'][cell.name], cell.type)}" for cell in policy.cells]
    if folio["pages"] > 1:
        values.append(f"{folio['pages']} pages")
    return {"name": show_name(*name), "values": values, "mark": mark}


def _some(items: list[Any]) -> list[Any]:
    """Few items as they are; of many, those at both ends with None between."""
    half = MOST_DRAWN // 2
    return items if len(items) <= MOST_DRAWN else [*items[:half], None, *items[-half:]]
