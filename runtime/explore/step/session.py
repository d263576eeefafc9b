"""A session: a machine at one place of a script, which goes forward and back.

To go back, it starts from a copy of the machine that it kept on the way, or anew, and runs again: the
interpreter is deterministic.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field

from cpol.compiler import ir
from cpol.runtime.explore.check.checked import StarvationError
from cpol.runtime.explore.check.describe import describe_row
from cpol.runtime.explore.check.traits import positions
from cpol.runtime.explore.step.changes import changes
from cpol.runtime.explore.step.script import Event, Script, line_of
from cpol.runtime.machine.errors import EventError, MachineError
from cpol.runtime.machine.events import Row
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.eval import value
from cpol.runtime.machine.interp.explain import explain
from cpol.runtime.machine.interp.replay import apply
from cpol.runtime.machine.interp.scope import Scope
from cpol.runtime.machine.interp.snapshot import Snapshot, snapshot
from cpol.runtime.machine.interp.state import Call
from cpol.runtime.machine.settings.inputs import show

KEPT_EVERY = 500
"""Events between two copies of the machine, at least. With a larger cache, as many as it has pages."""
MOST_KEPT = 16
"""Copies that are kept, the latest."""


class StepError(Exception):
    """What is asked for is not there: an event, a line with a statement, a folio, a list."""


@dataclass(frozen=True)
class Step:
    """What one item of a script did, in words."""

    number: int
    """From 1; 0 is the attach, with `init`."""
    event: str
    decisions: list[str] = field(default_factory=list)
    ran: list[ir.Pos] = field(default_factory=list)
    """The statements that ran, in the order of the text."""
    changes: list[str] = field(default_factory=list)
    differs: list[str] | None = None
    """The decisions that the log has instead."""
    problem: str | None = None
    """What is broken here."""
    impossible: bool = False
    """The problem is the script's: this event cannot happen here."""


