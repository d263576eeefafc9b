"""What a call costs as a rule, beside what it can cost at most: loops as often as they went round in a run."""

from __future__ import annotations

from dataclasses import dataclass

from cpol.compiler import ir
from cpol.compiler.analysis.cost.bounds import Bounds
from cpol.compiler.analysis.cost.paths import Cost


@dataclass(frozen=True)
class Typical:
    """Means of a run: `requests` requests to a cache of `capacity` pages that evicts `batch` at a time."""

    requests: int
    capacity: int
    batch: int
    handlers: tuple[tuple[float, float] | None, ...]
    """Scan steps and loop rounds of a call, in the order of Bounds.efforts; None: the handler was not called."""
    loops: dict[tuple[str, int], float]
    """By kind (scan, for) and line: rounds each time that it began. Those of handlers not called are not there."""

    def of(self, cost: Cost, bounds: Bounds) -> float:
        """The worst path, with each loop as often as it went round, or its most if its handler was not called."""
        total = 0.0
        for labels, value in cost.terms.items():
            product = float(value)
            for label in labels:
                product *= self._rounds(label, bounds)
            total += product
        return min(total, cost.most)

    def _rounds(self, label: str, bounds: Bounds) -> float:
        if label == "lists":
            return bounds.array
        kind, _, line = label.partition("@")
        key = kind, int(line or 0)
        most = bounds.at_line(key[1], kind)
        return self.loops.get(key, ir.MAX_ROUNDS if most is None else most)
