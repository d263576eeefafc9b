"""What a policy holds, a row every N requests of the trace."""

from __future__ import annotations

import csv
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cpol.compiler.ir import Policy, uses
from cpol.compiler.literals import plain_value, show_value
from cpol.runtime.machine.native import Counts
from cpol.runtime.simulate.runs.files import written
from cpol.runtime.simulate.simulator import Simulator, State
from cpol.runtime.simulate.traces import Trace

PARTS = 20
"""Rows of a trace, if nobody says how many requests stand between two."""


@dataclass(frozen=True)
class Row:
    """The counts and the state after so many requests."""

    requests: int
    window_misses: int
    misses: int
    cache: int
    state: State


class Watch:
    """Runs the trace in parts, and reads the state after each.

    Args:
        path: the file for the rows; None: they are kept in `rows`.
        every: requests in a part; None: a 20th of the trace.
    """

    def __init__(self, policy: Policy, trace: Trace, path: Path | None, every: int | None) -> None:
        self.policy = policy
        self.trace = trace
        self.path = path
        self.every = every or max(1, -(-len(trace.ids) // PARTS))
        self.rows: list[Row] = []
        self.leaves = uses.of(policy).leave

    def run(self, simulator: Simulator) -> Counts:
        """Run the trace, and return the counts of all.

        Raises:
            UserError: the file cannot be written.
            SimulationError: memory is exhausted.
        """
        trace = self.trace
        simulator.reserve(len(trace.ids))
        before = simulator.counts
        with ExitStack() as stack:
            put = self.writer(stack)
            for start in range(0, len(trace.ids), self.every):
                counts = simulator.run(trace.part(start, start + self.every))
                put(Row(counts.requests, counts.misses - before.misses, counts.misses, counts.size, simulator.state))
                before = counts
        return before

    def writer(self, stack: ExitStack) -> Callable[[Row], object]:
        """What takes each row."""
        if self.path is None:
            return self.rows.append
        rows = csv.writer(stack.enter_context(written(self.path)), lineterminator="\n")
        rows.writerow(self.columns)
        return lambda row: rows.writerow(self.cells(row))

    @property
    def columns(self) -> list[str]:
        """The prefixes keep a state from a column of the same name."""
        policy = self.policy
        return [
            *("requests", "window_misses", "misses", "cache"),
            *(["left"] if self.leaves else []),
            *(f"list.{name}" for name in policy.lists),
            *(f"{'ghost' if ghost.key == 'folio' else 'records'}.{ghost.name}" for ghost in policy.ghosts),
            *(f"state.{state.name}" for state in policy.states),
        ]

    def cells(self, row: Row) -> list[str]:
        state, policy = row.state, self.policy
        numbers = [row.requests, row.window_misses, row.misses, row.cache]
        numbers += [state.left] if self.leaves else []
        numbers += [*state.lists.values(), *state.ghosts.values()]
        return [*map(str, numbers), *(show_value(state.states[each.name], each.type) for each in policy.states)]

    def as_json(self) -> dict[str, Any]:
        """The rows that were kept, for the JSON object of the run."""
        return {"every": self.every, "state": [self.object(row) for row in self.rows]} if self.path is None else {}

    def object(self, row: Row) -> dict[str, Any]:
        state = row.state
        states = {each.name: plain_value(state.states[each.name], each.type) for each in self.policy.states}
        values = {"requests": row.requests, "window_misses": row.window_misses, "misses": row.misses}
        values |= {"cache": row.cache, "left": state.left}
        return {**values, "lists": state.lists, "ghosts": state.ghosts, "states": states}
