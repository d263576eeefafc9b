"""Searches for a scenario in which a policy breaks a property, and shrinks it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings

from cpol.compiler import ir
from cpol.runtime.check.scenario import CheckedMachine, Scenario, StarvationError, drain, perform, scenarios
from cpol.runtime.events import Log, Op
from cpol.runtime.interp import InvariantError, Machine, MachineError, PolicyError
from cpol.runtime.interp.replay import ReplayError, replay
from cpol.runtime.interp.snapshot import snapshot

PROPERTIES = {
    "invariants": "every invariant holds after every event",
    "total": "every handler is defined for whatever it meets, and added places each folio once",
    "progress": "an evict request proposes something while folios are owned; so repeated requests empty the cache",
    "determinism": "the same events bring about the same decisions",
}
"""What is checked, by name."""


@dataclass(frozen=True)
class Counterexample:
    """The machine where the property broke; its records are the events that lead there."""

    property: str
    message: str
    line: int
    """In the policy's file."""
    values: list[tuple[str, str]]
    """What the parts of an invariant are worth."""
    machine: Machine


@dataclass(frozen=True)
class Result:
    examples: int
    events: int
    """How many scenarios and events were tried."""
    counterexample: Counterexample | None
    unreached: list[int]
    """Lines with statements that never ran. Only a hint: a search is no proof."""


class DeterminismError(MachineError):
    pass


def check(policy: ir.Policy, max_examples: int = 200, seed: int = 0) -> Result:
    """Tries `max_examples` scenarios, and more to shrink one that fails. The same seed tries the same ones."""
    found: Counterexample | None = None
    examples = events = 0
    reached: set[ir.Pos] = set()

    @hypothesis.seed(seed)
    @settings(
        max_examples=max_examples,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(scenarios(policy))
    def holds(scenario: Scenario) -> None:
        nonlocal found, examples, events
        register: list[Machine] = []
        try:
            run(policy, scenario, register)
        except MachineError as error:
            found = counterexample(error, register[0])
            raise
        finally:
            examples += 1
            events += sum(not Op(row.op).is_decision for row in register[0].records)
            reached.update(register[0].reached)

    try:
        holds()
    except MachineError:
        assert found is not None  # that of the smallest scenario, which Hypothesis runs last
    unreached = {pos.line for pos in positions(policy)} - {pos.line for pos in reached}
    return Result(examples, events, found, sorted(unreached))


def run(policy: ir.Policy, scenario: Scenario, register: list[Machine]) -> None:
    """One scenario. Raises a MachineError when a property breaks; the machine is the first in `register`."""
    machine = CheckedMachine(register, policy, scenario.capacity, scenario.params, scenario.batch)
    for action in scenario.actions:
        perform(action, machine)
    drain(machine)
    try:
        again = replay(log_of(machine), policy)
    except (ReplayError, MachineError) as error:
        raise DeterminismError(str(error)) from None
    if snapshot(again) != snapshot(machine):
        raise DeterminismError("the same events led to two states")


def log_of(machine: Machine) -> Log:
    return Log(machine.header, machine.records, list(range(1, len(machine.records) + 1)))


def counterexample(error: MachineError, machine: Machine) -> Counterexample:
    line = machine.line
    values: list[tuple[str, str]] = []
    match error:
        case InvariantError():
            name = "invariants"
            values = error.values
        case StarvationError():
            name = "progress"
            line = machine.policy.handlers["evict"].pos.line
        case PolicyError():
            name = "total"
        case _:
            name = "determinism"
    return Counterexample(name, str(error), line, values, machine)


def check_log(log: Log, policy: ir.Policy, path: Path | str) -> Counterexample | None:
    """Replays a log and looks for what `check` looks for. Raises ReplayError, or MachineError for an impossible log."""
    register: list[Machine] = []
    try:
        replay(log, policy, path, partial(CheckedMachine, register))
    except (InvariantError, PolicyError, StarvationError) as error:
        return counterexample(error, register[0])
    return None


def positions(policy: ir.Policy) -> Iterator[ir.Pos]:
    """Of every statement."""

    def walk(body: Iterable[ir.Stmt]) -> Iterator[ir.Pos]:
        for statement in body:
            yield statement.pos
            if isinstance(statement, ir.If):
                yield from walk(statement.then)
                yield from walk(statement.orelse)
            elif isinstance(statement, ir.Scan):
                yield from walk(statement.body)

    for handler in policy.handlers.values():
        yield from walk(handler.body)
