"""What an event changed, as lines of text: each part of the state before and after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cpol.compiler import ir
from cpol.compiler.literals import show_value
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.snapshot import Snapshot, entry_name, show_name, title

MOST = 12
"""Items of a list that are shown. A longer one shows its first and last FEW, and counts the others."""
FEW = 5
MOST_CHANGES = 16
"""Folios and elements of one table whose changes are shown; the others are counted."""


def shorten(items: Sequence[str], most: int = MOST, few: int = FEW) -> str:
    """Items in a row. Of many, the first and the last, with the number of those between them."""
    if not items:
        return "empty"
    if len(items) <= most:
        return " ".join(items)
    return " ".join([*items[:few], f"… {len(items) - 2 * few} more …", *items[-few:]])


def changes(machine: Machine, before: Snapshot, after: Snapshot) -> list[str]:
    """The differences between two states of `machine`: lists from head to tail, ghosts from the oldest entry."""
    policy = machine.policy
    return [
        *_lists(machine, before, after),
        *_folios(policy, before, after),
        *_ghosts(policy, before, after),
        *_states(policy, before, after),
        *(line for table in policy.tables for line in _table(table, machine, before, after)),
    ]


def _lists(machine: Machine, before: Snapshot, after: Snapshot) -> Iterator[str]:
    rows = [(label, before["lists"].get(label, []), after["lists"].get(label, [])) for label in machine.lists]
    rows.append(("proposed", before["proposed"], after["proposed"]))
    for label, old, new in rows:
        if old == new:
            continue
        names = [[show_name(folio["file"], folio["index"]) for folio in folios] for folios in (old, new)]
        yield from _difference(label, *names)
    left = [[show_name(*entry[:2]) for entry in state["left"]] for state in (before, after)]
    yield from _difference("left to the kernel", *left)


def _difference(what: str, old: list[str], new: list[str]) -> Iterator[str]:
    if old != new:  # not only in records
        yield f"{what}: {shorten(old)} -> {shorten(new)}"


def _folios(policy: ir.Policy, before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Records that came, changed or went."""
    if not policy.cells or (before["lists"], before["proposed"]) == (after["lists"], after["proposed"]):
        return
    old, new = records(before), records(after)
    lines: list[str] = []
    for name, folio in new.items():
        if name not in old:
            lines.append(_record("came", folio, policy))
        elif old[name]["fields"] != folio["fields"]:
            differences = [
                f"{field.name} {show_value(was, field.type)} -> {show_value(now, field.type)}"
                for field in policy.cells
                if (was := old[name]["fields"][field.name]) != (now := folio["fields"][field.name])
            ]
            lines.append(f"folio {show_name(*name)}: {', '.join(differences)}")
    for name, folio in old.items():
        if name not in new:
            lines.append(_record("gone", folio, policy))
    yield from _some(lines, "folios")


def records(state: Snapshot) -> dict[tuple[int, int], dict[str, Any]]:
    """The folios on lists and the proposed ones, by name."""
    folios = [folio for folios in [*state["lists"].values(), state["proposed"]] for folio in folios]
    return {(folio["file"], folio["index"]): folio for folio in folios}


def _record(what: str, folio: dict[str, Any], policy: ir.Policy) -> str:
    values = [f"{field.name} {show_value(folio['fields'][field.name], field.type)}" for field in policy.cells]
    return f"folio {show_name(folio['file'], folio['index'])} {what}: {', '.join(values)}"


def _some(lines: list[str], what: str) -> Iterator[str]:
    yield from lines[:MOST_CHANGES]
    if len(lines) > MOST_CHANGES:
        yield f"and {len(lines) - MOST_CHANGES} more {what}"


def _ghosts(policy: ir.Policy, before: Snapshot, after: Snapshot) -> Iterator[str]:
    for ghost in policy.ghosts:
        if before["ghosts"][ghost.name] == after["ghosts"][ghost.name]:
            continue
        entries = [[ghost_entry(ghost, entry) for entry in state["ghosts"][ghost.name]] for state in (before, after)]
        yield from _difference(title(ghost), *entries)


def ghost_entry(ghost: ir.GhostDecl, entry: list[int]) -> str:
    """An entry of a ghost as text: the folio, file or thread, and its record in parentheses."""
    pairs = zip(ghost.fields, entry[2:], strict=True)
    record = ", ".join(f"{field.name} {show_value(value, field.type)}" for field, value in pairs)
    return entry_name(ghost, (entry[0], entry[1])) + (f"({record})" if record else "")


def _states(policy: ir.Policy, before: Snapshot, after: Snapshot) -> Iterator[str]:
    for state in policy.states:
        old, new = before["state"][state.name], after["state"][state.name]
        if old != new:
            yield f"{state.name}: {show_value(old, state.type)} -> {show_value(new, state.type)}"


def _table(table: ir.TableDecl, machine: Machine, before: Snapshot, after: Snapshot) -> Iterator[str]:
    lines = []
    earlier, later = before["tables"][table.name], after["tables"][table.name]
    for position in sorted(earlier.keys() | later.keys()):
        old, new = (state.get(position, table.init) for state in (earlier, later))
        if old != new:
            indices = machine.tables[table.name].indices(position)
            values = f"{show_value(old, table.type)} -> {show_value(new, table.type)}"
            lines.append(f"{table.name}[{', '.join(map(str, indices))}]: {values}")
    yield from _some(lines, f"elements of {table.name}")
