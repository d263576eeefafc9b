"""`cpolc sim --check`: the invariants of policies on a whole trace, in the interpreter."""

from __future__ import annotations

from collections.abc import Callable

from cpol.cli.messages import say
from cpol.compiler.ir import Policy
from cpol.runtime.check.describe import describe_row
from cpol.runtime.errors import InvariantError
from cpol.runtime.events import Op
from cpol.runtime.interp import Machine, run_trace
from cpol.runtime.settings.assumed import Assumed
from cpol.runtime.traces import Trace


def holds(machine: Machine, trace: Trace, assumed: Assumed, show: Callable[[str], None]) -> bool:
    """Run the trace, and tell the first event after which an invariant does not hold, on standard error.

    `show` shows the progress. The machine keeps the events of the last request only.

    Raises:
        MachineError: the policy breaks a rule.
    """
    policy = machine.policy
    if not policy.invariants:
        say(
            f"{policy.name} has no invariant: --check has nothing to hold; write `invariant COND` in the policy", "note"
        )
        return True
    for number in range(len(trace.ids)):
        show(f"checking {policy.name}, {machine.capacity:,} pages: request {number + 1:,} of {len(trace.ids):,}")
        machine.records.clear()
        try:
            run_trace(machine, trace.part(number, number + 1), number, assumed)
        except InvariantError as error:
            say(broken(machine, number, trace, error), "error")
            return False
    say(f"{policy.name}, {machine.capacity:,} pages: {held(policy)} after every event of the trace", "note")
    return True


def held(policy: Policy) -> str:
    count = len(policy.invariants)
    return "its invariant holds" if count == 1 else f"its {count} invariants hold"


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
        f"`cpolc check {policy.path}` looks for a short example{values}"
    )
