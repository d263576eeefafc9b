"""Runs the `test` blocks of a policy in the interpreter and, in step with it, in the native executor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from cpol.compiler import ir
from cpol.compiler.vocabulary.folio import DIRTY, WRITEBACK
from cpol.runtime.explore.check.steps import faults, out_of, range_of, read_ahead, request
from cpol.runtime.machine.errors import SimulationError
from cpol.runtime.machine.interp import DELETED, EVICTED, InvariantError, Machine, MachineError
from cpol.runtime.machine.interp.eval import value
from cpol.runtime.machine.interp.explain import explain
from cpol.runtime.machine.interp.scope import Scope
from cpol.runtime.machine.interp.snapshot import describe
from cpol.runtime.machine.interp.state import Call

if TYPE_CHECKING:
    from cpol.runtime.explore.check.native import Shadow

ByTask: TypeAlias = ir.Access | ir.Fault | ir.Request | ir.Range | ir.Out
"""Steps that name a task."""


@dataclass(frozen=True)
class Failure:
    """Why a test fails, and where."""

    pos: ir.Pos
    message: str
    """What is wrong; for an `expect`, its condition."""
    values: list[tuple[str, str]] = field(default_factory=list)
    """The parts of the condition, and their values."""
    expected: bool = False
    """Whether an `expect` failed. Else the policy breaks an invariant or a rule, or the executors differ."""
    cache: list[str] = field(default_factory=list)
    """The state at that moment, as lines of text."""


def run_test(policy: ir.Policy, test: ir.Test, native: bool = True) -> Failure | None:
    """Run one test; None: it passes.

    Args:
        native: whether to run it as native code, too, which has to agree.

    Raises:
        ToolError: the policy cannot be compiled to native code.
    """
    pos = test.pos
    machine = None
    try:
        machine = Machine(policy, test.capacity, dict(test.params), test.batch, test.seed)
        machine.around = test.around
        shadow = _shadow(machine) if native else None
        if shadow is not None:
            shadow.compare()
        for step in test.steps:
            pos = step.pos
            failure = take(step, machine, shadow)
            if failure is not None:
                return failure
        if shadow is not None:
            shadow.compare()
    except InvariantError as error:
        message = f"{error.where}: invariant does not hold: {error.text}"
        return Failure(pos, message, error.values, cache=describe(machine) if machine else [])
    except (MachineError, SimulationError) as error:
        return Failure(pos, str(error), cache=describe(machine) if machine else [])
    return None


def _shadow(machine: Machine) -> Shadow:
    """Native code is imported for who runs it: the playground has no compiler, and the interpreter alone is small."""
    from cpol.runtime.explore.check.native import Shadow

    return Shadow(machine)


def take(step: ir.Step, machine: Machine, shadow: Shadow | None) -> Failure | None:
    """Run one step of a test in both executors, or in the interpreter alone."""
    if isinstance(step, ir.Expect):
        return expected(step, machine)
    if isinstance(step, ByTask) and set_task(step, machine) and shadow is not None:
        shadow.follow(final=False)
    perform(step, machine)
    if shadow is None:
        return None
    match step:
        case ir.Access(pages=1, ahead=False):
            for name in step.folios:
                shadow.simulator.request(*name)
                if step.write:
                    shadow.simulator.wrote(*name)
            shadow.compare(final=False)
        case ir.Fill():
            shadow.simulator.fill(step.input, step.key, step.value)
        case _:
            shadow.follow(final=False)
    return None


def perform(
    step: ByTask | ir.Remove | ir.Reclaim | ir.Room | ir.Mark | ir.Settle | ir.Readers | ir.Tick | ir.Fill,
    machine: Machine,
) -> None:
    """Do in the interpreter what the step does.

    Raises:
        MachineError: the policy is broken, or what the step says cannot happen.
    """
    match step:
        case ir.Access():
            set_task(step, machine)
            for name in step.folios:
                if step.ahead or step.pages > 1:
                    read_ahead(machine, *name, step.pages)
                if not step.ahead and (step.pages == 1 or name in machine.cache):  # the policy may have refused it
                    machine.request(*name)
                    if step.write:
                        machine.wrote(*name)
        case ir.Remove():
            for name in step.folios:
                machine.removed(*name, DELETED)
        case ir.Reclaim():
            reclaim(machine, step)
        case ir.Room():
            machine.room(step.pages)
        case ir.Mark():
            for name in step.folios:
                flags = machine.cache[name].flags if name in machine.cache else 0
                machine.set_flags(*name, flags & ~step.off | step.on)
        case ir.Settle():
            settle(step, machine)
        case ir.Readers():
            machine.set_readers(step.file, step.readers)
        case ir.Tick():
            machine.tick(step.ms)
            machine.reclaim()
        case ir.Fill():
            machine.fill(step.input, step.key, step.value)
        case ir.Fault():
            set_task(step, machine)
            for fault in faults(step, machine.around, machine.origin[0]):
                machine.fault(fault)
                if not fault.cached:
                    machine.prefetch(fault)
        case ir.Request():
            set_task(step, machine)
            machine.readahead(request(step, machine.around, machine.origin[0]))
        case ir.Range():
            set_task(step, machine)
            machine.happened(range_of(step, machine.around, machine.origin[0]))
        case ir.Out():
            set_task(step, machine)
            machine.goes_out(out_of(step, machine.around))


def set_task(step: ByTask, machine: Machine) -> bool:
    """Set the task that causes the step, and whether it writes. Returns whether that differs from before."""
    changes = machine.task != (step.task, step.task, step.comm)
    if changes:
        machine.set_task(step.task, step.task, step.comm)
    if not isinstance(step, ir.Access) or not machine.asks_writes or machine.writes == step.write:
        return changes
    machine.set_writes(step.write)
    return True


def settle(step: ir.Settle, machine: Machine) -> None:
    """Set one part of where folios come from."""
    device, cgroup = machine.origin
    if step.what == "device":
        machine.set_origin(step.number, cgroup)
    else:
        machine.set_origin(device, step.number)


def reclaim(machine: Machine, step: ir.Reclaim) -> None:
    """Ask the policy once. What it proposes goes, unless it is busy, dirty or under writeback."""
    for folio in machine.evict(step.pages):
        if folio.name in step.busy or folio.flags & (DIRTY | WRITEBACK):
            machine.refused(*folio.name)
        else:
            machine.removed(*folio.name, EVICTED)


def expected(step: ir.Expect, machine: Machine) -> Failure | None:
    """Evaluate an `expect` in the interpreter. The native executor has the same state, so it need not be asked."""
    machine.pos = step.pos
    if value(step.cond, Scope(machine, Call())):
        return None
    return Failure(step.pos, f"expect {step.text}", explain(step.cond, machine), True, describe(machine))
