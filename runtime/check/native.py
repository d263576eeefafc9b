"""Compares native code with the interpreter: every decision, and all state."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from cpol.runtime.check.describe import describe_row
from cpol.runtime.events import Op, Row
from cpol.runtime.interp import Machine, MachineError
from cpol.runtime.interp.snapshot import snapshot
from cpol.runtime.native import EventSimulator, SimulationError


class DisagreementError(MachineError):
    """Native code and the interpreter differ. One of them is wrong, not the policy; please report it."""


class Shadow:
    """Runs a machine's policy in the native executor. It must be made before the machine's first event."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.simulator = EventSimulator(
            machine.policy,
            machine.capacity,
            machine.params,
            machine.batch,
            machine.seed,
            machine.settings,
        )

    def follow(self) -> None:
        """Repeat the machine's events since the last call, then compare.

        Raises:
            DisagreementError: the executors differ.
        """
        known = sum(not Op(row.op).is_decision for row in self.simulator.log)
        events = [row for row in self.machine.records if not Op(row.op).is_decision]
        for row in events[known:]:
            try:
                self.simulator.event(row)
            except SimulationError as error:
                shown = describe_row(row, self.machine.header)
                raise DisagreementError(
                    f"native code refuses '{shown}', which the interpreter allows: {error}"
                ) from None
        self.compare()

    def compare(self) -> None:
        """Compare logs and states.

        Raises:
            DisagreementError: they differ.
        """
        machine = self.machine
        difference = first_difference(machine.records, self.simulator.log)
        if difference is not None:
            interpreter, native = (
                "nothing" if row is None else describe_row(row, machine.header) for row in difference[1:]
            )
            raise DisagreementError(
                f"decisions differ: line {difference[0] + 1} of the event log is '{interpreter}' in the interpreter, "
                f"'{native}' in native code"
            )
        ours, theirs = snapshot(machine), native_state(self.simulator, machine)
        for part, state in theirs.items():
            if ours[part] != state:
                raise DisagreementError(
                    f"decisions agree, but not the {part}: {ours[part]} in the interpreter, {state} in native code"
                )


def first_difference(ours: Sequence[Row], theirs: Sequence[Row]) -> tuple[int, Row | None, Row | None] | None:
    """The number of the first row that differs, and both rows; None: the logs are equal."""
    pairs = enumerate(zip_longest(ours, theirs))
    return next(((number, our, their) for number, (our, their) in pairs if our != their), None)


def native_state(simulator: EventSimulator, machine: Machine) -> dict[str, Any]:
    """The parts of the state that native code dumps, in the form of `snapshot`."""
    dump = simulator.dump()
    return {
        "lists": {
            label: [vars(folio) for folio in folios]
            for label, folios in dump.lists.items()
            if folios or "." not in label
        },
        "ghosts": {
            name: [[*entry, *record.values()] for entry, record in zip(entries, dump.records[name], strict=True)]
            for name, entries in dump.ghosts.items()
        },
        "left": [list(folio) for folio in dump.left],
        "state": dump.state,
        "tables": dump.tables,
    }
