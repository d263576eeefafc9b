"""Policies of the standard library: interpreter and simulator agree on every decision and state."""

from __future__ import annotations

from pathlib import Path

import pytest
from agreement import ROWS, agree_on_events, agree_on_requests, agree_on_rows
from effort import tried
from hypothesis import given
from hypothesis import strategies as st

from cpol.compiler.compiled import compiled
from cpol.runtime.explore.check.scenario import Scenario, scenarios
from cpol.runtime.machine.events import Row

STDLIB = sorted((Path(__file__).parents[2] / "stdlib").glob("*.cpol"))
ALL = [compiled(path).policy for path in STDLIB]
POLICIES = pytest.mark.parametrize("policy", ALL, ids=lambda policy: policy.name)
EVICTING = pytest.mark.parametrize("policy", [each for each in ALL if each.evicts], ids=lambda policy: policy.name)

KEYS = st.integers(1, 40).flatmap(lambda top: st.lists(st.integers(0, top), min_size=20, max_size=300))


@POLICIES
def test_events_agree(policy):
    @tried(20)
    @given(scenarios(policy))
    def agree(scenario: Scenario) -> None:
        agree_on_events(policy, scenario, f"see what differs: cpolc check {policy.name} --replay {{log}}")

    agree()


@EVICTING
def test_requests_agree(policy):
    @tried(20)
    @given(scenarios(policy), st.integers(1, 8) | st.integers(1, 45), KEYS)
    def agree(scenario: Scenario, capacity: int, keys: list[int]) -> None:
        larger = Scenario(capacity, scenario.batch, scenario.params, [])
        agree_on_requests(policy, larger, keys, f"see what differs: cpolc check {policy.name} --replay {{log}}")

    agree()


@pytest.mark.long
@POLICIES
def test_events_in_any_order_agree(policy):
    @tried(20)
    @given(scenarios(policy), ROWS)
    def agree(scenario: Scenario, rows: list[Row]) -> None:
        agree_on_rows(policy, scenario, rows, f"see what differs: cpolc check {policy.name} --replay {{log}}")

    agree()
