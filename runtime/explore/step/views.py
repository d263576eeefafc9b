"""What a session shows of its machine on request, as lines of text."""

from __future__ import annotations

import re

from cpol.compiler.literals import show_value
from cpol.runtime.explore.step.changes import ghost_entry, shorten
from cpol.runtime.explore.step.session import StepError
from cpol.runtime.machine.interp import Folio, Machine
from cpol.runtime.machine.interp.explain import show_task
from cpol.runtime.machine.interp.snapshot import describe_values, show_name, snapshot, title

WHOLE = 2**63
"""More names than a list has."""


def lists(machine: Machine) -> list[str]:
    """Each list from head to tail, with its pages; empty lists of an array are left out."""
    lines = [
        f"{label} ({_pages(folios)}): {shorten(_names(folios))}"
        for label, folios in machine.lists.items()
        if folios or "." not in label
    ]
    lines += machine.empty_arrays()
    if machine.proposed:
        lines.append(f"proposed: {shorten(_names(machine.proposed))}")
    if machine.left:
        lines.append(f"left to the kernel: {shorten(_names(list(machine.left.values())))}")
    return lines


def one_list(machine: Machine, label: str) -> list[str]:
    """A list in full.

    Raises:
        StepError: there is no such list.
    """
    if label not in machine.lists:
        known = ", ".join(machine.policy.lists)
        raise StepError(f"{machine.policy.name} has no list {label}; it has {known}")
    folios = machine.lists[label]
    return [f"{label} ({_pages(folios)}): {shorten(_names(folios), WHOLE)}"]


def _names(folios: list[Folio]) -> list[str]:
    return [show_name(*folio.name) for folio in folios]


def _pages(folios: list[Folio]) -> str:
    pages = sum(folio.pages for folio in folios)
    return f"{pages} page{'s'[: pages != 1]}"


def folio(machine: Machine, key: str) -> list[str]:
    """A folio's place and record, or where its name is remembered.

    Raises:
        StepError: `key` is not a folio's name.
    """
    name = named(key)
    found = machine.cache.get(name)
    if found is not None:
        lines = [f"folio {show_name(*name)}: {_place(machine, found)}"]
        for field in machine.policy.cells:
            lines.append(f"{field.name} = {show_value(found.fields[field.name], field.type)}")
    elif name in machine.left:
        lines = [f"folio {show_name(*name)}: left to the kernel"]
    else:
        lines = [f"folio {show_name(*name)}: not in the cache"]
    lines += [f"remembered by {ghost}" for ghost in _entries(machine, "folio", name)]
    return lines + [f"record of {record}" for record in _entries(machine, "file", (name[0], 0))]


def named(key: str) -> tuple[int, int]:
    """The name of a folio as a user writes it.

    Raises:
        StepError: `key` is not one.
    """
    match = re.fullmatch(r"(?:([0-9]{1,20}):)?([0-9]{1,20})", key)
    if match is None:
        raise StepError(f"{key!r} is not a folio: write INDEX, or FILE:INDEX")
    return int(match[1] or 0), int(match[2])


def _place(machine: Machine, found: Folio) -> str:
    pages = f", {found.pages} pages" if found.pages > 1 else ""
    read = "" if found.was_read else ", not read yet"
    if not found.on_list:
        return f"proposed for eviction, last on {found.list}{pages}{read}"
    folios = machine.lists[found.list]
    return f"number {folios.index(found) + 1} of {len(folios)} on {found.list}, from the head{pages}{read}"


def _entries(machine: Machine, key: str, name: tuple[int, int]) -> list[str]:
    """The entries of `name` in the ghosts with such keys."""
    found = []
    for ghost in machine.policy.ghosts:
        if ghost.key != key:
            continue
        record = machine.ghosts[ghost.name].entries.get(name)
        if record is not None:
            found.append(f"{ghost.name}: {ghost_entry(ghost, [*name, *record.values()])}")
    return found


def states(machine: Machine) -> list[str]:
    """The cache, states, tables, inputs and ghosts."""
    lines = [
        f"cache: {machine.size} of {machine.capacity} pages, clock {machine.clock}, time {machine.ms} ms, "
        f"{show_task(machine.task)}"
    ]
    lines += describe_values(machine)
    entries = snapshot(machine)["ghosts"]
    for ghost in machine.policy.ghosts:
        names = [ghost_entry(ghost, entry) for entry in entries[ghost.name]]
        lines.append(f"{title(ghost)} ({len(names)} of {machine.ghosts[ghost.name].capacity}): {shorten(names)}")
    return lines
