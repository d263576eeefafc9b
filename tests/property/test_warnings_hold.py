"""What the compiler says of a comparison is so: one that it calls never true never is, whatever happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from effort import SEED, THOROUGH, tried
from hypothesis import given
from sources.source import source

from cpol.compiler import ir, stages
from cpol.compiler.lower import expr as lowering
from cpol.compiler.syntax import ast
from cpol.runtime.check.scenario import Scenario, drain, perform, scenarios
from cpol.runtime.interp import Machine
from cpol.runtime.interp import eval as evaluation
from cpol.runtime.interp.scope import Scope

POLICIES = 150
SCENARIOS = 20


@dataclass
class Comparisons:
    """The comparisons of the IR, where they stand in the text, and what came out of those that were foretold."""

    spans: dict[int, object] = field(default_factory=dict)
    nodes: list[ir.Expr] = field(default_factory=list)
    """Kept, so that no other node has the same id."""
    foretold: dict[int, int] = field(default_factory=dict)
    evaluated: int = 0

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lower: Callable[..., ir.Expr] = lowering.lower_expr
        compare = evaluation.EVALUATE[ir.Compare]

        def watched_lower(typed: object, expr: ast.Expr, *more: object) -> ir.Expr:
            lowered = lower(typed, expr, *more)
            if isinstance(lowered, ir.Compare):
                self.spans[id(lowered)] = expr.span
                self.nodes.append(lowered)
            return lowered

        def watched_compare(expr: ir.Compare, scope: Scope) -> int:
            answer = compare(expr, scope)
            if id(expr) in self.foretold:
                self.evaluated += 1
                assert answer == self.foretold[id(expr)], f"{self.spans[id(expr)]}: {expr}"
            return answer

        monkeypatch.setattr(lowering, "lower_expr", watched_lower)
        monkeypatch.setitem(evaluation.EVALUATE, ir.Compare, watched_compare)

    def compile(self, text: str) -> ir.Policy:
        """Compile the text, and note what its warnings foretell."""
        done = stages.run(text, "text.cpol")
        said = {
            warning.span: int(warning.message == "this is always true")
            for warning in done.warnings
            if warning.code == "W0406" and warning.message.startswith("this is ")
        }
        self.foretold.update({node: said[span] for node, span in self.spans.items() if span in said})
        return done.policy


def run(policy: ir.Policy) -> None:
    @tried(SCENARIOS, times=1)
    @given(scenarios(policy))
    def runs(scenario: Scenario) -> None:
        machine = Machine(policy, scenario.capacity, scenario.params, scenario.batch, scenario.seed, scenario.inputs)
        for action in scenario.actions:
            perform(action, machine)
        drain(machine)

    runs()


def test_warned_comparisons_of_random_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Comparisons()
    seen.watch(monkeypatch)
    with_warnings = 0
    for number in range(POLICIES * THOROUGH):
        before = len(seen.foretold)
        policy = seen.compile(source(number, SEED)[0])
        if len(seen.foretold) > before:
            with_warnings += 1
            run(policy)
    assert with_warnings >= 10 * THOROUGH and seen.evaluated >= 100 * THOROUGH, f"{with_warnings}, {seen.evaluated}"
