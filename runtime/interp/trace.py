"""A trace of requests, and the ticks that it drives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cpol.runtime.interp.machine import Machine

REQUESTS_A_MS = 100
"""How fast a trace without times is taken to be."""


def run_trace(
    machine: Machine,
    ids: Iterable[int],
    times: Sequence[int] | None = None,
    tasks: Sequence[int] | None = None,
    first: int = 0,
) -> None:
    """Each id is a request; `times` are theirs, in milliseconds, `tasks` the threads that make them.

    `first`: how many requests came before these.
    """
    by_time = any(every.unit == "ms" for every in machine.policy.everies)
    for number, id in enumerate(ids):
        if tasks is not None and machine.task != (tasks[number], 0):
            machine.set_task(tasks[number], 0)
        ms = times[number] if times is not None else (first + number) // REQUESTS_A_MS
        if by_time and ms > machine.ms:
            machine.tick(ms)
        machine.request(0, id)
