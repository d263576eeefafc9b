"""Loops with a condition: how often they run, what ends them, and what the checks know inside."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source, ir
from cpol.compiler.analysis.cost.bounds import bounds_of
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.backend.c import generate
from cpol.compiler.format.text import format_text
from cpol.compiler.ir import verify
from cpol.compiler.stages import run
from cpol.runtime.machine.interp import Machine
from cpol.runtime.simulate.simulator import Simulator

from .examples import wrap

EFFECTS = [
    ("while s < 5 up to 100 { s += 1 }", 5),
    ("while s < 5 up to 3 { s += 1 }", 3),
    ("while s < 5 up to 0 + n { s += 1 }", 0),
    ("while s < 5 up to 3.9 { s += 1 }", 3),
    ("while s < 1_000_000 up to 900_000 { s += 1 }", 65536),
    ("s = 9  while s < 5 up to 7 { s = 0 }", 9),
    ("s = 2  while s < 99 up to s { s += 10 }", 22),
    ("while true up to 8 { s += 1  if s == 4 { stop } }", 4),
    ("while s < 9 up to 9 { while s < 5 up to 2 { s += 1 }  s += 3 }", 11),
    ("while s < 9 up to 9 { while true up to 9 { s += 1  stop }  s += 3 }", 12),
    ("for i in 1..3 { while s < 10 * i up to i { s += i } }", 14),
    ("var d: u8 = 3  while d > 0 up to 9 { s += 12 / d  d -= 1 }", 22),
    ("var asked: u8 = 0  while random(1000) < 1000 up to 6 { asked += 1 }  s = asked", 6),
    ("do many(3)", 12),
]


@pytest.mark.parametrize(("body", "value"), EFFECTS)
def test_effects(body: str, value: int) -> None:
    action = "action many(x: u64) { while s < 4 * x up to 99 { s += x } }"
    text = wrap(
        f"state s: u64 = 0\nstate n: u64 = 0\n{action}\non init {{ {body} }}\non accessed(f) {{ n = s do many(0) }}"
    )
    policy = compile_source(text, "p.cpol")
    assert verify.mismatches(policy) == []
    assert Machine(policy, capacity=8).state["s"] == value
    assert Simulator(policy, 8).state.states["s"] == value


def test_each_round_moves_or_evicts_one_folio() -> None:
    """As CAR does: the list that a step looks at depends on the steps before it."""
    text = """policy p {
      list one, two
      folio { again: bool = false }
      action turn(where: list) {
        scan where from head up to 1 as f {
          when f.again { f.again = false  move f to tail of two }
          otherwise { evict f }
        }
      }
      on added(f) { place f at tail of one }
      on first_accessed(f) { f.again = true }
      on evict {
        while cache.size > 0 up to 2 * cache.size {
          if one.size > 2 or two.size == 0 { do turn(one) } else { do turn(two) }
        }
      }
    }"""
    machine = Machine(compile_source(text, "p.cpol"), capacity=6, batch=1)
    for index in range(6):
        machine.added(0, index, 1)
    for index in (0, 1, 2, 4):
        machine.first_accessed(0, index)
    assert [folio.index for folio in machine.evict(1)] == [3]
    labels = {label: [folio.index for folio in folios] for label, folios in machine.lists.items()}
    assert labels == {"one": [4, 5], "two": [0, 1, 2]}


def test_cost_counts_its_rounds() -> None:
    policy = compile_source(wrap("state s: u64 = 0\non init {\n while s < 5 up to 7 { s += 1 }\n}"), "p.cpol")
    found = bounds_of(policy, Setting(100, {}))
    [loop] = found.loops["init"]
    assert (loop.each, loop.word) == (7, "while")
    assert found.efforts["init"].rounds == 7


def test_is_a_for_that_stops() -> None:
    policy = compile_source(wrap("state s: u64 = 0\non init { while s < 5 up to 7 { s += 1 } }"), "p.cpol")
    [loop] = policy.handlers["init"].body
    assert isinstance(loop, ir.For) and isinstance(loop.body[0], ir.If)
    text = generate(policy)
    assert "CPOL_FOR(my_while, cpol_range(1, 7)) {" in text and "break;" in text


def test_no_name_is_hidden_by_it() -> None:
    with pytest.raises(Exception, match="E0011"):
        run(wrap("state while: u64 = 0"), "p.cpol")


def test_layout() -> None:
    text = format_text(wrap("state s: u64 = 0\non init{while s<5 up to 7{s+=1}}"), "p")
    assert "{ while s < 5 up to 7 { s += 1 } }" in text
