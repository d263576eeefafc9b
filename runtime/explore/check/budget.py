"""How many statements the interpreter runs in a search: a policy's loops may have 2¹⁶ rounds, at each event."""

from __future__ import annotations

from cpol.compiler import ir

LIMIT = 200_000
"""Statements of one scenario, which then stops. The long runs of a usual policy have some 50,000."""

CONFIRMED = 10_000_000
"""Statements of the scenario that confirms what a million requests in native code found."""

TOLD = 256
"""Actions between two tellings of how far a scenario is."""

BUDGET = 1_000_000
"""Statements of a search, after which no more scenarios follow."""

RUN_TWICE = 25_000
"""Statements after which scenarios run once in the interpreter, if native code runs them, too."""

SHRINKING = 250_000
"""Statements of making a counterexample smaller, twice: by Hypothesis, and from what it leaves."""

MAX_ELEMENTS = 2**18
MAX_LISTS = 2**10
"""The most elements of tables, and lists, of params that short scenarios choose: more would take time only. A policy
whose defaults ask for more has as many as these."""

SMALLER = 200
"""Smaller scenarios that are tried, at most, each time."""

PER_EXAMPLE = 5_000
"""Statements for each example, if so many are asked for that BUDGET is less."""

CAPACITY = 1000
"""Pages of the cache in the run in native code."""

NATIVE_BUDGET = 10_000_000_000
"""Statements of the run in native code: if an event has many, fewer requests follow."""


class Costs:
    """How many statements requests ran: those that found their page, and those that did not.

    Apart, because a search has them in other shares than the run in native code.
    """

    def __init__(self) -> None:
        self._requests = [0, 0]
        self._statements = [0, 0]

    def add(self, finds: bool, statements: int, requests: int = 1) -> None:
        self._requests[finds] += requests
        self._statements[finds] += statements

    def add_all(self, other: Costs) -> None:
        for finds in (False, True):
            self.add(finds, other._statements[finds], other._requests[finds])

    def most(self) -> int:
        """Statements of a request of the kind that runs more, on average; 1 or more."""
        means = (done // max(1, number) for number, done in zip(self._requests, self._statements, strict=True))
        return max(1, *means)


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
        self._known: set[int] = set()
        """The ids of the places that were added: places take longer to hash."""

    def add(self, pos: ir.Pos) -> None:
        if id(pos) not in self._known:
            self._known.add(id(pos))
            super().add(pos)
        self.count += 1
        if self.limit is not None and self.count > self.limit:
            raise LimitReached
