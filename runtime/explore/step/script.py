"""Scripts: the events that a session steps through, and the machine that they begin with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from cpol.compiler import ir
from cpol.runtime.explore.check.checked import CheckedMachine
from cpol.runtime.explore.check.policy_test import perform
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.events import Log, Op, Row
from cpol.runtime.machine.interp import DELETED, Machine
from cpol.runtime.machine.interp.replay import start


@dataclass(frozen=True)
class Event:
    """An event, and the decisions that a log has for it. None: it has none to compare with."""

    row: Row
    line: int
    """In the log; in a test, the line of its step."""
    recorded: list[Row] | None = None


Item: TypeAlias = Event | ir.Fill | ir.Expect
"""One step of a session. `Fill` and `Expect` are the steps of tests that are no events."""


@dataclass(frozen=True)
class Script:
    """A policy, what happens to it, and how to begin."""

    policy: ir.Policy
    name: str
    path: str
    """The file that the lines of items refer to."""
    items: list[Item]
    start: Callable[[], Machine]
    """Makes the machine before the first event."""

    @property
    def is_test(self) -> bool:
        """Whether the lines of items are lines of the policy."""
        return self.path == self.policy.path


def line_of(item: Item) -> int:
    """The line of an item, in the log or in the policy."""
    return item.line if isinstance(item, Event) else item.pos.line


def of_log(policy: ir.Policy, log: Log, path: Path | str) -> Script:
    """The events of a log. The machine holds the policy to what `cpolc check` holds it to."""
    items: list[Item] = []
    recorded: list[Row] = []
    for row, line in zip(log.rows, log.lines, strict=True):
        if Op(row.op).is_decision:
            recorded.append(row)
        else:
            recorded = []
            items.append(Event(row, line, recorded if log.header.decisions else None))
    return Script(policy, str(path), str(path), items, lambda: start(log, policy, path, partial(CheckedMachine, [])))


def of_test(policy: ir.Policy, test: ir.Test) -> Script:
    """The steps of a test. An access becomes the events of its requests, up to one that breaks the policy."""

    def begin() -> Machine:
        machine = Machine(policy, test.capacity, dict(test.params), test.batch, test.seed)
        machine.around = test.around
        return machine

    return Script(policy, f"test {test.name}", policy.path, list(_items(test, begin())), begin)


def _items(test: ir.Test, machine: Machine) -> Iterator[Item]:
    for step in test.steps:
        if isinstance(step, ir.Fill | ir.Expect):
            yield step
            if isinstance(step, ir.Fill):
                perform(step, machine)
            continue
        known = len(machine.records)
        broken = False
        try:
            perform(step, machine)
        except MachineError:  # the session meets it again at the last of these events
            broken = True
        rows = [row for row in machine.records[known:] if not Op(row.op).is_decision]
        if isinstance(step, ir.Remove):  # an event that cannot happen is not among the records
            rows = [Row(Op.REMOVED, *name, DELETED) for name in step.folios]
        elif isinstance(step, ir.Mark) and not rows:
            rows = [Row(Op.FLAGS, *step.folios[0], step.on)]
        elif isinstance(step, ir.Tick):
            rows = [Row(Op.TICK, 0, 0, step.ms), *(row for row in rows if row.op != Op.TICK)]
        yield from (Event(row, step.pos.line) for row in rows)
        if broken:
            return
