"""What the compiler says of a comparison is so: one that it calls never true never is, whatever happens."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from effort import SEED, THOROUGH, generator, tried
from hypothesis import given
from quick import examples as fewer
from sources.source import source

from cpol.compiler import ir, stages
from cpol.compiler.lower import expr as lowering
from cpol.compiler.syntax import ast
from cpol.runtime.explore.check.scenario import Scenario, drain, perform, scenarios
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp import eval as evaluation
from cpol.runtime.machine.interp.scope import Scope

pytestmark = pytest.mark.slow

POLICIES = fewer(150)
SCENARIOS = 20


@dataclass
class Comparisons:
    """The comparisons of the IR, where they stand in the text, and what came out of those that were foretold."""

    spans: dict[int, object] = field(default_factory=dict)
    nodes: list[ir.Expr] = field(default_factory=list)
    """Kept, so that no other node has the same id."""
    foretold: dict[int, int] = field(default_factory=dict)
    evaluated: int = 0
    around: set[int] = field(default_factory=set)
    """Those that the conditions around them decide."""
    evaluated_around: int = 0

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
                self.evaluated_around += id(expr) in self.around
                assert answer == self.foretold[id(expr)], f"{self.spans[id(expr)]}: {expr}"
            return answer

        for name, module in [*sys.modules.items()]:
            if name.startswith("cpol.compiler.lower.") and getattr(module, "lower_expr", None) is lower:
                monkeypatch.setattr(module, "lower_expr", watched_lower)
        monkeypatch.setitem(evaluation.EVALUATE, ir.Compare, watched_compare)

    def compile(self, text: str) -> ir.Policy:
        """Compile the text, and note what its warnings foretell."""
        done = stages.run(text, "text.cpol")
        said = {
            warning.span: int(warning.message == "this is always true")
            for warning in done.warnings
            if warning.code == "W0406" and warning.message.startswith("this is ")
        }
        here = {warning.span for warning in done.warnings if warning.why.endswith(" here")}
        self.foretold.update({node: said[span] for node, span in self.spans.items() if span in said})
        self.around.update(node for node, span in self.spans.items() if span in said and span in here)
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
    counted = f"{with_warnings}, {seen.evaluated}"
    assert with_warnings >= fewer(10) * THOROUGH and seen.evaluated >= fewer(100) * THOROUGH, counted


NUMBERS = ("a", "b", "s", "p", "f.x", "f.y", "r")


class Nested:
    """Random conditions in each other, over few names and small numbers, so that some decide others."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def value(self) -> str:
        name, number = self.rng.choice(NUMBERS), self.rng.randrange(7)
        forms = (name, name, str(number), f"min({name}, {number})", f"max({name}, {number})", f"{name} % 5")
        more = (f"{name} - {number}", f"random({name})", f"(if {self.comparison()} then {name} else {number})")
        return self.rng.choice((*forms, *(more if self.rng.random() < 0.3 else ())))

    def comparison(self) -> str:
        op = self.rng.choice(("<", "<=", ">", ">=", "==", "!="))
        return f"{self.rng.choice(NUMBERS)} {op} {self.rng.randrange(7) if self.rng.random() < 0.7 else self.value()}"

    def condition(self) -> str:
        first = (
            self.comparison() if self.rng.random() < 0.6 else f"{self.comparison()} {self.logic()} {self.comparison()}"
        )
        return f"not ({first})" if self.rng.random() < 0.2 else first

    def logic(self) -> str:
        return self.rng.choice(("and", "or"))

    def body(self, depth: int, act: bool = True) -> str:
        return "\n".join(self.statement(depth, act) for _ in range(self.rng.choice((1, 2, 2, 3))))

    def statement(self, depth: int, act: bool) -> str:
        if depth and self.rng.random() < 0.6:
            again = f" else if {self.condition()} {{ {self.body(depth - 1, act)} }}" if self.rng.random() < 0.4 else ""
            other = f" else {{ {self.body(depth - 1, act)} }}" if self.rng.random() < 0.4 else ""
            return f"if {self.condition()} {{ {self.body(depth - 1, act)} }}{again}{other}"
        if depth and self.rng.random() < 0.3:
            head = self.rng.choice(
                (f"for i{depth} in 1..{self.rng.randrange(1, 4)}", f"while {self.condition()} up to 3")
            )
            return f"{head} {{ {self.body(depth - 1, act)}{self.rng.choice(('', ' stop'))} }}"
        if act and self.rng.random() < 0.15:
            return f"do act({self.value()})"
        target = self.rng.choice(("a", "b", "s", "f.x", "f.y") if act else ("s",))
        return f"{target} {self.rng.choice(('=', '=', '+=', '-='))} {self.value()}"

    def policy(self) -> str:
        body = self.body(3)
        action = "if k > 3 { s += 1 } if s > 3 { s = k } if s < 2 { s += 1 }"
        return f"""policy nested {{
  list queue
  param p: u64 = 3 in 1..5
  folio {{ x: u8 = 0, y: u3 = 0 }}
  state s: u64 = 0
  action act(k: u64) {{ {action} }}
  on added(f) {{ f.x = f.index % 7  f.y = f.index  place f at tail of queue }}
  on accessed(f) {{ var a: u64 = f.index % 7  var b: u8 = random(7)  let r = random(6)
{body} }}
  on evict {{ scan queue from head as f {{ evict f }} }}
}}"""


def test_warned_comparisons_in_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the conditions around a comparison, and assignments before it, say of it."""
    seen = Comparisons()
    seen.watch(monkeypatch)
    for number in range(POLICIES * THOROUGH):
        rng = generator("nested", number)
        policy = seen.compile(Nested(rng).policy())
        machine = Machine(policy, 8, {}, 1, number)
        for _ in range(200):
            machine.request(0, rng.randrange(12))
    assert len(seen.around) >= fewer(100) * THOROUGH, len(seen.around)
    assert seen.evaluated_around >= fewer(1000) * THOROUGH, seen.evaluated_around
