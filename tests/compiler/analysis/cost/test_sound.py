"""No call of a handler in the interpreter exceeds its bounds of visited folios and rounds of loops."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from cpol.compiler import ir
from cpol.compiler.analysis.cost.bounds import Effort, bounds_of
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.stages import run as compile_text
from cpol.compiler.stages import run_file
from cpol.runtime.explore.check.loop_rounds import asked
from cpol.runtime.explore.check.scenario import perform
from cpol.runtime.machine.interp import Machine, events
from cpol.runtime.machine.interp import run as executor
from cpol.runtime.machine.settings.params import read_params

from ...corpus import ROOT, STDLIB

WHOLE = sorted((ROOT / "tests" / "compiler" / "whole").glob("*.cpol"))
LOOPS = """
policy loops {
  param n: u32 = 3 in 1..20
  list a, b
  state x: u8 = 0
  table t: u8[4, cache.capacity] = 0
  on added(f) { if x > 3 { place f at tail of a } else { place f at head of b } }
  on accessed(f) {
    for i in 0..t.size - 1 { for j in i..n { t[i, j] += 1 } }
    for i in 1..x { x -= 1 }
    scan a from head up to 1 as g { move g to tail of b }
    x += 3
  }
  on evict {
    let few = min(a.size, n)
    scan a from head up to few as f {
      scan b from tail up to n as g { when g.index % 2 == 0 { move g to head of b } otherwise { keep } }
      for i in 1..2 { x += 1 }
    }
    scan b from head up to b.size - n as f { if x % 3 == 0 { evict f } else { x += 1 } }
    scan a from head as f { evict f }
    scan b from head as f { evict f }
  }
  every n events { for i in 1..n * 2 { x += 1 } }
}
"""


class Counter:
    """Counts visits and rounds by the identity of loop bodies."""

    def __init__(self, policy: ir.Policy, bounds: dict[str, Effort]) -> None:
        self.bounds = bounds
        self.names: dict[int, str] = {id(handler.body): event for event, handler in policy.handlers.items()}
        periods = [name for name in bounds if name.startswith("every ")]
        self.names |= {id(every.body): name for every, name in zip(policy.everies, periods, strict=True)}
        self.kinds: dict[int, str] = {}
        for body in [h.body for h in policy.handlers.values()] + [every.body for every in policy.everies]:
            self.find(body)
        self.name = ""
        self.now = {"steps": 0, "rounds": 0}
        self.most = 0

    def find(self, body: tuple[ir.Stmt, ...]) -> None:
        for stmt in body:
            if isinstance(stmt, ir.If):
                self.find(stmt.then)
                self.find(stmt.orelse)
            elif isinstance(stmt, ir.Scan | ir.For):
                if stmt.body:  # all empty bodies are one object
                    self.kinds[id(stmt.body)] = "steps" if isinstance(stmt, ir.Scan) else "rounds"
                self.find(stmt.body)

    def begins(self, body: Any) -> None:
        if id(body) in self.names and body:
            self.name, self.now = self.names[id(body)], {"steps": 0, "rounds": 0}
        if id(body) in self.kinds:
            self.add(self.kinds[id(body)], 1)

    def add(self, kind: str, number: int) -> None:
        self.now[kind] += number
        limit = self.bounds[self.name]
        assert self.now["steps"] <= limit.steps and self.now["rounds"] <= limit.rounds, (self.name, self.now, limit)
        self.most += number


@pytest.mark.long
@pytest.mark.parametrize("source", [*STDLIB, *WHOLE, "loops"], ids=lambda s: s.stem if isinstance(s, Path) else s)
def test_no_call_exceeds_its_bounds(source: Path | str, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = compile_text(LOOPS, "loops.cpol").policy if isinstance(source, str) else run_file(source).policy
    plain, lowest = executor.run, Machine.propose_lowest
    counter: Counter

    def counted(body: Iterable[ir.Stmt], scope: Any) -> None:
        counter.begins(body)
        plain(body, scope)

    def offered(self: Machine, scope: Any, label: str, end: Any, bound: int, score: Any) -> None:
        counter.add("steps", min(bound, len(self.lists[label])))
        lowest(self, scope, label, end, bound, score)

    monkeypatch.setattr(executor, "run", counted)
    monkeypatch.setattr(events, "run", counted)
    monkeypatch.setattr(Machine, "propose_lowest", offered)
    seen = 0
    for seed in range(4):
        rng = random.Random(seed)
        capacity = rng.choice((1, 2, 7, 40))
        params: dict[str, int | str] = {}
        for param in policy.params:
            if isinstance(param.type, ir.IntType):
                params[param.name] = rng.randint(param.low, min(param.high, param.low + 50))
        bounds = bounds_of(policy, Setting.of(policy, capacity, read_params(policy, params)))
        counter = Counter(policy, bounds.efforts)
        machine = Machine(policy, capacity, params, rng.randint(1, 8))
        for _ in range(200 if policy.evicts else 0):
            machine.request(0, min(rng.randrange(60), rng.randrange(120)))
        for one in islice(asked(policy), 200 if policy.prefetches else 0):
            perform(one, machine)
        seen += counter.most
    always = [stmt for event in ("evict", "fault") if event in policy.handlers for stmt in policy.handlers[event].body]
    scans = any(isinstance(stmt, ir.Scan | ir.EvictByScore | ir.For) for stmt in always)
    assert seen > 0 or not scans, "nothing was counted"
