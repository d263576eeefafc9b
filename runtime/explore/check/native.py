"""Compares native code with the interpreter: every decision, and all state."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from cpol.runtime.explore.check.describe import describe_row
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.events.prefetch import Decided
from cpol.runtime.machine.interp import Machine, MachineError
from cpol.runtime.machine.interp.snapshot import snapshot
from cpol.runtime.machine.native import EventSimulator, SimulationError


class DisagreementError(MachineError):
    """Native code and the interpreter differ. One of them is wrong, not the policy; please report it."""


FREE = 1 << 16
"""Items of states that are compared before the cost of comparing them counts."""


def differing(interpreter: Decided, native: Decided) -> str:
    """The counts that differ, as text."""
    pairs = [(name, getattr(interpreter, name), getattr(native, name)) for name in Decided.__dataclass_fields__]
    different = [
        f"{name} is {ours} in the interpreter, {theirs} in native code"
        for name, ours, theirs in pairs
        if ours != theirs
    ]
    return "; ".join(different)


class Shadow:
    """Runs a machine's policy in the native executor. It must be made before the machine's first event."""

    def __init__(self, machine: Machine, code: str | None = None) -> None:
        """`code`: the C text of the policy, if it is known."""
        self.machine = machine
        self.rows = 0
        """Rows of the log that were compared."""
        self.items = 0
        """Items of all states that were compared."""
        self.simulator = EventSimulator(
            machine.policy,
            machine.capacity,
            machine.params,
            machine.batch,
            machine.seed,
            machine.settings,
            code,
        )

    def follow(self, final: bool = True) -> None:
        """Repeat the machine's events since the last comparison, then compare.

        Raises:
            DisagreementError: the executors differ.
        """
        for row in self.machine.records[self.rows :]:
            if Op(row.op).is_decision:
                continue
            try:
                self.simulator.event(row)
            except SimulationError as error:
                shown = describe_row(row, self.machine.header)
                raise DisagreementError(
                    f"native code refuses '{shown}', which the interpreter allows: {error}"
                ) from None
        self.compare(final)

    def compare(self, final: bool = True) -> None:
        """Compare what the logs have since the last comparison, and the states.

        If it is not `final` and the states are large, it may leave them to a later call. So many steps on a large
        cache take time in proportion to both, and not to their product.

        Raises:
            DisagreementError: they differ.
        """
        machine = self.machine
        new = machine.records[self.rows :]
        difference = first_difference(new, self.simulator.take_log())
        if difference is not None:
            interpreter, native = (
                "nothing" if row is None else describe_row(row, machine.header) for row in difference[1:]
            )
            raise DisagreementError(
                f"decisions differ: line {self.rows + difference[0] + 1} of the event log is '{interpreter}' in the "
                f"interpreter, '{native}' in native code"
            )
        if machine.decided != self.simulator.decided:
            differ = differing(machine.decided, self.simulator.decided)
            raise DisagreementError(f"decisions agree, but not their counts: {differ}")
        self.rows += len(new)
        if final or self.items < FREE + self.rows:
            self._compare_states()

    def _compare_states(self) -> None:
        ours, theirs = snapshot(self.machine), native_state(self.simulator, self.machine)
        parts = [part for group in ("lists", "ghosts", "tables") for part in theirs[group].values()]
        self.items += 1 + len(theirs["left"]) + sum(map(len, parts))
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
        "pins": {
            "folios": [list(name) for name in dump.pins.folios],
            "pages": dump.pins.pages,
            "refused": dump.pins.refused,
            "kept": dump.pins.kept,
            "overruled": dump.pins.overruled,
        },
        "keeps": vars(dump.keeps),
    }
