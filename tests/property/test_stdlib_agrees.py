"""The policies of the standard library: interpreter and simulator agree on every decision and on every state."""

from __future__ import annotations

from pathlib import Path

import pytest
from agreement import ROWS, agree_on_events, agree_on_requests, agree_on_rows
from effort import SEED, tried
from hypothesis import given
from hypothesis import strategies as st

from cpol.compiler import compile_file
from cpol.runtime.check import check
from cpol.runtime.check.report import as_text
from cpol.runtime.check.scenario import Scenario, scenarios
from cpol.runtime.events import Row

STDLIB = sorted((Path(__file__).parents[2] / "stdlib").glob("*.cpol"))
POLICIES = pytest.mark.parametrize("policy", [compile_file(path) for path in STDLIB], ids=lambda policy: policy.name)

KEYS = st.integers(1, 40).flatmap(lambda top: st.lists(st.integers(0, top), min_size=20, max_size=300))


@POLICIES
def test_on_events(policy):
    @tried(20)
    @given(scenarios(policy))
    def agree(scenario: Scenario) -> None:
        agree_on_events(policy, scenario, f"see what differs: cpolc check {policy.name} --replay {{log}}")

    agree()


@POLICIES
def test_on_requests(policy):
    @tried(20)
    @given(scenarios(policy), st.integers(1, 8) | st.integers(1, 45), KEYS)
    def agree(scenario: Scenario, capacity: int, keys: list[int]) -> None:
        larger = Scenario(capacity, scenario.batch, scenario.params, [])
        agree_on_requests(policy, larger, keys, f"see what differs: cpolc check {policy.name} --replay {{log}}")

    agree()


@POLICIES
def test_on_events_in_any_order(policy):
    @tried(20)
    @given(scenarios(policy), ROWS)
    def agree(scenario: Scenario, rows: list[Row]) -> None:
        agree_on_rows(policy, scenario, rows, f"see what differs: cpolc check {policy.name} --replay {{log}}")

    agree()


RARE = {"lhd": 13, "mglru": 6, "wtinylfu": 8, "lecar": 4}
"""Lines that short sequences of events may not reach: `every` of at least 1024, tiers that refaulted 64 times, a ghost
hit beside a full list. Which ones, depends on the modules that are loaded (Hypothesis reads their constants). The
policies' own tests and the traces of tests/stdlib go there."""

EXAMPLES = {"lhd": 30, "mglru": 20}
"""Fewer for those that loop over thousands of lists or table elements."""


@POLICIES
def test_keeps_its_properties(policy):
    result = check(policy, seed=SEED, max_examples=EXAMPLES.get(policy.name, 60))
    assert result.counterexample is None, as_text(result.counterexample)
    unreached = {pos.line for pos in result.unreached}
    assert len(unreached) <= RARE.get(policy.name, 3), unreached
