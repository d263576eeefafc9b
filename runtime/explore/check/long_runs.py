"""Long scenarios: thousands of requests of a larger cache, for what happens late or seldom.

Short ones never see a block of `every 10_000 events`, a counter that reaches its limit, or a share of one per cent of
the cache that is more than nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from cpol.compiler import ir
from cpol.compiler.analysis.upper_bound import Setting as Attached
from cpol.compiler.analysis.upper_bound import upper_bound
from cpol.compiler.comm import UNKNOWN
from cpol.compiler.ir import MAX_BATCH
from cpol.compiler.types import FIX, raw_range
from cpol.runtime.explore.check import asking
from cpol.runtime.explore.check.scenario import (
    ALL_FLAGS,
    MAX_FILE,
    MAX_READERS,
    MAX_TASK,
    Action,
    Ask,
    Become,
    Delete,
    GoOut,
    Happen,
    Open,
    Pass,
    Pressure,
    Readahead,
    Request,
    Scenario,
    Settle,
    Switch,
    Touch,
    Turn,
    modest,
)
from cpol.runtime.explore.check.traits import COMMANDS, Traits, nodes, traits
from cpol.runtime.machine.settings.inputs import Setting, show, value_type

CAPACITIES = (100, 12, 200)
"""In pages, in turn."""

REQUESTS = 3_000
MOST_REQUESTS = 50_000
"""Requests of a scenario: usually, and if periods of the policy ask for more."""

STRETCH = 8
"""The most requests of one pattern, in capacities."""


def long_runs(policy: ir.Policy, seed: int) -> Iterator[Scenario]:
    """Scenarios without end. Params have their defaults, those of periods the shortest; in every third some differ."""
    source = Random(seed)
    uses = traits(policy)
    periods = {part.name for every in policy.everies for part in nodes(every.period) if isinstance(part, ir.Param)}
    number = 0
    while True:
        params = {param.name: param.low if param.name in periods else param.default for param in policy.params}
        if number % 3 == 1:
            params |= {
                param.name: source.choice([param.low, source.randint(param.low, modest(param))])
                for param in policy.params
                if param.name not in periods and source.random() < 0.5
            }
        capacity = CAPACITIES[number % len(CAPACITIES)]
        yield Scenario(
            capacity,
            source.randint(1, MAX_BATCH),
            params,
            list(workload(source, capacity, uses, requests(policy))),
            source.getrandbits(64) if uses.random else 1,
            tuple(inputs(source, policy, capacity)),
        )
        number += 1


def inputs(source: Random, policy: ir.Policy, capacity: int) -> Iterator[Setting]:
    """Some of the files, tasks or pages that the requests have."""
    for declaration in policy.inputs:
        low, high = (1, 1) if declaration.value is None else raw_range(value_type(declaration))
        if declaration.size is not None:
            some = (source.choice([0, low, high, source.randint(low, high)]) for _ in range(2 * capacity))
            yield show(declaration, (source.randrange(capacity),), tuple(some))
            continue
        for number in range(MAX_TASK + 1):
            if source.random() < 0.5:
                first = source.randrange(2 * capacity)
                pages = (min(number, MAX_FILE), first, first + source.randrange(capacity))
                key = {"page": pages, "comm": COMMANDS[number % len(COMMANDS)]}.get(declaration.key, (number,))
                yield show(declaration, key, source.choice([low, high, source.randint(low, high)]))


def requests(policy: ir.Policy) -> int:
    """Enough requests for the longest period to go by, and for counters to reach numbers that the policy compares."""
    lows = {param.name: param.low for param in policy.params}
    setting = Attached(max(CAPACITIES), lows)
    wanted = [upper_bound(every.period, setting, {}).raw for every in policy.everies if every.unit == "events"]
    comparisons = (part for part in nodes(policy) if isinstance(part, ir.Compare))
    wanted += [
        part.value
        for comparison in comparisons
        for part in (comparison.left, comparison.right)
        if isinstance(part, ir.Const) and part.type != FIX
    ]
    # A request causes an event at least.
    return max([REQUESTS, *(number + number // 8 for number in wanted if number <= MOST_REQUESTS)])


def workload(source: Random, capacity: int, uses: Traits, count: int) -> Iterator[Action]:
    """Stretches of requests of several patterns, with other actions in between."""
    fresh = 4 * capacity  # keys from here on are requested once
    while count > 0:
        length = min(count, source.randint(capacity // 2, STRETCH * capacity))
        count -= length
        yield from asked(source, min(length, 2 * capacity), uses)
        if not uses.evicts:
            continue
        file = source.randint(0, MAX_FILE) if uses.files else 0
        if uses.tasks:
            task = source.randint(0, MAX_TASK)
            yield Switch(task, task, source.choice(uses.commands) if len(uses.commands) > 1 else UNKNOWN)
        if uses.writes:
            yield Turn(source.random() < 0.5)
        if uses.origins:
            yield Settle(source.choice(uses.origins), source.choice(uses.origins))
        if uses.readers:
            yield Open(source.randint(0, MAX_FILE), source.randint(0, MAX_READERS))
        first = source.randrange(capacity)
        turn = source.choice([source.randint(1, capacity), source.randint(capacity, 3 * capacity // 2)])
        times = source.choice([1, 1, 2, 3])  # that a loop reads each key
        pattern = source.choice(["skewed", "scan", "loop", "loop", "again", "even"])
        for number in range(length):
            match pattern:
                case "skewed":
                    key = min(int(source.paretovariate(0.6)), 4 * capacity) - 1
                case "scan":
                    key = fresh
                    fresh += 1
                case "loop":
                    key = first + number // times % turn
                case "again":
                    key = first + source.randrange(3)
                case _:
                    key = source.randrange(4 * capacity)
            yield Request(key, file)
            if source.random() < 0.01:
                yield from between(source, capacity, uses, file)


def asked(source: Random, length: int, uses: Traits) -> Iterator[Action]:
    """A stretch of faults, one of requests of a file, one of ranges of a file, and one of pages that go out."""
    if uses.tasks and (uses.faults or uses.requests or uses.ranges or uses.outs):
        task = source.randint(0, MAX_TASK)
        yield Switch(task, task, source.choice(uses.commands) if len(uses.commands) > 1 else UNKNOWN)
    if uses.period_ms:
        yield Pass(source.randint(0, uses.period_ms))
    if uses.faults:
        yield from map(Touch, asking.faults_of(source, length, uses.origins))
    if uses.requests:
        yield from map(Ask, asking.requests_of(source, length, MAX_FILE, uses.origins))
    if uses.ranges:
        yield from map(Happen, asking.ranges_of(source, length, MAX_FILE, uses.origins, uses.ranges))
    if uses.outs:
        yield from map(GoOut, asking.outs_of(source, length))


def between(source: Random, capacity: int, uses: Traits, file: int) -> Iterator[Action]:
    """What happens besides requests, now and then."""
    if uses.period_ms:
        yield Pass(source.randint(1, uses.period_ms))
    if uses.flags:
        yield Become(source.randrange(2 * capacity), source.randint(0, ALL_FLAGS), source.randint(0, ALL_FLAGS), file)
    match source.randrange(4):
        case 0:
            yield Delete(source.randrange(4 * capacity), file)
        case 1:
            some, all_of_them = source.getrandbits(MAX_BATCH) & source.getrandbits(MAX_BATCH), 2**MAX_BATCH - 1
            refusals = source.choice([some, all_of_them])
            for _ in range(source.choice([1, 1, capacity])):  # now and then the cache runs empty, or would
                yield Pressure(source.randint(1, MAX_BATCH), refusals)
        case 2:
            yield Readahead(source.randrange(4 * capacity), source.choice([1, 2, 4]), file)
        case _:
            pass
