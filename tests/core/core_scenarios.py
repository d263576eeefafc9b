"""Long random scenarios for a policy, and fewest actions of one that still show a difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from cpol.compiler import ir
from cpol.runtime.explore.check.scenario import (
    MAX_FILE,
    MAX_KEY,
    MAX_TASK,
    Action,
    Delete,
    Pass,
    Pressure,
    Readahead,
    Request,
    Scenario,
    Switch,
)
from cpol.runtime.explore.check.traits import traits

ACTIONS = 400
LONG = 1600


@dataclass(frozen=True)
class Write(Request):
    """A request that writes: what comes by it is not asked about."""


@dataclass(frozen=True)
class MappedUse(Request):
    """The folio is used through a mapping, if it is cached. Nobody hears of that yet."""


@dataclass(frozen=True)
class MappedCode(Request):
    """The folio is mapped as code, if it is cached."""


RARE: dict[str, dict[str, int]] = {
    "lfuda": {"levels": 2},
    "lhd": {"period": 1024},
    "mglru": {"generations": 4, "promote": 2},
}
"""Params for the first scenario, which is long then: what these policies do after a thousand events, or seldom."""
MAX_CAPACITY = 48
MAX_WANTED = 40
TRIES = 400


def lengthen(policy: ir.Policy, scenario: Scenario, seed: str, number: int) -> Scenario:
    """Add actions to a scenario of `cpolc check`: those are short, often alike, and their caches hardly fill."""
    random = Random(f"{policy.name} {seed} {number}")
    uses = traits(policy)
    keys = random.randint(1, MAX_KEY)
    # Reclaim accesses what is mapped. If that makes a tick due, it runs after the pass.
    ticks = any(every.unit == "events" for every in policy.everies)
    requests = [*[Request] * 14, Write, Request if ticks else MappedUse, *[MappedCode] * 2 * uses.flags]
    pressure, deletes, readahead = (random.choice([0, 1, 4]) for _ in range(3))

    def action() -> Action:
        file = random.randint(0, MAX_FILE) if uses.files else 0
        key = min(random.randint(0, keys), random.randint(0, keys))
        kind = random.randrange(100)
        if kind < pressure:
            refusals = random.choice([0, random.getrandbits(MAX_WANTED), (1 << MAX_WANTED) - 1])
            return Pressure(random.randint(1, MAX_WANTED), refusals)
        if kind < 4 + deletes:
            return Delete(key, file)
        if kind < 8 + deletes + readahead:
            return Readahead(key, random.choice([1, 1, 2, 4]), file)
        if kind < 30 and uses.tasks:
            return Switch(random.randint(0, MAX_TASK), random.randint(0, MAX_TASK))
        if kind < 30 and uses.period_ms:
            return Pass(random.choice([uses.period_ms, random.randint(0, 3 * uses.period_ms)]))
        return random.choice(requests)(key, file)

    capacity = random.choice([random.randint(1, 12), random.randint(8, MAX_CAPACITY)])
    # Small numbers, such as the length of a scan, that end within these caches.
    small = {param.name: random.randint(param.low, min(param.high, param.low + 16)) for param in policy.params}
    params = scenario.params | {name: value for name, value in small.items() if random.randrange(3) == 0}
    rare = RARE.get(policy.name) if number == 1 else None
    todo = [action() for _ in range(LONG if rare else ACTIONS)]
    return replace(scenario, capacity=capacity, params=params | (rare or {}), actions=scenario.actions + todo)


def shorten(scenario: Scenario, fails: Callable[[Scenario], bool]) -> Scenario:
    """Leave out actions as long as it fails without them."""
    size, tries = len(scenario.actions), 0
    while size := size // 2:
        start = 0
        while start < len(scenario.actions) and tries < TRIES:
            tries += 1
            shorter = replace(scenario, actions=scenario.actions[:start] + scenario.actions[start + size :])
            if fails(shorter):
                scenario = shorter
            else:
                start += size
    return scenario
