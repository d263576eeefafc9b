"""Misses by capacity: of policies in the interpreter, and of Belady's optimal policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any

from bridge.native import Native
from cpol.compiler import ir
from cpol.errors import RequestError
from cpol.runtime.machine.interp import Given, Machine, run_trace

STRETCH = 250
"""Requests between two tellings of how far a run is. A page that hears nothing for long ends the run."""

MOST_CAPACITIES = 24

TOO_LARGE = RequestError("the browser has too little memory for this: write smaller numbers")


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


@dataclass(frozen=True)
class Candidate:
    """A policy with its params."""

    label: str
    policy: ir.Policy
    params: dict[str, str]
    stdlib: str | None
    """Its name in the standard library, if its text is unchanged."""


class Runs:
    """Runs of one trace: native code where there is some, else the interpreter."""

    def __init__(self, pages: Sequence[int], native: Native | None) -> None:
        self._pages = pages
        self._native = native

    @property
    def rate(self) -> float | None:
        """Requests a second of native code; None: there was none."""
        return self._native.rate if self._native else None

    def is_native(self, candidate: Candidate) -> bool:
        return self._native is not None and candidate.stdlib is not None

    def misses(self, candidate: Candidate, capacity: int, tell: Callable[[int], None]) -> int:
        """Run a policy. `tell` hears how many requests are done.

        Raises:
            MachineError: the policy is broken, or cannot attach.
            RequestError: the browser has too little memory.
        """
        policy, params = candidate.policy, candidate.params
        if self._native is None or candidate.stdlib is None:
            return misses(policy, self._pages, capacity, params, tell)
        found = self._native.misses(candidate.stdlib, policy, capacity, params)
        if found is None:
            Machine(policy, capacity, params)  # which says why it cannot attach
            raise TOO_LARGE
        tell(len(self._pages))
        return found

    def optimal(self, capacity: int) -> int:
        """Misses of the policy that evicts what is read again last.

        Raises:
            RequestError: the browser has too little memory.
        """
        found = self._native.optimal(capacity) if self._native else optimal(self._pages, capacity)
        if found is None:
            raise TOO_LARGE
        return found


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
