"""Searches for the shortest events after which two policies keep different folios.

For who changes a policy and wants its decisions to stay, or wants to see where they do not: what breaks no property
may still take the wrong folio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import strategies as st

from cpol.compiler import ir
from cpol.runtime.explore.check.budget import BUDGET, LIMIT, PER_EXAMPLE, SHRINKING, LimitReached
from cpol.runtime.explore.check.checked import CheckedMachine
from cpol.runtime.explore.check.long_runs import long_runs
from cpol.runtime.explore.check.policy_seeds import policy_seeds
from cpol.runtime.explore.check.scenario import Scenario, perform, scenarios
from cpol.runtime.explore.check.shrink import shrink
from cpol.runtime.machine.interp import Machine, MachineError, ParamError
from cpol.runtime.machine.interp.ghost import Name

LONG_RUNS = 3
"""Of each policy: thousands of requests, for what differs late."""


@dataclass(frozen=True)
class Difference:
    """The first events found after which the caches differ."""

    first: CheckedMachine
    second: CheckedMachine
    only_first: list[Name]
    """Folios, as (file, index), that only the first policy's cache has."""
    only_second: list[Name]


@dataclass(frozen=True)
class Comparison:
    """What a comparison has tried."""

    scenarios: int
    """Those that ran to their end with both policies."""
    stopped_early: bool
    """Whether the policies ran so many statements that less was tried."""
    difference: Difference | None


class _DifferError(Exception):
    """Ends the search."""


def compare(
    policy: ir.Policy,
    other: ir.Policy,
    max_examples: int = 200,
    seed: int = 0,
    tried: Callable[[str], None] = lambda what: None,
) -> Comparison:
    """Run both policies on the same events, and compare what is cached after each.

    Params and inputs that both have get the same values. Scenarios in which one breaks a property end there: `check`
    looks for those.

    Args:
        max_examples: random scenarios, besides those of both policies' tests and long ones.
        tried: called before each scenario, with words for what comes.
    """
    ran = spent = 0
    most = max(BUDGET, PER_EXAMPLE * max_examples)
    stopped_early = False
    found: Scenario | None = None

    def differs(scenario: Scenario) -> bool:
        nonlocal ran, spent, stopped_early
        if spent > most:
            stopped_early = True
            return False
        register: list[CheckedMachine] = []
        try:
            difference = difference_in(policy, other, scenario, register)
        except LimitReached:
            stopped_early = True
            return False
        except (ParamError, MachineError):
            return False
        finally:
            spent += sum(machine.ran.count for machine in register)
        ran += 1
        return difference is not None

    seeds = [*policy_seeds(policy), *policy_seeds(other)]

    @hypothesis.seed(seed)
    @settings(
        max_examples=max_examples,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(st.one_of(scenarios(policy, seeds), scenarios(other, seeds)))
    def equal(scenario: Scenario) -> None:
        nonlocal found
        if found is None:
            tried(f"scenario {ran}")
            if differs(scenario):
                found = scenario
        if found is not None:
            raise _DifferError

    found = next(filter(differs, seeds), None)
    if found is None:
        with suppress(_DifferError):
            equal()
    if found is None:
        found = next(filter(differs, long_scenarios(policy, other, seed, tried)), None)
    if found is None:
        return Comparison(ran, stopped_early, None)
    tried("shrinking a difference")
    spent, most = 0, SHRINKING
    smallest = shrink(plainer(found, differs), differs)
    return Comparison(ran, False, difference_in(policy, other, smallest, []))


def long_scenarios(policy: ir.Policy, other: ir.Policy, seed: int, tried: Callable[[str], None]) -> Iterator[Scenario]:
    runs = (islice(long_runs(each, seed), LONG_RUNS) for each in (policy, other))
    for number, scenario in enumerate(chain.from_iterable(runs), 1):
        tried(f"long run {number} of {2 * LONG_RUNS}")
        yield scenario


def plainer(scenario: Scenario, differs: Callable[[Scenario], bool]) -> Scenario:
    """The scenario with default params, without inputs, and a batch of one page, as far as it still differs."""
    plain: tuple[Callable[[Scenario], Scenario], ...] = (
        lambda one: replace(one, params={}),
        lambda one: replace(one, inputs=()),
        lambda one: replace(one, batch=1),
    )
    for make in plain:
        if differs(make(scenario)):
            scenario = make(scenario)
    return scenario


def machine_of(policy: ir.Policy, scenario: Scenario, register: list[CheckedMachine]) -> CheckedMachine:
    """A machine with what of the scenario's settings the policy knows, in `register` too. Raises ParamError."""
    params = {
        param.name: value
        for param in policy.params
        if (value := scenario.params.get(param.name)) is not None and param.low <= value <= param.high
    }
    names = {declaration.name for declaration in policy.inputs}
    inputs = [setting for setting in scenario.inputs if setting[0] in names]
    seed = scenario.seed
    return CheckedMachine(register, policy, scenario.capacity, params, scenario.batch, seed, inputs, limit=LIMIT)


def difference_in(
    policy: ir.Policy, other: ir.Policy, scenario: Scenario, register: list[CheckedMachine]
) -> Difference | None:
    """The first difference in the scenario. Both machines are in `register`.

    Raises:
        ParamError: a policy cannot attach with these settings.
        MachineError: one breaks a property before there is a difference.
        LimitReached: one runs too many statements.
    """
    first, second = (machine_of(each, scenario, register) for each in (policy, other))
    for action in scenario.actions:
        perform(action, first)
        perform(action, second)
        one, two = kept(first), kept(second)
        if one != two:
            return Difference(first, second, sorted(one - two), sorted(two - one))
    return None


def kept(machine: Machine) -> set[Name]:
    return {*machine.cache, *machine.left}
