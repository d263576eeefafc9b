"""Scenarios made from the tests of a policy. They reach what its author thought of, so a search begins with them."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler import ir
from cpol.compiler.comm import UNKNOWN
from cpol.compiler.vocabulary.folio import DIRTY
from cpol.runtime.explore.check.scenario import (
    Action,
    Ask,
    Become,
    Delete,
    GoOut,
    Grow,
    Happen,
    Open,
    Pass,
    Pressure,
    Readahead,
    Request,
    Scenario,
    Settle,
    Switch,
    Touch,
    Turn,
)
from cpol.runtime.explore.check.steps import faults, out_of, range_of, request
from cpol.runtime.machine.settings.inputs import Setting, show


def policy_seeds(policy: ir.Policy) -> list[Scenario]:
    """One scenario a test. What the tests expect is left out: `cpolc test` holds the policy to it."""
    return [
        Scenario(
            test.capacity,
            test.batch,
            {param.name: param.default for param in policy.params} | dict(test.params),
            list(_actions(test)),
            test.seed,
            tuple(_settings(policy, test)),
        )
        for test in policy.tests
    ]


def _actions(test: ir.Test) -> Iterator[Action]:
    task, writes, ms, device, cgroup = (0, UNKNOWN), False, 0, 0, 0
    for step in test.steps:
        match step:
            case ir.Access():
                if (step.task, step.comm) != task:
                    task = step.task, step.comm
                    yield Switch(step.task, step.task, step.comm)
                if step.write != writes:
                    writes = step.write
                    yield Turn(writes)
                for file, key in step.folios:
                    if step.ahead or step.pages > 1:
                        yield Readahead(key, step.pages, file)
                    if not step.ahead:
                        yield Request(key, file)
                    if step.write:
                        yield Become(key, 0, DIRTY, file)
            case ir.Remove():
                for file, key in step.folios:
                    yield Delete(key, file)
            case ir.Reclaim():
                yield Pressure(step.pages, 0)  # which proposals are refused, the search chooses
            case ir.Room():
                yield Grow(step.pages)
            case ir.Mark():
                for file, key in step.folios:
                    yield Become(key, step.off, step.on, file)
            case ir.Settle(what, number):
                device, cgroup = (number, cgroup) if what == "device" else (device, number)
                yield Settle(device, cgroup)
            case ir.Readers(file, readers):
                yield Open(file, readers)
            case ir.Tick():
                yield Pass(step.ms - ms)
                ms = step.ms
            case ir.Fault() | ir.Request() | ir.Range() | ir.Out():
                if (step.task, step.comm) != task:
                    task = step.task, step.comm
                    yield Switch(step.task, step.task, step.comm)
                if isinstance(step, ir.Request):
                    yield Ask(request(step, test.around, device))
                elif isinstance(step, ir.Out):
                    yield GoOut(out_of(step, test.around))
                elif isinstance(step, ir.Range):
                    yield Happen(range_of(step, test.around, device))
                else:
                    yield from (Touch(fault) for fault in faults(step, test.around, device))
            case ir.Fill() | ir.Expect():
                pass


def _settings(policy: ir.Policy, test: ir.Test) -> Iterator[Setting]:
    """What inputs hold from the start: in a log they cannot change later."""
    inputs = {declaration.name: declaration for declaration in policy.inputs}
    for step in test.steps:
        if isinstance(step, ir.Fill) and step.value is not None:
            yield show(inputs[step.input], step.key, step.value)
