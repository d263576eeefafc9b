"""The page of an advice: one HTML file that needs nothing else."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from cpol.runtime.simulate.advise import price
from cpol.runtime.simulate.advise.advise import Advice, Request, Row
from cpol.runtime.simulate.advise.blocks import Blocks
from cpol.runtime.simulate.advise.choices import Runs
from cpol.runtime.simulate.advise.interval import Interval, interval
from cpol.runtime.simulate.advise.seen import Part
from cpol.runtime.simulate.runs.capacity import PAGE
from cpol.runtime.simulate.runs.jobs import Task
from cpol.runtime.simulate.traces import Trace
from cpol.runtime.simulate.traces.about import about
from cpol.runtime.simulate.traces.formats.record import REQUEST
from cpol.sizes import size
from cpol.version import __version__

PERCENTS = (25, 50, 75, 100, 125, 150, 200, 300, 400)
"""Of the present capacity: the points of the curves."""

BINS = 48
"""Columns of the heatmap, of as many requests each."""

FILES = 12
"""Rows of the heatmap, and of the tables of who reads what."""

BARS = 12
"""Policies in the chart of disk reads."""


class Curve(NamedTuple):
    """The disk reads of a policy as a share of the requests, at each of PERCENTS."""

    name: str
    points: list[Interval]


class Heat(NamedTuple):
    """A file of the heatmap: its requests in each bin as a share of the largest number."""

    name: str
    shares: list[float]


def page(request: Request, found: Advice, cgroup: str, steps: Sequence[str], show: Callable[[str], None]) -> str:
    """The page as HTML. It runs the default and the first policy at other capacities.

    Args:
        cgroup: what was recorded, for the title.
        steps: the commands to go on with.

    Raises:
        SimulationError: a run fails.
    """
    environment = Environment(
        loader=PackageLoader("cpol.runtime.simulate", "advise"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    trace = request.trace
    facts: dict[str, Any] = {
        "title": cgroup,
        "advice": found,
        "trace": trace,
        "curves": curves(request, found, show),
        "percents": PERCENTS,
        "sizes": [size(found.pages * percent // 100 * PAGE) for percent in PERCENTS],
        "bars": bars(found),
        "price": price.said,
        "price_legend": price.legend(),
        "reuse": about(trace).reuse,
        "heat": heat(trace),
        "commands": largest(list(found.seen.commands.values())),
        "files": largest(list(found.seen.files.values())),
        "steps": steps,
        "version": __version__,
        "hashes": [("trace", str(trace.path), digest(trace.path))]
        + [("policy", row.choice.name, digest(row.choice.compiled.files[0])) for row in (found.default, found.best)],
        "request": request,
        "now": size(found.pages * PAGE),
    }
    return environment.get_template("report.html.j2").render(facts)


def curves(request: Request, found: Advice, show: Callable[[str], None]) -> list[Curve]:
    """The curves of the default and of the first policy."""
    blocks = Blocks.of(request.trace, request.room)
    runs = Runs(blocks, request.pages, request.batch, request.seed, request.jobs)
    requests = blocks.requested(bytes([1]) * len(request.trace.ids))
    made = []
    for row in (found.default, found.best):
        tasks = [
            Task(f"{row.choice.name} at {percent} %", partial(runs.reads, row.choice, percent)) for percent in PERCENTS
        ]
        reads = runs.beside(tasks, show)
        half = blocks.half
        made.append(Curve(row.choice.name, [interval(each[half:], requests[half:], request.seed) for each in reads]))
    return made


def bars(found: Advice) -> list[tuple[str, int, str]]:
    """Name, disk reads and kind of each bar."""
    machine = [] if found.recorded is None else [("the machine", found.recorded, "now")]
    rows: list[Row] = [found.default, *found.rows[:BARS]]
    kinds = ["now", "best", *["other"] * len(rows)]
    made = [(row.choice.name, row.reads, kind) for row, kind in zip(rows, kinds, strict=False)]
    return [*machine, *made, *([] if found.optimum is None else [("belady", found.optimum, "optimum")])]


def heat(trace: Trace) -> list[Heat]:
    """The files with the most requests over the time of the trace; none if it does not tell files."""
    if trace.names is None:
        return []
    kinds = trace.ahead or bytes(len(trace.ids))
    files = [trace.names.files[id] for id, kind in zip(trace.ids, kinds, strict=True) if kind == REQUEST]
    cells = Counter((file, place * BINS // len(files)) for place, file in enumerate(files))
    most = max(cells.values())
    known = trace.paths or {}
    return [
        Heat(known.get(file, f"file {file}"), [cells[file, at] / most for at in range(BINS)])
        for file, _ in Counter(files).most_common(FILES)
    ]


def largest(parts: Sequence[Part]) -> list[Part]:
    return sorted(parts, key=lambda part: (part.reads, part.requests), reverse=True)[:FILES]


def digest(path: Path) -> str:
    """The SHA-256 of a file; empty if it is a pipe, or gone."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() if path.is_file() else ""
    except OSError:
        return ""
