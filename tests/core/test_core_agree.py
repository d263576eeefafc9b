"""Policies of the standard library, as they are compiled for the kernel, decide on the core as the interpreter does."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import hypothesis
import pytest
from core_agree import AGREE, POLICIES, build_policies, difference, events_of, explain
from core_scenarios import lengthen, shorten
from hypothesis import HealthCheck, Phase, settings

from cpol.compiler import ir
from cpol.runtime.explore.check.scenario import Scenario, scenarios
from cpol.runtime.explore.check.traits import positions
from cpol.runtime.machine.errors import ParamError

SEED = os.environ.get("CPOL_SEED", "1")
SCENARIOS = 4 * int(os.environ.get("CPOL_THOROUGH", "1"))

UNREACHED = {"mglru": 9, "graph": 8, "last_reader": 5}
"""Lines of a policy that four scenarios may miss, as tiers with 64 refaults, pins of pages that two arrays name, and
what follows from readers, since no file is open there; of others 3. Hypothesis varies with the modules that are
loaded."""


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    build_policies()


@pytest.mark.long
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_core_agrees(policy: ir.Policy, capsys: pytest.CaptureFixture[str]) -> None:
    program = AGREE / policy.name
    number = events = answers = 0
    reached: set[ir.Pos] = set()

    @hypothesis.seed(int(SEED))
    @settings(
        max_examples=SCENARIOS,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @hypothesis.given(scenarios(policy))
    def agree(scenario: Scenario) -> None:
        nonlocal number, events, answers
        number += 1
        scenario = lengthen(policy, scenario, SEED, number)
        try:
            expected = events_of(policy, scenario)
        except ParamError:
            hypothesis.reject()
        if difference(program, expected):
            shortest = shorten(scenario, lambda shorter: difference(program, events_of(policy, shorter)) is not None)
            found = difference(program, events_of(policy, shortest))
            assert found
            pytest.fail(explain(program, found, SEED, Path(tempfile.gettempdir(), f"core-{policy.name}.events")))
        events += len(expected.lines)
        answers += len(expected.answers)
        reached.update(expected.machine.reached)

    agree()
    unreached = {pos.line for pos in positions(policy) if pos not in reached}
    with capsys.disabled():
        print(f"\n{policy.name}: {number} scenarios, {events} events, {answers} answers agree; seed {SEED}", end="")
    assert len(unreached) <= UNREACHED.get(policy.name, 3), unreached
