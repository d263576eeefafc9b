"""A machine's state as plain data: to compare, to print, to store as JSON."""

from __future__ import annotations

from typing import Any, TypeAlias

from cpol.compiler.ir import Type
from cpol.runtime.interp import numbers
from cpol.runtime.interp.machine import Folio, Machine

Snapshot: TypeAlias = dict[str, Any]


def snapshot(machine: Machine) -> Snapshot:
    """Lists from head to tail, ghosts from the oldest entry, raw values."""
    return {
        "lists": {name: [_folio(folio) for folio in folios] for name, folios in machine.lists.items()},
        "proposed": [_folio(folio) for folio in machine.proposed],
        "ghosts": {name: [list(entry) for entry in ghost.entries] for name, ghost in machine.ghosts.items()},
        "state": dict(machine.state),
    }


def _folio(folio: Folio) -> dict[str, Any]:
    return {"file": folio.file, "index": folio.index, "pages": folio.pages, "fields": dict(folio.fields)}


def describe(machine: Machine) -> list[str]:
    """The state in lines for people. Of a folio: its index, then whatever is not as usual."""
    types = {field.name: field.type for field in machine.policy.fields}
    lines = []
    for name, folios in machine.lists.items():
        lines.append(f"{name}: {', '.join(_describe(folio, types) for folio in folios) or 'empty'}")
    if machine.proposed:
        lines.append(f"proposed: {', '.join(_describe(folio, types) for folio in machine.proposed)}")
    for name, ghost in machine.ghosts.items():
        entries = ", ".join(show_name(*entry) for entry in ghost.entries) or "empty"
        lines.append(f"ghost {name}: {entries} (capacity {ghost.capacity})")
    for state in machine.policy.states:
        lines.append(f"{state.name} = {numbers.show(machine.state[state.name], state.type)}")
    return lines


def _describe(folio: Folio, types: dict[str, Type]) -> str:
    notes = [f"{name} {numbers.show(value, types[name])}" for name, value in folio.fields.items()]
    if folio.pages > 1:
        notes.append(f"{folio.pages} pages")
    return show_name(*folio.name) + (f" ({', '.join(notes)})" if notes else "")


def show_name(file: int, index: int) -> str:
    """`index`, or `file:index` where there are files."""
    return f"{file}:{index}" if file else str(index)
