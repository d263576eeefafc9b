"""Miss ratio curves of policies that prefetch: exact, by their model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from cpol.runtime.simulate.prefetch.rows import Rows
from cpol.runtime.simulate.runs.curve import Point
from cpol.runtime.simulate.runs.prefetch import Contender, Machine, Source, simulate


def prefetch_points(
    contenders: Sequence[Contender],
    trace: Rows,
    capacities: Sequence[int],
    source: Source,
    machine: Machine,
    show: Callable[[str], None],
) -> list[list[Point]]:
    """The curve of each. A miss is an access that has to read, with nothing on its way."""
    runs = simulate(contenders, trace, capacities, source, machine, show)
    points = (Point(run.capacity, run.miss_ratio, None) for run in runs)
    return [[*islice(points, len(capacities))] for _ in contenders]
