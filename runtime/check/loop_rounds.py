"""Counts the rounds of a policy's loops in a short run of the interpreter, for `cpolc cost`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from cpol.compiler import ir
from cpol.compiler.analysis.cost.typical import Typical
from cpol.compiler.ir import End
from cpol.compiler.ir.walk import bodies, statements
from cpol.runtime.interp import Machine
from cpol.runtime.interp.state import Call, Folio
from cpol.runtime.interp.trace import Given, run_trace

CAPACITY = 512
"""At most so many pages, since the interpreter is slow."""
REQUESTS = 10_000
"""Requests by Zipf's law with exponent 1, over 8 objects per page of the cache."""
BUDGET = 30_000
"""Statements and scores after which no more requests follow."""
LIMIT = 10 * BUDGET
"""Statements and scores after which the current request stops."""


class _BudgetSpent(Exception):
    pass


class _Ran(set[ir.Pos]):
    """Counts how often each statement ran, and the folios that `evict lowest` scored, by its line."""

    def __init__(self) -> None:
        super().__init__()
        self.times: Counter[ir.Pos] = Counter()
        self.scored: Counter[int] = Counter()
        self.spent = 0

    def add(self, pos: ir.Pos) -> None:
        super().add(pos)
        self.times[pos] += 1
        self.spend()

    def spend(self) -> None:
        self.spent += 1
        if self.spent > LIMIT:
            raise _BudgetSpent


class _Counting(Machine):
    def __init__(self, ran: _Ran, policy: ir.Policy, setting: tuple[int, Mapping[str, int | str], int]) -> None:
        self.ran = ran
        super().__init__(policy, *setting)

    def _declare(self) -> None:
        self.reached = self.ran
        super()._declare()

    def propose_lowest(self, call: Call, label: str, end: End, bound: int, score: Callable[[Folio], int]) -> None:
        line = self.line

        def counted(folio: Folio) -> int:
            self.ran.spend()
            self.ran.scored[line] += 1
            return score(folio)

        super().propose_lowest(call, label, end, bound, counted)


def typical(policy: ir.Policy, capacity: int, params: Mapping[str, int | str], batch: int) -> Typical:
    """Run `policy` with `params` on REQUESTS requests, or fewer if BUDGET is spent, with at most CAPACITY pages.

    Raises:
        ParamError: the policy does not attach to a cache of that size.
        MachineError: the policy breaks a rule.
    """
    ran = _Ran()
    capacity = min(capacity, CAPACITY)
    weights = [1 / (rank + 1) for rank in range(8 * capacity)]
    trace = random.Random(1).choices(range(8 * capacity), weights, k=REQUESTS)
    requests = 0

    def ids() -> Iterator[int]:
        nonlocal requests
        for id in trace:
            if ran.spent > BUDGET:
                return
            requests += 1
            yield id

    with suppress(_BudgetSpent):
        run_trace(_Counting(ran, replace(policy, invariants=()), (capacity, params, batch)), Given(ids()))
    handlers = tuple(_of_a_call(body, ran) for body in bodies(policy))
    begun: Counter[tuple[str, int]] = Counter()
    rounds: Counter[tuple[str, int]] = Counter()
    for body, called in zip(bodies(policy), handlers, strict=True):
        for loop in _loops(body) if called is not None else ():
            begun[_key(loop)] += ran.times[loop.pos]
            rounds[_key(loop)] += _rounds(loop, ran)
    loops = {key: rounds[key] / max(times, 1) for key, times in begun.items()}
    return Typical(requests, capacity, batch, handlers, loops)


Loop = ir.Scan | ir.For | ir.EvictByScore


def _loops(body: Iterable[ir.Stmt]) -> Iterable[Loop]:
    return (statement for statement in statements(body) if isinstance(statement, Loop))


def _key(loop: Loop) -> tuple[str, int]:
    return ("for" if isinstance(loop, ir.For) else "scan"), loop.pos.line


def _rounds(loop: Loop, ran: _Ran) -> int:
    """The total of its rounds."""
    if isinstance(loop, ir.EvictByScore):
        return ran.scored[loop.pos.line]
    return ran.times[loop.body[0].pos] if loop.body else 0


def _of_a_call(body: tuple[ir.Stmt, ...], ran: _Ran) -> tuple[float, float] | None:
    calls = ran.times[body[0].pos] if body else 0
    if not calls:
        return None
    totals = {"scan": 0, "for": 0}
    for loop in _loops(body):
        totals[_key(loop)[0]] += _rounds(loop, ran)
    return totals["scan"] / calls, totals["for"] / calls
