"""Miss ratios over memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cpol.api.given import Capacity, capacities, processors, whole
from cpol.api.policy import Policy, policies_of
from cpol.api.runs import Progress, as_html, as_text, draw, needed, quiet, setups_of
from cpol.api.trace import Trace, trace_of
from cpol.errors import RequestError
from cpol.runtime.simulate.runs.curve import Curves, Point, sampling_of, spread


def mrc(
    policies: Policy | str | Path | Sequence[Policy | str | Path],
    trace: Trace | str | Path,
    *,
    capacity: Capacity | Sequence[Capacity] | None = None,
    points: int = 20,
    sample: float | str | None = None,
    batch: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Curve:
    """The miss ratio of each policy over memory, as `cpolc mrc`.

    Args:
        capacity: None: `points` of them, from a thousandth of the objects to all.
        sample: None: exact; a share of the objects, or `auto`.
        batch: pages that one eviction frees, 1 to 32; None: 32 of a recording, else 1.

    Raises:
        UserError: a setting makes no sense.
        TraceError, SimulationError, MachineError, ToolError: it cannot run.

    >>> curve = mrc(["lru"], Trace.from_arrays([1, 2, 3, 1, 2, 3]), capacity=[2, 3])
    >>> [(point.capacity, point.miss_ratio) for point in curve["lru"]]
    [(2, 1.0), (3, 0.5)]
    """
    own = policies_of(policies)
    for each in own:
        if not each.ir.evicts:
            raise RequestError(f"{each.name} evicts nothing, so it has no misses; cpolc mrc has a model of prefetching")
    given = trace_of(trace).requests
    if capacity is None:
        sizes = spread(given.distinct, whole("points", points, 1, 1000))
    else:
        sizes = sorted(capacities(capacity, given.distinct))
    sampled = None if sample is None else sampling_of(str(sample), given.distinct, seed)
    setups = setups_of(own, given, batch, seed)
    found = Curves(given, setups, sizes, sampled).run(processors(jobs), progress)
    return Curve({each.candidate.label: points for each, points in zip(setups, found, strict=True)})


class Curve(Mapping[str, "list[Point]"]):
    """The points of each policy, by its label. A point has `capacity`, `miss_ratio`, and `error`: half of the 95 %
    interval, None if it is exact."""

    COLUMNS = ("policy", "capacity", "miss_ratio", "error")

    def __init__(self, points: Mapping[str, list[Point]]) -> None:
        self._points = dict(points)

    def __getitem__(self, label: str) -> list[Point]:
        return self._points[label]

    def __iter__(self) -> Any:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)

    @property
    def rows(self) -> list[tuple[str, int, float, float | None]]:
        return [(label, *point) for label, points in self._points.items() for point in points]

    @property
    def table(self) -> Any:
        """An Arrow table. Raises UserError: pyarrow is missing."""
        columns = {name: [row[place] for row in self.rows] for place, name in enumerate(self.COLUMNS)}
        return needed("pyarrow").table(columns)

    def to_pandas(self) -> Any:
        """A data frame of pandas. Raises UserError: pandas is missing."""
        return needed("pandas").DataFrame(self.rows, columns=list(self.COLUMNS))

    def plot(self, axes: Any = None) -> Any:
        """Draw the curves, with the intervals as bands; returns the axes. Raises UserError: matplotlib is missing."""
        return draw({label: [(x, y, error) for x, y, error in points] for label, points in self._points.items()}, axes)

    def _cells(self) -> list[list[str]]:
        return [
            [label, f"{pages:,}", f"{ratio:.4f}", "exact" if error is None else f"{error:.4f}"]
            for label, pages, ratio, error in self.rows
        ]

    def __repr__(self) -> str:
        return as_text(self.COLUMNS, self._cells())

    def _repr_html_(self) -> str:
        return as_html(self.COLUMNS, self._cells())
