"""Searches for a scenario in which a policy breaks a property, and shrinks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import get_args

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import Unsatisfiable

from cpol.compiler import ir
from cpol.runtime.check.audit import Audit, AuditError
from cpol.runtime.check.checked import CheckedMachine, StarvationError
from cpol.runtime.check.native import DisagreementError, Shadow
from cpol.runtime.check.scenario import MAX_CAPACITY, Scenario, drain, perform, scenarios
from cpol.runtime.check.traits import nodes
from cpol.runtime.events import Log, Op
from cpol.runtime.interp import InvariantError, Machine, MachineError, ParamError, PolicyError
from cpol.runtime.interp.replay import ReplayError, replay
from cpol.runtime.interp.snapshot import snapshot

PROPERTIES = {
    "invariants": "every invariant holds after every event",
    "total": "no handler breaks a rule, and `added` places or leaves each folio once",
    "progress": "each evict request proposes something while the policy owns folios, so requests empty the cache",
    "accounts": "no folio is lost, in two places, or removed twice",
    "determinism": "the same events lead to the same decisions",
    "native": "native code makes the same decisions as the interpreter, and has the same state",
}
"""The properties by name, and what they mean."""

MAX_ELEMENTS = 2**18
"""The most elements of tables: to save time, params that ask for more are not tried."""


@dataclass(frozen=True)
class Counterexample:
    """A property that a policy breaks, with a shortest scenario that was found."""

    property: str
    message: str
    line: int
    """The line in the policy's file."""
    values: list[tuple[str, str]]
    """The parts of an invariant, and their values."""
    machine: Machine
    """The machine that broke the property. Its records are the events that lead there."""


@dataclass(frozen=True)
class Result:
    """The outcome of a search."""

    examples: int
    events: int
    """The numbers of scenarios and events that were tried."""
    counterexample: Counterexample | None
    statements: list[ir.Pos]
    """All statements of the policy's handlers and periods, in the order of the text."""
    unreached: list[ir.Pos]
    """Those that never ran. This is only a hint, since a search proves nothing."""


class DeterminismError(MachineError):
    """The same events led to other decisions or another state."""


def check(
    policy: ir.Policy,
    max_examples: int = 200,
    seed: int = 0,
    native: bool = True,
    tried: Callable[[int, bool], None] = lambda examples, found: None,
) -> Result:
    """Try `max_examples` scenarios, and more to shrink one that fails. The same seed tries the same scenarios.

    Args:
        native: whether to compare native code with the interpreter.
        tried: called before each scenario, with the number of scenarios so far, and whether one has failed (this one is
            then an attempt to shrink it).

    Raises:
        ToolError: the policy cannot be compiled to native code.
        ParamError: the policy cannot attach to so small a cache, with its defaults or with any params that were tried.
    """
    Machine(replace(policy, invariants=(), handlers={}), MAX_CAPACITY)  # raises ParamError for the defaults
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
        tried(examples, found is not None)
        try:
            run(policy, scenario, register, native)
        except ParamError:
            hypothesis.reject()
        except MachineError as error:
            found = counterexample(error, register[0])
            raise
        finally:
            reached.update(register[0].reached)
        examples += 1
        events += sum(not Op(row.op).is_decision for row in register[0].records)

    try:
        holds()
    except MachineError:
        assert found is not None  # from the smallest scenario, which Hypothesis runs last
    except Unsatisfiable:
        raise ParamError(f"policy {policy.name}: no values of its params were found with which it attaches") from None
    statements = sorted(set(positions(policy)), key=lambda pos: (pos.line, pos.column))
    return Result(examples, events, found, statements, [pos for pos in statements if pos not in reached])


def run(policy: ir.Policy, scenario: Scenario, register: list[Machine], native: bool = True) -> None:
    """Run one scenario. Its machine becomes the first in `register`.

    Raises:
        ParamError: the policy cannot attach with these settings.
        MachineError: the policy breaks a property.
    """
    machine = CheckedMachine(
        register, policy, scenario.capacity, scenario.params, scenario.batch, scenario.seed, scenario.inputs
    )
    if sum(len(table.elements) for table in machine.tables.values()) > MAX_ELEMENTS:
        raise ParamError(f"tables of more than {MAX_ELEMENTS} elements are not tried")
    shadow = Shadow(machine) if native else None
    audit = Audit()
    for action in scenario.actions:
        perform(action, machine)
    audit.follow(machine)
    if shadow is not None:
        shadow.follow()
    drain(machine)
    audit.follow(machine)
    if shadow is not None:
        shadow.follow()
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
        case AuditError():
            name = "accounts"
        case DisagreementError():
            name = "native"
        case _:
            name = "determinism"
    return Counterexample(name, str(error), line, values, machine)


def check_log(log: Log, policy: ir.Policy, path: Path | str, native: bool = True) -> Counterexample | None:
    """Replay a log, and check the properties of `check`.

    Raises:
        ReplayError: the log does not fit the policy.
        MachineError: an event of the log cannot happen.
    """
    register: list[Machine] = []
    try:
        machine = replay(log, policy, path, partial(CheckedMachine, register))
        Audit().follow(machine)
        if native:
            Shadow(machine).follow()
    except (InvariantError, PolicyError, StarvationError, AuditError, DisagreementError) as error:
        return counterexample(error, register[0])
    return None


def positions(policy: ir.Policy) -> Iterator[ir.Pos]:
    """The position of every statement."""
    bodies = [handler.body for handler in policy.handlers.values()] + [every.body for every in policy.everies]
    return (part.pos for part in nodes(bodies) if isinstance(part, get_args(ir.Stmt)))
