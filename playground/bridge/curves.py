"""Misses by capacity: of policies in the interpreter, and of Belady's optimal policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any

from cpol.compiler import ir
from cpol.errors import RequestError
from cpol.runtime.machine.interp import Given, Machine, run_trace

STRETCH = 250
"""Requests between two tellings of how far a run is. A page that hears nothing for long ends the run."""

MOST_CAPACITIES = 24


def capacities(asked: Sequence[Any], pages: Sequence[int]) -> list[int]:
    """The capacities that are asked for; if there are none, eight up to the number of different pages.

    Raises:
        RequestError: one is no number of pages, or there are too many.
    """
    if len(asked) > MOST_CAPACITIES:
        raise RequestError(f"capacities: write at most {MOST_CAPACITIES}")
    if any(isinstance(each, bool) or not isinstance(each, int) or not 1 <= each <= 1_000_000 for each in asked):
        raise RequestError("capacities: write whole numbers of pages from 1 to 1,000,000")
    different = len(set(pages))
    return sorted(set(asked)) or sorted({max(1, different * step // 8) for step in range(1, 9)})


def misses(
    policy: ir.Policy, pages: Sequence[int], capacity: int, params: dict[str, str], tell: Callable[[int], None]
) -> int:
    """Run a trace. `tell` hears how many requests are done.

    Raises:
        MachineError: the policy is broken, or cannot attach.
    """
    machine = Machine(policy, capacity, params)
    for first in range(0, len(pages), STRETCH):
        run_trace(machine, Given(pages[first : first + STRETCH]), first)
        machine.records.clear()
        tell(min(len(pages), first + STRETCH))
    return machine.misses


def optimal(pages: Sequence[int], capacity: int) -> int:
    """Misses of the policy that evicts what is read again last."""
    following = [len(pages)] * len(pages)
    seen: dict[int, int] = {}
    for number, page in enumerate(pages):
        if page in seen:
            following[seen[page]] = number
        seen[page] = number
    cached: dict[int, int] = {}
    heap: list[tuple[int, int]] = []
    missed = 0
    for number, page in enumerate(pages):
        if page not in cached:
            missed += 1
            while len(cached) >= capacity:
                when, victim = heappop(heap)
                if cached.get(victim) == -when:
                    del cached[victim]
        cached[page] = following[number]
        heappush(heap, (-following[number], page))
    return missed


def grows(points: Sequence[int]) -> bool:
    """Whether more room brings more misses somewhere: Belady's anomaly."""
    return any(less < more for less, more in pairwise(points))
