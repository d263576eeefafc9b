"""`cpolc sim --check`: the invariants of policies on a whole trace.

Native code looks for the request; the interpreter runs the trace up to there, and tells event and values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from shlex import quote
from typing import NamedTuple

from cpol.compiler.ir import CacheAttr, Policy, walk
from cpol.errors import UserError
from cpol.runtime.explore.check.describe import describe_row
from cpol.runtime.machine.errors import InvariantError
from cpol.runtime.machine.events import Op
from cpol.runtime.machine.interp import Machine, run_trace
from cpol.runtime.machine.settings.assumed import Assumed
from cpol.runtime.simulate.runs.evict import Setup
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Trace


class Finding(NamedTuple):
    """What a run found: all invariants hold, or the first event after which one does not."""

    holds: bool
    text: str


def check(setups: list[Setup], trace: Trace, sizes: list[int], show: Callable[[str], None]) -> Iterator[Finding]:
    """Run each policy with each capacity. `show` shows the progress. Raises as `find`."""
    for setup in setups:
        for size in sizes:
            machine = Machine(setup.policy, size, setup.params, setup.batch, setup.seed, setup.inputs)
            simulator = setup.simulator(trace, size, checks=True)
            yield find(machine, simulator, trace, setup.assumed, show)


def find(
    machine: Machine, simulator: Simulator, trace: Trace, assumed: Assumed, show: Callable[[str], None]
) -> Finding:
    """Run the trace. `simulator` checks invariants. The machine keeps the events of the last request only.

    Raises:
        MachineError: the policy breaks a rule.
        UserError: the two executors disagree.
    """
    policy = machine.policy
    if not policy.invariants:
        return Finding(
            True, f"{policy.name} has no invariant: --check has nothing to hold; write `invariant COND` in the policy"
        )
    requests = len(trace.ids)
    if not only_invariants_read_time(policy):
        show(f"checking {policy.name}, {machine.capacity:,} pages")
        counts = simulator.run(trace)
        requests = trace.position(counts.requests + 1)
        if simulator.broken is None:
            return held(machine)
    for number in range(requests):
        show(f"checking {policy.name}, {machine.capacity:,} pages: request {number + 1:,} of {requests:,}")
        machine.records.clear()
        try:
            run_trace(machine, trace.part(number, number + 1), number, assumed)
        except InvariantError as error:
            return Finding(False, broken(machine, number, trace, error))
    if simulator.broken is not None:
        raise UserError(
            f"in native code the invariant `{simulator.broken.text}` of {policy.name} does not hold after request "
            f"{requests:,}, but it does in the interpreter; this is a defect of cpol, please report it"
        )
    return held(machine)


def only_invariants_read_time(policy: Policy) -> bool:
    """Then a trace drives no ticks, and the time that the simulator has is not the interpreter's."""
    read = (part for each in policy.invariants for part in walk.walk(each.cond))
    return not walk.uses_time(policy) and any(isinstance(part, CacheAttr) and part.attr == "time" for part in read)


def held(machine: Machine) -> Finding:
    policy = machine.policy
    count = len(policy.invariants)
    which = "its invariant holds" if count == 1 else f"its {count} invariants hold"
    return Finding(True, f"{policy.name}, {machine.capacity:,} pages: {which} after every event of the trace")


def broken(machine: Machine, number: int, trace: Trace, error: InvariantError) -> str:
    """Where, what, at which event, and the values."""
    policy = machine.policy
    pos = next(each.pos for each in policy.invariants if f"{policy.path}:{each.pos.line}" == error.where)
    event = next(row for row in reversed(machine.records) if not Op(row.op).is_decision)
    values = "".join(f"\n    {name} = {value}" for name, value in error.values)
    place = f"request {number + 1:,} of {trace.path} ({describe_row(event, machine.header)})"
    return (
        f"{policy.path}:{pos.line}:{pos.column}: the invariant `{error.text}` does not hold "
        f"at {machine.capacity:,} pages, after {place}; "
        f"`cpolc check {quote(policy.path)}` looks for a short example{values}"
    )
