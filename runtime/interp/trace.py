"""Runs a trace of requests, with the ticks that its times imply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cpol.compiler.ir import walk
from cpol.runtime.interp.machine import Machine

REQUESTS_A_MS = 100
"""Requests per millisecond in a trace without times."""


def run_trace(
    machine: Machine,
    ids: Iterable[int],
    times: Sequence[int] | None = None,
    tasks: Sequence[int] | None = None,
    first: int = 0,
) -> None:
    """Request each id in turn.

    Args:
        times: the time of each request, in milliseconds since the first.
        tasks: the thread of each request.
        first: the number of requests that came before these.

    Raises:
        MachineError: the policy is broken.
    """
    by_time = walk.uses_time(machine.policy)
    for number, id in enumerate(ids):
        if tasks is not None and machine.task != (tasks[number], 0):
            machine.set_task(tasks[number], 0)
        ms = times[number] if times is not None else (first + number) // REQUESTS_A_MS
        if by_time and ms > machine.ms:
            machine.tick(ms)
        machine.request(0, id)
