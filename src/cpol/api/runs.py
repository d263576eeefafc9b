"""Runs of policies on a trace, as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

from cpol.api.given import Capacity, capacities, processors, whole
from cpol.api.policy import Policy, policies_of
from cpol.api.trace import Trace, trace_of
from cpol.compiler.ir import MAX_BATCH
from cpol.errors import RequestError, UserError
from cpol.runtime.machine.settings.assumed import Assumed
from cpol.runtime.simulate.runs.candidates import BELADY
from cpol.runtime.simulate.runs.capacity import in_requests
from cpol.runtime.simulate.runs.evict import Setup, Workload, tasks_of
from cpol.runtime.simulate.runs.jobs import completed
from cpol.runtime.simulate.runs.room import batch_of, no_optimum
from cpol.runtime.simulate.runs.run import Run
from cpol.runtime.simulate.traces import Trace as Read
from cpol.runtime.simulate.traces import has_written

Progress: TypeAlias = Callable[[str], None]
"""Called now and then with words for how far it is."""


def quiet(_: str) -> None:
    """Shows no progress."""


def simulate(
    policies: Policy | str | Path | Sequence[Policy | str | Path],
    trace: Trace | str | Path,
    *,
    capacity: Capacity | Sequence[Capacity],
    batch: int | None = None,
    seed: int = 1,
    warmup: int = 0,
    belady: bool = False,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Runs:
    """Run each policy with each capacity, as `cpolc sim` does.

    Args:
        batch: pages that one eviction frees, 1 to 32; None: 32 of a recording, as the kernel asks for them, else 1.
        warmup: requests at the start that do not count.
        belady: whether to add the fewest misses that are possible.
        jobs: runs at a time; None: all processors.

    Raises:
        UserError: a setting makes no sense.
        TraceError, SimulationError, MachineError, ToolError: it cannot run.

    >>> runs = simulate(["lru", "fifo"], Trace.from_arrays([1, 2, 3, 1, 4, 1, 2]), capacity=3)
    >>> [(run["policy"], run["misses"]) for run in runs]
    [('lru', 5), ('fifo', 6)]
    """
    own = policies_of(policies)
    for each in own:
        if not each.ir.evicts:
            raise RequestError(f"{each.name} evicts nothing, so it has no misses; cpolc sim has a model of prefetching")
    given = trace_of(trace).requests
    sizes = capacities(capacity, given.distinct)
    setups = setups_of(own, given, batch, seed)
    if belady and has_written(given):
        raise no_optimum(given.path)
    work = Workload(given, in_requests(whole("warmup", warmup, 0), given.requests))
    tasks = tasks_of(setups, work, sizes, None, bool(belady))
    with closing(completed(tasks, processors(jobs), progress)) as ended:
        return Runs([run for _, run in sorted(ended, key=lambda each: each[0])])


def setups_of(own: Sequence[Policy], trace: Read, batch: int | None, seed: int) -> list[Setup]:
    """The policies with their settings, each under a label of its own. Raises RequestError."""
    pages = batch_of(trace, None if batch is None else whole("batch", batch, 1, MAX_BATCH), False)
    labels: list[str] = []
    for each in own:
        same = [label for label in labels if label == each.label or label.startswith(f"{each.label} #")]
        labels.append(f"{each.label} #{len(same) + 1}" if same else each.label)
    candidates = [each.candidate()._replace(label=label) for each, label in zip(own, labels, strict=True)]
    return [Setup(each, pages, whole("seed", seed, 0), Assumed(), False) for each in candidates]


class Runs(Sequence["dict[str, Any]"]):
    """What the runs counted; a row each, by policy and then by capacity."""

    COLUMNS = ("policy", "capacity", "requests", "misses", "miss_ratio", "evicted", "seconds")

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = [*runs]

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, number: Any) -> Any:
        found = self.runs[number]
        return [self._row(each) for each in found] if isinstance(found, list) else self._row(found)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(self._row, self.runs)

    @staticmethod
    def _row(run: Run) -> dict[str, Any]:
        counts = run.counts
        ratio = counts.misses / counts.requests if counts.requests else 0.0
        values = (run.label or BELADY, run.capacity, counts.requests, counts.misses, ratio, counts.evicted, run.seconds)
        return dict(zip(Runs.COLUMNS, values, strict=True))

    @property
    def table(self) -> Any:
        """An Arrow table. Raises UserError: pyarrow is missing."""
        pyarrow = needed("pyarrow")
        return pyarrow.table({name: [row[name] for row in self] for name in self.COLUMNS})

    def to_pandas(self) -> Any:
        """A data frame of pandas. Raises UserError: pandas is missing."""
        return needed("pandas").DataFrame(list(self), columns=list(self.COLUMNS))

    def to_polars(self) -> Any:
        """A data frame of Polars. Raises UserError: polars is missing."""
        return needed("polars").DataFrame(list(self), schema=list(self.COLUMNS))

    def plot(self, axes: Any = None) -> Any:
        """Draw the miss ratios over the capacity; returns the axes. Raises UserError: matplotlib is missing."""
        curves: dict[str, list[tuple[int, float]]] = {}
        for row in self:
            curves.setdefault(row["policy"], []).append((row["capacity"], row["miss_ratio"]))
        return draw({label: [(x, y, None) for x, y in sorted(points)] for label, points in curves.items()}, axes)

    def __repr__(self) -> str:
        return as_text(self.COLUMNS, [[_shown(row[name]) for name in self.COLUMNS] for row in self])

    def _repr_html_(self) -> str:
        return as_html(self.COLUMNS, [[_shown(row[name]) for name in self.COLUMNS] for row in self])


def draw(curves: dict[str, list[tuple[int, float, float | None]]], axes: Any) -> Any:
    """Curves of (capacity, miss ratio, half of its interval) on axes of matplotlib, new ones if there are none."""
    needed("matplotlib")
    from matplotlib import pyplot

    axes = axes or pyplot.subplots()[1]
    for label, points in curves.items():
        places, ratios = [x for x, _, _ in points], [y for _, y, _ in points]
        line = axes.plot(places, ratios, marker=".", label=label)[0]
        if any(error for _, _, error in points):
            low, high = ([y + sign * (error or 0) for _, y, error in points] for sign in (-1, 1))
            axes.fill_between(places, low, high, alpha=0.2, color=line.get_color())
    axes.set_xscale("log")
    axes.set_xlabel("capacity (pages)")
    axes.set_ylabel("miss ratio")
    axes.legend()
    return axes


def needed(module: str) -> Any:
    """A module that cpol does not install. Raises UserError if it is missing."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise UserError(f"{module} is missing: pip install {module}") from None


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def as_text(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = [heads, *rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    lines = ("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in cells)
    return "\n".join(lines)


def as_html(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    from html import escape

    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(each)}</td>' for each in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
