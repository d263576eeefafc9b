"""The whole state of a session's machine as lines, each with whether the step that is shown changed it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cpol.compiler.literals import show_value
from cpol.runtime.explore.step.changes import FEW, MOST, ghost_entry, records, shorten
from cpol.runtime.explore.step.session import Session
from cpol.runtime.machine.interp.explain import show_task
from cpol.runtime.machine.interp.snapshot import Snapshot, describe_inputs, describe_table, show_name, snapshot, title


@dataclass(frozen=True)
class Line:
    """A line of the board."""

    text: str
    changed: bool = False
    name: tuple[int, int] | None = None
    """The folio whose record it is."""


def board(session: Session) -> list[Line]:
    """The cache, the states, the lists with records, ghosts, tables and inputs, after the step that is shown."""
    machine, before = session.machine, session.before
    after = session.state or snapshot(machine)
    task = show_task(machine.task)
    out = [Line(f"cache: {machine.size} of {machine.capacity} pages, clock {machine.clock}, {machine.ms} ms, {task}")]
    out += _states(session, before, after)
    out += _lists(session, before, after)
    for ghost in session.policy.ghosts:
        entries = [ghost_entry(ghost, entry) for entry in after["ghosts"][ghost.name]]
        changed = before["ghosts"][ghost.name] != after["ghosts"][ghost.name]
        head = f"{title(ghost)} ({len(entries)} of {machine.ghosts[ghost.name].capacity})"
        out.append(Line(f"{head}: {shorten(entries)}", changed))
    for table in session.policy.tables:
        out.append(Line(describe_table(table, machine), before["tables"][table.name] != after["tables"][table.name]))
    return out + [Line(text) for text in describe_inputs(machine)]


def _states(session: Session, before: Snapshot, after: Snapshot) -> Iterator[Line]:
    for state in session.policy.states:
        old, new = (show_value(each["state"][state.name], state.type) for each in (before, after))
        yield Line(f"{state.name} = {_was(old, new)}", old != new)


def _was(old: str, new: str) -> str:
    return new if old == new else f"{old} -> {new}"


def _lists(session: Session, before: Snapshot, after: Snapshot) -> Iterator[Line]:
    """Lists from head to tail. With records: a line for each folio; of many, the first and the last."""
    old_records = records(before)
    labels = [label for label in session.machine.lists if before["lists"].get(label) or label in after["lists"]]
    rows = [(label, before["lists"].get(label, []), after["lists"].get(label, [])) for label in labels]
    rows.append(("proposed", before["proposed"], after["proposed"]))
    for label, old, new in rows:
        if label == "proposed" and not old and not new:
            continue
        pages = sum(folio["pages"] for folio in new)
        head = f"{label} ({pages} page{'s'[: pages != 1]})"
        changed = _names(old) != _names(new)
        if not session.policy.cells or not new:
            yield Line(f"{head}: {shorten(_names(new))}", changed)
            continue
        yield Line(f"{head}:", changed)
        few = len(new) > MOST
        for folio in new[:FEW] if few else new:
            yield _record(session, old_records, folio)
        if few:
            yield Line(f"  … {len(new) - 2 * FEW} more …")
            for folio in new[-FEW:]:
                yield _record(session, old_records, folio)
    left = [[show_name(*entry[:2]) for entry in state["left"]] for state in (before, after)]
    if any(left):
        yield Line(f"left to the kernel: {shorten(left[1])}", left[0] != left[1])


def _names(folios: Sequence[dict[str, Any]]) -> list[str]:
    return [show_name(folio["file"], folio["index"]) for folio in folios]


def _record(session: Session, old: dict[tuple[int, int], dict[str, Any]], folio: dict[str, Any]) -> Line:
    """A folio with its record; one that was there before, with each field's value before."""
    name = folio["file"], folio["index"]
    before = old.get(name, folio)["fields"]
    values = [
        f"{field.name} {_was(*(show_value(each[field.name], field.type) for each in (before, folio['fields'])))}"
        for field in session.policy.cells
    ]
    if folio["pages"] > 1:
        values.append(f"{folio['pages']} pages")
    return Line(f"  {show_name(*name)}: {', '.join(values)}", name not in old or before != folio["fields"], name)
