"""Runs a trace of requests, with the ticks that its times imply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cpol.compiler.ir import walk
from cpol.runtime.interp.machine import Machine
from cpol.runtime.settings.assumed import NOTHING, Assumed


def run_trace(
    machine: Machine,
    ids: Iterable[int],
    times: Sequence[int] | None = None,
    tasks: Sequence[int] | None = None,
    first: int = 0,
    assumed: Assumed = NOTHING,
) -> None:
    """Request each id in turn.

    Args:
        times: the time of each request, in milliseconds since the first.
        tasks: the thread of each request.
        first: the number of requests that came before these.
        assumed: what the trace does not say.

    Raises:
        MachineError: the policy is broken.
    """
    by_time = walk.uses_time(machine.policy)
    for number, id in enumerate(ids):
        task = tasks[number] if tasks is not None else assumed.thread, assumed.process
        if machine.task != task:
            machine.set_task(*task)
        ms = times[number] if times is not None else assumed.ms(first + number)
        if by_time and ms > machine.ms:
            machine.tick(ms)
        machine.request(assumed.file, id)
