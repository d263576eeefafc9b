"""Random policies: interpreter and simulator agree on every decision and state."""

from __future__ import annotations

import pytest
from agreement import ROWS, agree_on_events, agree_on_requests, agree_on_rows
from effort import AGAIN, THOROUGH, generator, tried
from hypothesis import given
from hypothesis import strategies as st
from random_policy import AGREEING, Policies

from cpol.compiler.backend import host
from cpol.runtime.explore.check.scenario import Scenario, scenarios
from cpol.runtime.machine.events import Row


@pytest.mark.slow
@pytest.mark.parametrize("everything", [False, True], ids=["plain", "everything"])
@pytest.mark.parametrize("number", sorted({*AGREEING, *range(6 * THOROUGH if THOROUGH > 1 else 0)}))
def test_random_policy(number, everything):
    policy = Policies(generator("policy", number), everything).policy(f"random{number}")
    host.build(policy, events=True)  # build once, before the examples run
    name = "everything" if everything else "plain"
    replay = f"again: {AGAIN} pytest {__file__} -k 'policy[{number}-{name}]'"

    @tried(20, times=1)
    @given(scenarios(policy), st.lists(st.integers(0, 20), max_size=80), ROWS)
    def agree(scenario: Scenario, keys: list[int], rows: list[Row]) -> None:
        agree_on_events(policy, scenario, replay)
        agree_on_requests(policy, scenario, keys, replay)
        agree_on_rows(policy, scenario, rows, replay)

    agree()
