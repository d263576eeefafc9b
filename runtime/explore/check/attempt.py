"""Runs one scenario or event log, and says which property the policy breaks there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cpol.compiler import ir
from cpol.runtime.explore.check.audit import Audit, AuditError
from cpol.runtime.explore.check.budget import LIMIT, TOLD
from cpol.runtime.explore.check.checked import CheckedMachine, StarvationError
from cpol.runtime.explore.check.idle import Loops
from cpol.runtime.explore.check.native import DisagreementError, Shadow
from cpol.runtime.explore.check.scenario import Scenario, drain, perform
from cpol.runtime.machine.events import Log
from cpol.runtime.machine.interp import InvariantError, Machine, MachineError, ParamError, PolicyError
from cpol.runtime.machine.interp.replay import ReplayError, replay
from cpol.runtime.machine.interp.snapshot import snapshot

PROPERTIES = {
    "invariants": "every invariant holds after every event",
    "total": "no handler breaks a rule, and `added` places or leaves each folio once",
    "progress": "each evict request proposes something while the policy owns folios that are not pinned",
    "accounts": "no folio is lost, in two places, or removed twice",
    "determinism": "the same events lead to the same decisions",
    "native": "native code makes the same decisions as the interpreter, and has the same state",
}
"""The properties by name, and what they mean."""


@dataclass(frozen=True)
class Counterexample:
    """A property that a policy breaks, with a shortest scenario that was found."""

    property: str
    message: str
    pos: ir.Pos
    values: list[tuple[str, str]]
    """The parts of an invariant, and their values."""
    machine: Machine
    """The machine that broke the property. Its records are the events that lead there."""


class DeterminismError(MachineError):
    """The same events led to other decisions or another state."""


def run(
    policy: ir.Policy,
    scenario: Scenario,
    register: list[CheckedMachine],
    loops: Loops,
    native: bool = True,
    code: str | None = None,
    again: Callable[[int], bool] = lambda statements: True,
    fits: Callable[[Machine], bool] = lambda machine: True,
    limit: int = LIMIT,
    told: Callable[[int], None] = lambda done: None,
) -> None:
    """Run one scenario. Its machine becomes the first in `register`.

    Args:
        code: the C text of the policy, if it is known.
        again: whether to run an event log of so many statements once more, and to compare.
        fits: whether a machine with these settings is to run at all.
        limit: the most statements.
        told: called now and then with the number of actions that are done.

    Raises:
        LimitReached: it takes more statements.
        ParamError: the policy cannot attach with these settings.
        MachineError: the policy breaks a property.
    """
    machine = CheckedMachine(
        register,
        policy,
        scenario.capacity,
        scenario.params,
        scenario.batch,
        scenario.seed,
        scenario.inputs,
        limit=limit,
        loops=loops,
    )
    if not fits(machine):
        raise ParamError("so many elements of tables, or lists, are not tried")
    shadow = Shadow(machine, code) if native else None
    audit = Audit()
    for done, action in enumerate(scenario.actions):
        if done % TOLD == TOLD - 1:
            told(done)
        perform(action, machine)
    audit.follow(machine)
    if shadow is not None:
        shadow.follow()
    drain(machine)
    audit.follow(machine)
    if shadow is not None:
        shadow.follow()
    if not again(machine.ran.count):
        return
    try:
        repeated = replay(log_of(machine), policy, make=partial(CheckedMachine, [], loops=loops))
    except (ReplayError, MachineError) as error:
        raise DeterminismError(str(error)) from None
    if snapshot(repeated) != snapshot(machine):
        raise DeterminismError("the same events led to two states")


def elements(machine: Machine) -> int:
    """Elements of all tables."""
    return sum(map(len, machine.tables.values()))


def log_of(machine: Machine) -> Log:
    return Log(machine.header, machine.records, list(range(1, len(machine.records) + 1)))


def counterexample(error: MachineError, machine: Machine) -> Counterexample:
    pos = machine.pos
    values: list[tuple[str, str]] = []
    match error:
        case InvariantError():
            name = "invariants"
            values = error.values
        case StarvationError():
            name = "progress"
            pos = machine.policy.handlers["evict"].pos
        case PolicyError():
            name = "total"
        case AuditError():
            name = "accounts"
        case DisagreementError():
            name = "native"
        case _:
            name = "determinism"
    return Counterexample(name, str(error), pos, values, machine)


def check_log(log: Log, policy: ir.Policy, path: Path | str, native: bool = True) -> Counterexample | None:
    """Replay a log, and check the properties of `check`.

    Raises:
        ReplayError: the log does not fit the policy.
        MachineError: an event of the log cannot happen.
    """
    register: list[CheckedMachine] = []
    try:
        machine = replay(log, policy, path, partial(CheckedMachine, register))
        Audit().follow(machine)
        if native:
            Shadow(machine).follow()
    except (InvariantError, PolicyError, StarvationError, AuditError, DisagreementError) as error:
        return counterexample(error, register[0])
    return None
