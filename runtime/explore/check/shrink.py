"""Makes a scenario that fails smaller: delta debugging of its actions (Zeller and Hildebrandt, TSE 2002, section 3.2).

For scenarios that Hypothesis has not drawn, and so cannot shrink.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cpol.runtime.explore.check.scenario import Scenario

MAX_ACTIONS = 100_000
"""Actions that attempts may take all together. What is smallest then has to do."""


class _Spent(Exception):
    """Attempts took as many actions as they may."""


def shrink(scenario: Scenario, fails: Callable[[Scenario], bool], most: int = MAX_ACTIONS) -> Scenario:
    """Return the smallest scenario found that still fails. `fails` must hold for `scenario`."""
    left, best = most, scenario

    def still(smaller: Scenario) -> bool:
        nonlocal left, best
        left -= len(smaller.actions)
        if left <= 0:
            raise _Spent
        if fails(smaller):
            best = smaller
            return True
        return False

    try:
        without_actions(beginning(scenario, still), still)
        for capacity in range(1, best.capacity):
            smaller = replace(best, capacity=capacity)
            if still(smaller):
                without_actions(smaller, still)
                break
    except _Spent:
        pass
    return best


def beginning(scenario: Scenario, still: Callable[[Scenario], bool]) -> Scenario:
    """The shortest beginning that fails. Where a longer one may hold again, some beginning that fails."""
    low, high = 0, len(scenario.actions)
    while low < high:
        middle = (low + high) // 2
        if still(replace(scenario, actions=scenario.actions[:middle])):
            high = middle
        else:
            low = middle + 1
    return replace(scenario, actions=scenario.actions[:high])


def without_actions(scenario: Scenario, still: Callable[[Scenario], bool]) -> Scenario:
    """Leave out ever smaller parts that the failure does not need."""
    size = len(scenario.actions) // 2
    while size:
        start = 0
        while start < len(scenario.actions):
            fewer = scenario.actions[:start] + scenario.actions[start + size :]
            smaller = replace(scenario, actions=fewer)
            if still(smaller):
                scenario = smaller
            else:
                start += size
        size //= 2
    return scenario
