"""The reference interpreter, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from cpol.api.given import whole
from cpol.api.policy import Policy, policy_of
from cpol.errors import RequestError
from cpol.runtime.explore.check.describe import describe_row
from cpol.runtime.machine.interp import Machine as Interpreter
from cpol.runtime.machine.interp.explain import show_name
from cpol.runtime.machine.interp.snapshot import describe, snapshot
from cpol.sizes import MAX_CAPACITY


@dataclass(frozen=True)
class Step:
    """What one request led to."""

    hit: bool
    events: tuple[str, ...]
    """Events and decisions, in words, in their order."""

    def __repr__(self) -> str:
        return "\n".join([f"{'hit' if self.hit else 'miss'}:", *(f"  {each}" for each in self.events)])


class Machine:
    """One policy that governs a cache of `capacity` pages, in the reference interpreter (docs/semantics.md).

    Raises:
        ParamError: the policy cannot attach with so few pages.

    >>> m = Machine("fifo", capacity=2)
    >>> m.access(1).hit, m.access(2).hit, m.access(1).hit, m.access(3).hit
    (False, False, True, False)
    >>> m.lists
    {'queue': ['2', '3']}
    """

    def __init__(self, policy: Policy | str | Path, capacity: int, *, seed: int = 1, batch: int = 1) -> None:
        self.policy = policy_of(policy)
        if not self.policy.ir.evicts:
            raise RequestError(f"{self.policy.name} evicts nothing: there is no cache to step through")
        pages, settings = whole("capacity", capacity, 1, MAX_CAPACITY), (self.policy._set, batch, seed)
        self.interpreter = Interpreter(self.policy.ir, pages, *settings, self.policy.inputs)
        self._before: dict[str, set[tuple[int, int]]] = {}

    def access(self, page: int, file: int = 0) -> Step:
        """Request a page. Raises MachineError: the policy breaks a rule."""
        machine = self.interpreter
        machine.records.clear()
        self._before = {label: {folio.name for folio in each} for label, each in machine.lists.items()}
        hit = machine.request(whole("file", file, 0), whole("page", page, 0))
        rows = machine.records
        return Step(hit, tuple(describe_row(row, machine.header) for row in rows))

    def tick(self, ms: int) -> None:
        """So many milliseconds have passed since the start."""
        self.interpreter.tick(ms)
        self.interpreter.reclaim()

    @property
    def hits(self) -> int:
        return self.interpreter.hits

    @property
    def misses(self) -> int:
        return self.interpreter.misses

    @property
    def lists(self) -> dict[str, list[str]]:
        """The folios on each list, from head to tail."""
        return {label: [show_name(*folio.name) for folio in each] for label, each in self.interpreter.lists.items()}

    @property
    def state(self) -> dict[str, Any]:
        """All of the state with raw values: lists with records, ghosts, states, tables."""
        return snapshot(self.interpreter)

    def __repr__(self) -> str:
        head = f"{self.policy.name}, {self.interpreter.capacity:,} pages, {self.hits:,} hits, {self.misses:,} misses"
        return "\n".join([head, *(f"  {line}" for line in describe(self.interpreter))])

    def _repr_html_(self) -> str:
        """Lists as rows of boxes; what came or moved since the last request is framed."""
        rows = []
        for label, folios in self.interpreter.lists.items():
            old = self._before.get(label, set())
            boxes = "".join(_box(show_name(*folio.name), folio.name in old) for folio in folios)
            rows.append(f"<tr><th style='text-align:left'>{escape(label)}</th><td>{boxes}</td></tr>")
        others = [line for line in describe(self.interpreter) if line.partition(":")[0] not in self.lists]
        text = "".join(f"<div><code>{escape(line)}</code></div>" for line in others)
        head = f"<b>{escape(self.policy.name)}</b>: {self.hits:,} hits, {self.misses:,} misses"
        return f"<div>{head}<table>{''.join(rows)}</table>{text}</div>"


def _box(name: str, old: bool) -> str:
    style = f"display:inline-block;padding:2px 8px;margin:1px;border:{1 if old else 3}px solid currentColor"
    return f"<span style='{style}'>{escape(name)}</span>"
