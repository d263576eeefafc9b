"""How many statements the interpreter runs in a search: a policy's loops may have 2¹⁶ rounds, at each event."""

from __future__ import annotations

from cpol.compiler import ir

LIMIT = 2_000_000
"""Statements of one scenario, which then stops. The long runs of a usual policy have some 50,000."""

BUDGET = 4_000_000
"""Statements of a search, after which no more scenarios follow."""

RUN_TWICE = 25_000
"""Statements after which scenarios run once in the interpreter, if native code runs them, too."""

SHRINKING = 500_000
"""Statements of making a counterexample smaller, twice: by Hypothesis, and from what it leaves."""

SMALLER = 200
"""Smaller scenarios that are tried, at most, each time."""

PER_EXAMPLE = 20_000
"""Statements for each example, if so many are asked for that BUDGET is less."""

NATIVE_BUDGET = 10_000_000_000
"""Statements of the run in native code: if an event has many, fewer requests follow."""


class LimitReached(Exception):
    """A scenario has run as many statements as it may. This is no fault of the policy."""


class Reached(set[ir.Pos]):
    """The statements that ran, and how often one did.

    Raises:
        LimitReached: from `add`, after `limit` statements.
    """

    def __init__(self, limit: int | None) -> None:
        super().__init__()
        self.count = 0
        self.limit = limit

    def add(self, pos: ir.Pos) -> None:
        super().add(pos)
        self.count += 1
        if self.limit is not None and self.count > self.limit:
            raise LimitReached