class Session:
    """The first `position` items of a script have happened to `machine`.

    Raises:
        ReplayError: the script was recorded with another policy.
        MachineError: the policy cannot attach, or breaks a property in `init`.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self.policy = script.policy
        self.statements = set(positions(script.policy))
        self.kept: deque[tuple[int, Machine]] = deque(maxlen=MOST_KEPT)
        self.restart()

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.script.items)

    @property
    def over(self) -> bool:
        """Whether nothing can follow. Only a request that proposed nothing is broken, and others follow."""
        return self.ended or self.position == self.last

    # Where to go.

    def go(self, number: int) -> Step:
        """Go to step `number`, or to the one before it that breaks the policy."""
        if not 0 <= number <= self.last:
            raise StepError(f"there is no event {number}; the last is {self.last}")
        if number < self.position:
            self.rewind(number)
        self.advance(number - 1)
        if self.ended or self.position == number:
            return self.here()
        before = self.state or snapshot(self.machine)
        self._take()
        return self._describe(before)

    def next(self) -> Step:
        """Take one step."""
        return self.go(self.position + 1)

    def here(self) -> Step:
        """The step that was taken last."""
        if self.shown is None:  # it was taken without a look at the state before it
            return self.again(self.position)
        return self.shown

    def again(self, number: int) -> Step:
        """Go to step `number` from a place before it, in whatever state the machine is."""
        self.rewind(number)
        return self.go(number)

    def run(self, lines: Collection[int]) -> Step:
        """Go on to the next step in which a statement on one of these lines runs, or to the end."""
        self.advance(self.last, lines)
        return self.here()

    def advance(self, number: int, lines: Collection[int] = (), most: int | None = None) -> bool:
        """Take steps up to step `number` without a look at them, at most `most`.

        Returns:
            Whether nothing is left to take: it is there, at the end, or a statement on one of `lines` ran.
        """
        while not self.ended and self.position < number:
            if most == 0:
                return False
            most = None if most is None else most - 1
            self._take()
            if self.hits(lines):
                break
        return True

    def hits(self, lines: Collection[int]) -> bool:
        """Whether a statement on one of these lines ran in the step that was taken last."""
        return any(pos.line in lines and not pos.file for pos in self.machine.reached)

    def check_line(self, line: int) -> int:
        """`line` itself, which has a statement.

        Raises:
            StepError: it has none; the message names the nearest line that has.
        """
        lines = {pos.line for pos in self.statements if not pos.file}
        if line not in lines:
            near = min(lines, key=lambda other: (abs(other - line), other))
            raise StepError(f"no statement begins on line {line} of {self.policy.name}; the nearest is on line {near}")
        return line

    # One step.

    def restart(self) -> None:
        """Go to the start."""
        self.machine = self.script.start()
        self.position = 0
        self.problem: str | None = None
        self.ended = False
        self.rows: list[Row] = []
        attached = snapshot(self.machine)
        self.state: Snapshot | None = attached
        """Of the machine, if it is known."""
        self.before: Snapshot = {
            **attached,
            "state": {state.name: state.init for state in self.policy.states},
            "tables": {table.name: {} for table in self.policy.tables},
        }
        """The state before the step that is shown."""
        self.shown: Step | None = Step(
            0, "attached", ran=self._ran(), changes=changes(self.machine, self.before, attached)
        )

    def rewind(self, number: int) -> None:
        """Go to a place before step `number` from which it can be taken, or to the start."""
        while self.kept and self.kept[-1][0] >= number:
            self.kept.pop()
        if number == 0 or not self.kept:
            self.restart()
            return
        self.position, kept = self.kept[-1]
        self.machine = _copy(kept)
        self.ended = False
        self.shown = self.state = None

    def _keep(self) -> None:
        """Keep a copy of the machine from time to time, so that to go back takes no longer than that."""
        latest = self.kept[-1][0] if self.kept else 0
        if self.position - latest >= max(KEPT_EVERY, self.machine.capacity):
            self.kept.append((self.position, _copy(self.machine)))

    def _take(self) -> None:
        """Let the next item happen."""
        self._keep()
        item = self.script.items[self.position]
        self.machine.records.clear()  # also so that copies of the machine stay small
        self.machine.reached.clear()
        self.position += 1
        self.shown = self.state = self.problem = None
        self.impossible = False
        try:
            match item:
                case Event():
                    apply(self.machine, item.row)
                case ir.Fill():
                    self.machine.fill(item.input, item.key, item.value)
                case ir.Expect():
                    self._expect(item)
        except StarvationError as error:  # the machine or the kernel falls back
            self.problem = str(error)
        except MachineError as error:
            self.ended = True
            self.impossible = isinstance(error, EventError)
            self.problem = f"{self.script.path}:{line_of(item)}: {error}" if self.impossible else str(error)
        self.rows = self.machine.records[1:]

    def _expect(self, item: ir.Expect) -> None:
        self.machine.pos = item.pos
        if not value(item.cond, Scope(self.machine, Call())):
            parts = [f"    {part} = {shown}" for part, shown in explain(item.cond, self.machine)]
            self.ended = True
            self.problem = "\n".join([f"{self.policy.path}:{item.pos.line}: expect {item.text}: it is false", *parts])

    def _describe(self, before: Snapshot) -> Step:
        item = self.script.items[self.position - 1]
        self.before, self.state = before, snapshot(self.machine)
        self.shown = Step(
            self.position,
            self._words(item) + (f" (line {line_of(item)})" if self.script.is_test else ""),
            [describe_row(row, self.machine.header) for row in self.rows],
            self._ran(),
            changes(self.machine, before, self.state),
            self._difference(item),
            self.problem,
            self.impossible,
        )
        return self.shown

    def _words(self, item: Event | ir.Fill | ir.Expect) -> str:
        match item:
            case Event():
                return describe_row(item.row, self.machine.header)
            case ir.Fill():
                return self._filled(item)
            case ir.Expect():
                return f"expect {item.text}"

    def _filled(self, item: ir.Fill) -> str:
        declaration = next(declaration for declaration in self.policy.inputs if declaration.name == item.input)
        _, key, text = show(declaration, item.key, item.value or 0)
        if item.value is None:
            return f"input {item.input} loses {key}"
        return f"input {item.input} gets {key}" + (f" = {text}" if declaration.value is not None else "")

    def _difference(self, item: Event | ir.Fill | ir.Expect) -> list[str] | None:
        if not isinstance(item, Event) or item.recorded is None or item.recorded == self.rows:
            return None
        return [describe_row(row, self.machine.header) for row in item.recorded]

    def _ran(self) -> list[ir.Pos]:
        return sorted(self.machine.reached, key=lambda pos: (pos.file, pos.line, pos.column))


def _copy(machine: Machine) -> Machine:
    """A machine of its own, with the same policy."""
    return copy.deepcopy(machine, {id(machine.policy): machine.policy})
