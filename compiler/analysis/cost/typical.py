"""Typical costs beside the upper bounds: loops have the mean trip counts of a run."""

from __future__ import annotations

from dataclasses import dataclass

from cpol.compiler import ir
from cpol.compiler.analysis.cost.bounds import Bounds
from cpol.compiler.analysis.cost.paths import Cost


@dataclass(frozen=True)
class Typical:
    """Means of a run of `requests` requests.

    The cache has `capacity` pages and evicts `batch` pages at a time.
    """

    requests: int
    capacity: int
    batch: int
    handlers: tuple[tuple[float, float] | None, ...]
    """Scan steps and loop rounds per call, in the order of Bounds.efforts; None for uncalled handlers."""
    loops: dict[tuple[str, str], float]
    """Rounds per start of a loop, by kind (scan, for) and line; without loops of uncalled handlers."""

    def of(self, cost: Cost, bounds: Bounds) -> float:
        """The cost of the longest path with the run's trip counts.

        A loop without a count keeps its bound. The result does not exceed `cost.upper_bound`.
        """
        total = 0.0
        for labels, value in cost.terms.items():
            product = float(value)
            for label in labels:
                product *= self._rounds(label, bounds)
            total += product
        return min(total, cost.upper_bound)

    def _rounds(self, label: str, bounds: Bounds) -> float:
        if label == "lists":
            return bounds.array
        kind, _, line = label.partition("@")
        key = kind, line
        most = bounds.at_line(line, kind)
        return self.loops.get(key, ir.MAX_ROUNDS if most is None else most)
