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
from cpol.compiler.ir.c_names import line_mark
from cpol.compiler.ir.walk import bodies, statements
from cpol.runtime.explore.check import asking
from cpol.runtime.explore.check.scenario import Ask, GoOut, Happen, Touch, perform
from cpol.runtime.explore.check.traits import traits
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.state import Call, Folio
from cpol.runtime.machine.interp.trace import Given, run_trace

CAPACITY = 512
"""At most so many pages, since the interpreter is slow."""
REQUESTS = 10_000
"""Requests by Zipf's law with exponent 1, over 8 objects per page of the cache."""
BUDGET = 30_000
"""Statements and scores after which no more requests follow."""
STRETCH = 50
"""Faults, or requests of a file, of one pattern."""
LIMIT = 10 * BUDGET
"""Statements and scores after which the current request stops."""


class _BudgetSpent(Exception):
    pass


class _Ran(set[ir.Pos]):
    """Counts how often each statement ran, and the folios that `evict lowest` scored, in each body."""

    def __init__(self) -> None:
        super().__init__()
        self.body = 0
        """The id of the body that runs; bodies share places in actions."""
        self.times: Counter[tuple[int, ir.Pos]] = Counter()
        self.scored: Counter[tuple[int, ir.Pos]] = Counter()
        self.spent = 0

    def add(self, pos: ir.Pos) -> None:
        super().add(pos)
        self.times[self.body, pos] += 1
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

    def _run(self, event: str, folio: Folio | None = None, why: int = 0, call: Call | None = None) -> None:
        if event in self.policy.handlers:
            self.ran.body = id(self.policy.handlers[event].body)
        super()._run(event, folio, why, call)

    def _period(self, every: ir.Every) -> int:
        self.ran.body = id(every.body)
        return super()._period(every)

    def propose_lowest(self, call: Call, label: str, end: End, bound: int, score: Callable[[Folio], int]) -> None:
        place = self.ran.body, self.pos

        def counted(folio: Folio) -> int:
            self.ran.spend()
            self.ran.scored[place] += 1
            return score(folio)

        super().propose_lowest(call, label, end, bound, counted)


def typical(policy: ir.Policy, capacity: int, params: Mapping[str, int | str], batch: int) -> Typical:
    """Run `policy` with `params` on REQUESTS requests, or fewer if BUDGET is spent, with at most CAPACITY pages.

    One that prefetches is asked with as many faults and requests of files.

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
        machine = _Counting(ran, replace(policy, invariants=()), (capacity, params, batch))
        if policy.evicts:
            run_trace(machine, Given(ids()))
        for one in asked(policy) if policy.prefetches else ():
            if ran.spent > (1 + policy.evicts) * BUDGET:
                break
            requests += 1
            perform(one, machine)
    handlers = tuple(_of_a_call(body, ran) for body in bodies(policy))
    begun: Counter[tuple[str, str]] = Counter()
    rounds: Counter[tuple[str, str]] = Counter()
    for body, called in zip(bodies(policy), handlers, strict=True):
        for loop in _loops(body) if called is not None else ():
            begun[_key(loop)] += ran.times[id(body), loop.pos]
            rounds[_key(loop)] += _rounds(loop, body, ran)
    loops = {key: rounds[key] / max(times, 1) for key, times in begun.items()}
    return Typical(requests, capacity, batch, handlers, loops)


def asked(policy: ir.Policy) -> Iterator[Touch | Ask | Happen | GoOut]:
    """Faults, requests, ranges of files and pages that go out, of all patterns alike."""
    source = random.Random(1)
    uses = traits(policy)
    for _ in range(REQUESTS // STRETCH):
        if uses.faults:
            yield from map(Touch, asking.faults_of(source, STRETCH, ()))
        if uses.requests:
            yield from map(Ask, asking.requests_of(source, STRETCH, 2, ()))
        if uses.ranges:
            yield from map(Happen, asking.ranges_of(source, STRETCH, 2, (), uses.ranges))
        if uses.outs:
            yield from map(GoOut, asking.outs_of(source, STRETCH))


Loop = ir.Scan | ir.For | ir.EvictByScore


def _loops(body: Iterable[ir.Stmt]) -> Iterable[Loop]:
    """The loops, and one of those with the same place, which are copies of an action."""
    return {statement.pos: statement for statement in statements(body) if isinstance(statement, Loop)}.values()


def _key(loop: Loop) -> tuple[str, str]:
    return ("for" if isinstance(loop, ir.For) else "scan"), line_mark(loop.pos)


def _rounds(loop: Loop, body: tuple[ir.Stmt, ...], ran: _Ran) -> int:
    """The total of its rounds in a body."""
    if isinstance(loop, ir.EvictByScore):
        return ran.scored[id(body), loop.pos]
    return ran.times[id(body), loop.body[0].pos] if loop.body else 0


def _of_a_call(body: tuple[ir.Stmt, ...], ran: _Ran) -> tuple[float, float] | None:
    calls = ran.times[id(body), body[0].pos] if body else 0
    if not calls:
        return None
    totals = {"scan": 0, "for": 0}
    for loop in _loops(body):
        totals[_key(loop)[0]] += _rounds(loop, body, ran)
    return totals["scan"] / calls, totals["for"] / calls
