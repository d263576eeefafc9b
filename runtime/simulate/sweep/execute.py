"""Runs a sweep: what has no row yet is done, and its rows are kept as they come."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from cpol.runtime.simulate.sweep import store
from cpol.runtime.simulate.sweep.assign import GUILTY
from cpol.runtime.simulate.sweep.plan import Compile, Listed, cost_of, costs_of, policies_of, traces_of, units_of
from cpol.runtime.simulate.sweep.spec import Spec
from cpol.runtime.simulate.sweep.unit import Execute, Unit
from cpol.runtime.simulate.sweep.work import version
from cpol.sizes import duration

FIRST = 2.0
"""Seconds after which there is an estimate."""


class Summary(NamedTuple):
    """What a command did. `runs` are all that the sweep wants, `there` those that had a row before, `ended` the new
    ones, and `failed` counts both."""

    runs: int
    there: int
    ended: int
    failed: int
    seconds: float


class Line:
    """A progress line: how far a sweep is, and what is run now."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show, self._far = show, ""

    def far(self, text: str) -> None:
        self._far = text
        self._show(text)

    def now(self, text: str) -> None:
        self._show("; ".join(filter(None, (self._far, text))))


class Progress:
    """How far the runs are, and how long the rest may take: as long as what ended, by the bytes it went through."""

    def __init__(self, units: list[Unit], runs: int, there: int, failed: int, show: Callable[[str], None]) -> None:
        self._cost, self._runs, self._show = sum(map(cost_of, units)), runs, show
        self._began = time.monotonic()
        self._paid, self.done, self.failed = 0, there, failed

    def ended(self, unit: Unit, failed: int) -> None:
        self._paid += cost_of(unit)
        self.done += len(unit.runs)
        self.failed += failed
        self._show(str(self))

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def __str__(self) -> str:
        wrong = f", {self.failed:,} failed" if self.failed else ""
        left = "" if self.seconds < FIRST else f", about {duration((self._cost / self._paid - 1) * self.seconds)} left"
        return f"{self.done:,} of {self._runs:,} runs{wrong}{left}"


def run(
    spec: Spec,
    folder: Path,
    compile: Compile,
    listed: Listed,
    execute: Execute,
    again: bool = False,
    show: Callable[[str], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> Summary:
    """Do what has no row yet.

    Args:
        again: do those that failed again.
        tell: is told of what the rows do not say.

    Raises:
        UserError: the sweep or the folder is wrong.
        ToolError: the cache cannot be used.
    """
    policies = policies_of(spec, compile, tell)
    traces = traces_of(spec, listed)
    planned = costs_of(units_of(spec, policies, traces, version()))
    with store.opened(folder) as kept:
        kept.plan(planned, policies.base)
        done = {key: error for key, error in kept.done().items() if not (error == GUILTY or (again and error))}
        failed = sum(bool(done.get(key)) for key in planned)
        todo = [*units_of(spec, policies, traces, version(), done)]
        there = len(planned) - sum(len(unit.runs) for unit in todo)
        progress = Progress(todo, len(planned), there, failed, show)
        if todo:
            with closing(execute(todo)) as ended:
                for unit, rows in islice(ended, len(todo)):  # to ask for one more would end the workers first
                    kept.put(rows)
                    progress.ended(unit, sum(bool(row.error) for row in rows))
                kept.flush()
    return Summary(len(planned), there, progress.done - there, progress.failed, progress.seconds)
