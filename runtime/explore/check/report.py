"""A counterexample as text and as JSON."""

from __future__ import annotations

import textwrap
from itertools import takewhile
from typing import Any

from cpol.runtime.explore.check.against import Difference
from cpol.runtime.explore.check.attempt import Counterexample
from cpol.runtime.explore.check.describe import describe_row
from cpol.runtime.explore.check.traits import traits
from cpol.runtime.machine.events import Op
from cpol.runtime.machine.interp import Machine, MachineError
from cpol.runtime.machine.interp.replay import apply
from cpol.runtime.machine.interp.snapshot import as_data, describe

WIDTH = 110


def as_text(found: Counterexample) -> str:
    """The message, the settings, the events with their decisions, and the state before and after the last one."""
    machine = found.machine
    before = state_before(machine)
    blocks = [
        found.message,
        f"with {settings(machine)}, {'after these events:' if machine.records else 'at the start'}",
        *events(machine),
    ]
    if before is not None:
        blocks.append("state before the last event:\n" + textwrap.indent("\n".join(describe(before)), "    "))
    blocks.append("state then:\n" + textwrap.indent("\n".join(describe(machine)), "    "))
    return "\n".join(blocks)


def settings(machine: Machine) -> str:
    """Capacity, batch, params and inputs of a machine; its seed only if the policy draws random numbers."""
    params = [f"{name} = {value}" for name, value in machine.header.params.items()]
    seed = [f"seed {machine.seed}"] if traits(machine.policy).random else []
    inputs = [f"{name} {key} = {value}" for name, key, value in machine.settings]
    return ", ".join([f"capacity {machine.capacity}", f"batch {machine.batch}", *seed, *params, *inputs])


def as_json(found: Counterexample) -> dict[str, Any]:
    """The same as data for `json.dumps`; states are snapshots with raw values."""
    machine = found.machine
    before = state_before(machine)
    return {
        "property": found.property,
        "message": found.message,
        **found.pos.facts,
        "values": dict(found.values),
        "before": as_data(before) if before is not None else None,
        **run_as_json(machine),
    }


def state_before(machine: Machine) -> Machine | None:
    """The machine before its last event, from a replay of the others; None: no events, or they cannot be replayed."""
    events = [row for row in machine.records if not Op(row.op).is_decision]
    if not events:
        return None
    before = Machine(machine.policy, machine.capacity, machine.params, machine.batch, machine.seed, machine.settings)
    try:
        for row in events[:-1]:
            apply(before, row)
    except MachineError:  # only where the counterexample is that the policy is not deterministic
        return None
    return before


def events(machine: Machine) -> list[str]:
    """The numbered events, each with an arrow and its decisions."""
    lines = []
    rows = machine.records
    numbered = [n for n, row in enumerate(rows) if not Op(row.op).is_decision]
    for number, start in enumerate(numbered, 1):
        decisions = takewhile(lambda row: Op(row.op).is_decision, rows[start + 1 :])
        effects = ", ".join(describe_row(row, machine.header) for row in decisions)
        line = f"{number:>4}  {describe_row(rows[start], machine.header)}" + (f" -> {effects}" if effects else "")
        lines.append(textwrap.fill(line, WIDTH, subsequent_indent=" " * 10, break_long_words=False))
    return lines


def difference_as_text(found: Difference) -> str:
    """What each of two policies keeps alone, and the events with the decisions of both."""
    first, second = found.first, found.second
    blocks = [
        f"after the last of these events, {keeps('the first', found.only_first)}, "
        f"and {keeps('the second', found.only_second)}",
    ]
    for word, machine in (("first", first), ("second", second)):
        where = f"{word}: {machine.policy.name} ({machine.policy.path}), with {settings(machine)}"
        blocks += [where, *events(machine), "state then:", textwrap.indent("\n".join(describe(machine)), "    ")]
    return "\n".join(blocks)


def keeps(who: str, names: list[tuple[int, int]]) -> str:
    if not names:
        return f"{who} policy keeps nothing that the other does not"
    return f"{who} policy alone keeps " + ", ".join(f"{file}:{index}" if file else str(index) for file, index in names)


def difference_as_json(found: Difference) -> dict[str, Any]:
    return {
        "only_first": found.only_first,
        "only_second": found.only_second,
        "first": run_as_json(found.first),
        "second": run_as_json(found.second),
    }


def run_as_json(machine: Machine) -> dict[str, Any]:
    return {
        "capacity": machine.capacity,
        "batch": machine.batch,
        "seed": machine.seed,
        "params": machine.header.params,
        "inputs": [list(setting) for setting in machine.settings],
        "events": [describe_row(row, machine.header) for row in machine.records],
        "after": as_data(machine),
    }
