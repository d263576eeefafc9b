"""Prefetch policies in plain Python, for tests of the model: by slot or by virtual page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

from cpol.runtime.simulate.prefetch.protocol import DEFAULT, NOTHING, Decision, Fault, Out, Outcome, Readahead, Target

KEPT = 32
WINDOW = 8


class History:
    """Remembers the strides between faults; reads nothing ahead, and keeps nothing."""

    has_swap = False

    def __init__(self, by: Literal["slot", "page"]) -> None:
        self.by = by
        self.strides: list[int] = []
        self.last = 0
        self.seen: list[Fault] = []

    def place(self, fault: Fault) -> int:
        return fault.slot if self.by == "slot" else fault.page

    def fault(self, fault: Fault) -> None:
        self.seen.append(fault)
        self.strides = [*self.strides, self.place(fault) - self.last][-KEPT:]
        self.last = self.place(fault)

    def prefetch(self, fault: Fault) -> Decision:
        return NOTHING

    def readahead(self, request: Readahead) -> Decision:
        return DEFAULT

    def swap(self, out: Out) -> Outcome:
        raise AssertionError("a policy without `on swap` is asked")

    def targets(self, fault: Fault, strides: Sequence[int]) -> Decision:
        """The pages that so many strides lead to."""
        places = list(accumulate(strides, initial=self.place(fault)))[1:]
        low, high = (1, fault.slots - 1) if self.by == "slot" else (fault.first, fault.last)
        return Decision(tuple(Target(self.by, place) for place in places if low <= place <= high))


class Leap(History):
    """The stride that most of the last 8, 16 or 32 have; without one, the kernel's own."""

    def prefetch(self, fault: Fault) -> Decision:
        for depth in (8, 16, 32):
            stride, count = Counter(self.strides[-depth:]).most_common(1)[0]
            if count > depth // 2 and stride:
                return self.targets(fault, [stride] * WINDOW)
        return DEFAULT


class Ladder(History):
    """The strides that followed when the last two were seen before."""

    def prefetch(self, fault: Fault) -> Decision:
        strides = self.strides
        for end in range(len(strides) - 1, 1, -1):
            if strides[end - 2 : end] == strides[-2:]:
                return self.targets(fault, strides[end:][:WINDOW])
        return NOTHING
