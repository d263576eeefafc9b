"""A counterexample for people and for programs."""

from __future__ import annotations

import textwrap
from itertools import takewhile
from typing import Any

from cpol.runtime.check.search import Counterexample
from cpol.runtime.events import ENDS, Header, Op, Row
from cpol.runtime.interp import Machine, MachineError
from cpol.runtime.interp.replay import apply
from cpol.runtime.interp.snapshot import describe, show_name, snapshot

WIDTH = 110


def as_text(found: Counterexample) -> str:
    machine = found.machine
    before = state_before(machine)
    params = [f"{name} = {value}" for name, value in machine.header.params.items()]
    settings = ", ".join([f"capacity {machine.capacity}", f"batch {machine.batch}", *params])
    blocks = [
        found.message,
        f"with {settings}, {'after these events:' if machine.records else 'at the start'}",
        *events(machine),
    ]
    if before is not None:
        blocks.append("state before the last event:\n" + textwrap.indent("\n".join(describe(before)), "    "))
    blocks.append("state then:\n" + textwrap.indent("\n".join(describe(machine)), "    "))
    return "\n".join(blocks)


def as_json(found: Counterexample) -> dict[str, Any]:
    machine = found.machine
    before = state_before(machine)
    return {
        "property": found.property,
        "message": found.message,
        "line": found.line,
        "values": dict(found.values),
        "capacity": machine.capacity,
        "batch": machine.batch,
        "params": machine.header.params,
        "events": [describe_row(row, machine.header) for row in machine.records],
        "before": snapshot(before) if before is not None else None,
        "after": snapshot(machine),
    }


def state_before(machine: Machine) -> Machine | None:
    """A machine as it was before the last event; None if there was none."""
    events = [row for row in machine.records if not Op(row.op).is_decision]
    if not events:
        return None
    before = Machine(machine.policy, machine.capacity, machine.params, machine.batch, machine.seed, machine.settings)
    try:
        for row in events[:-1]:
            apply(before, row)
    except MachineError:  # the policy is not deterministic, which is what was found
        return None
    return before


def events(machine: Machine) -> list[str]:
    """The events, numbered, with their decisions behind an arrow."""
    lines = []
    rows = machine.records
    numbered = [n for n, row in enumerate(rows) if not Op(row.op).is_decision]
    for number, start in enumerate(numbered, 1):
        decisions = takewhile(lambda row: Op(row.op).is_decision, rows[start + 1 :])
        effects = ", ".join(describe_row(row, machine.header) for row in decisions)
        line = f"{number:>4}  {describe_row(rows[start], machine.header)}" + (f" -> {effects}" if effects else "")
        lines.append(textwrap.fill(line, WIDTH, subsequent_indent=" " * 10, break_long_words=False))
    return lines


def describe_row(row: Row, header: Header) -> str:
    name = show_name(row.file, row.page)
    match Op(row.op):
        case Op.MISSED:
            return f"miss of {name}"
        case Op.ADDED:
            return f"added {name}" + (f" of {row.a} pages" if row.a > 1 else "")
        case Op.FIRST_ACCESSED:
            return f"first access to {name}"
        case Op.ACCESSED:
            return f"access to {name}"
        case Op.REMOVED:
            return f"removed {name}, {'deleted' if row.a else 'evicted'}"
        case Op.EVICT:
            return f"evict request for {row.a} page{'s'[: row.a != 1]}"
        case Op.REFUSED:
            return f"refused {name}"
        case Op.FALLBACK:
            return f"fallback takes {name}"
        case Op.ADMIT:
            return f"may {name} come in?"
        case Op.TICK:
            return f"{row.a} ms have passed"
        case Op.TASK:
            return f"thread {row.a} of process {row.b} runs"
        case Op.PLACE:
            return f"place {name} at {ENDS[row.b]} of {header.list_label(row.a)}"
        case Op.MOVE:
            return f"move {name} to {ENDS[row.b]} of {header.list_label(row.a)}"
        case Op.PROPOSE:
            return f"evict {name}"
        case Op.GHOST_ADD:
            return f"{header.ghosts[row.a]}.add({name})"
        case Op.GHOST_TAKE:
            return f"{header.ghosts[row.a]}.take({name})"
        case Op.GHOST_FORGET:
            return f"{header.ghosts[row.a]} forgets {name}"
        case Op.REFUSE:
            return f"refuse {name}"
        case Op.LEAVE:
            return f"leave {name}"
