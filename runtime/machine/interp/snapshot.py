"""A machine's state as plain data, to compare, to print, or to store as JSON."""

from __future__ import annotations

from typing import Any, TypeAlias

from cpol.compiler import ir
from cpol.compiler.literals import show_value
from cpol.runtime.machine.events import show_flags
from cpol.runtime.machine.interp.explain import show_name
from cpol.runtime.machine.interp.ghost import Name
from cpol.runtime.machine.interp.machine import Folio, Machine
from cpol.runtime.machine.interp.prefetch import SECOND

__all__ = [
    "Snapshot", "as_data", "describe", "describe_inputs", "describe_table", "describe_values", "entry_name",
    "show_name", "snapshot", "title",
]  # fmt: skip

Snapshot: TypeAlias = dict[str, Any]

MAX_ROWS = 16
"""Elements of a table that `describe` prints; it counts the rest."""


def snapshot(machine: Machine) -> Snapshot:
    """The state with raw values: lists from head to tail, ghosts from the oldest entry, elements of tables by position.

    Empty lists of an array are left out, and elements with their initial value. A ghost's entry is file, index, then
    its record.
    """
    return {
        "lists": {
            label: [_folio(folio) for folio in folios]
            for label, folios in machine.lists.items()
            if folios or "." not in label
        },
        "proposed": [_folio(folio) for folio in machine.proposed],
        "left": [[folio.file, folio.index, folio.pages] for folio in machine.left.values()],
        "ghosts": {
            name: [[*entry, *record.values()] for entry, record in ghost.entries.items()]
            for name, ghost in machine.ghosts.items()
        },
        "state": dict(machine.state),
        "tables": {name: dict(table.changed) for name, table in machine.tables.items()},
        "pins": {
            "folios": [[*folio.name] for folios in machine.lists.values() for folio in folios if folio.pinned],
            "pages": machine.pinned,
            "refused": machine.pins_refused,
            "kept": machine.pins_kept,
            "overruled": machine.pins_overruled,
        },
        "keeps": {
            "second": machine.keeps[0],
            "pages": machine.keeps[1],
            "kept": machine.keeps_kept,
            "refused": machine.keeps_refused,
        },
        "reclaims": machine.reclaims,
        "clock": machine.clock,
        "ms": machine.ms,
        "random": machine.random,
    }


def as_data(machine: Machine) -> Snapshot:
    """The same for JSON: tables have all elements, in the order of their indices."""
    return {**snapshot(machine), "tables": {name: table.elements for name, table in machine.tables.items()}}


def _folio(folio: Folio) -> dict[str, Any]:
    return {"file": folio.file, "index": folio.index, "pages": folio.pages, "fields": dict(folio.fields)}


def describe(machine: Machine) -> list[str]:
    """The state as lines of text. A folio is its name, its record, and its pages if it has more than one."""
    policy = machine.policy
    lines = []
    for label, folios in machine.lists.items():
        if folios or "." not in label:
            lines.append(f"{label}: {', '.join(_describe(folio, policy.cells) for folio in folios) or 'empty'}")
    lines += machine.empty_arrays()
    if machine.proposed:
        lines.append(f"proposed: {', '.join(_describe(folio, policy.cells) for folio in machine.proposed)}")
    if machine.left:
        lines.append(f"left to the kernel: {', '.join(show_name(*name) for name in machine.left)}")
    if policy.pin is not None:
        lines.append(f"pinned: {machine.pinned} of {machine.quota} pages")
    if policy.keep is not None:
        kept = machine.keeps[1] if machine.keeps[0] == machine.ms // SECOND else 0
        lines.append(f"kept in this second: {kept} of {machine.keep_quota} pages")
    for declaration in policy.ghosts:
        ghost = machine.ghosts[declaration.name]
        entries = [
            entry_name(declaration, name) + _notes(record, declaration.fields) for name, record in ghost.entries.items()
        ]
        lines.append(f"{title(declaration)}: {', '.join(entries) or 'empty'} (capacity {ghost.capacity})")
    return lines + describe_values(machine)


def title(ghost: ir.GhostDecl) -> str:
    """What a ghost is called: `ghost recent`, or `records of files`."""
    records = {"file": "records of files", "task": "records of threads", "area": "records of areas"}
    return records.get(ghost.key, f"ghost {ghost.name}")


def entry_name(ghost: ir.GhostDecl, name: Name) -> str:
    """The folio, file or thread of an entry as text."""
    return show_name(*name) if ghost.key == "folio" else str(name[0])


def describe_values(machine: Machine) -> list[str]:
    """States, tables and inputs as lines of text."""
    policy = machine.policy
    lines = []
    for state in policy.states:
        lines.append(f"{state.name} = {show_value(machine.state[state.name], state.type)}")
    lines += [describe_table(table, machine) for table in policy.tables]
    return lines + describe_inputs(machine)


def describe_inputs(machine: Machine) -> list[str]:
    """What each input that is not empty holds, a line for each."""
    lines = []
    for name, source in machine.inputs.items():
        held = [key if source.declaration.value is None else f"{key} = {value}" for _, key, value in source.settings]
        if held:
            lines.append(f"input {name}: {', '.join(held)}")
    return lines


def _describe(folio: Folio, fields: tuple[ir.VarDecl, ...]) -> str:
    more = [f"{folio.pages} pages"] if folio.pages > 1 else []
    more += [show_flags(folio.flags)] if folio.flags else []
    more += ["pinned"] if folio.pinned else []
    return show_name(*folio.name) + _notes(folio.fields, fields, more)


def _notes(record: dict[str, int], fields: tuple[ir.VarDecl, ...], more: list[str] | None = None) -> str:
    notes = [f"{field.name} {show_value(record[field.name], field.type)}" for field in fields] + (more or [])
    return f" ({', '.join(notes)})" if notes else ""


def describe_table(declaration: ir.TableDecl, machine: Machine) -> str:
    """The elements that differ from the initial value."""
    table = machine.tables[declaration.name]
    changed = sorted(table.changed.items())
    shown = []
    for position, element in changed[:MAX_ROWS]:
        indices = table.indices(position)
        shown.append(f"[{', '.join(map(str, indices))}] {show_value(element, declaration.type)}")
    if len(changed) > MAX_ROWS:
        shown.append(f"and {len(changed) - MAX_ROWS} more")
    init = show_value(declaration.init, declaration.type)
    return f"table {declaration.name}: {', '.join([*shown, f'else {init}'])}"
