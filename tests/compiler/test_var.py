"""Variables of one call: what they hold, how long they live, and what the checker takes them to be."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source
from cpol.compiler.backend.c import generate
from cpol.runtime.machine.interp import Machine

from .examples import wrap


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("var n: u64 = 3  s = n", 3),
        ("var n: u64 = 3  n += 4  n *= 2  n -= 1  s = n", 13),
        ("var n: u8 = s + 300  s = n", 255),
        ("var n: u8 = 250  n += 10  s = n", 255),
        ("var n: u8 = 250  n += 10  n -= 5  s = n", 250),
        ("var n: u64 = 3  if n == 3 { n = 7 }  s = n", 7),
        ("var n: u64 = 3  if n == 3 { if n > 2 { n = 7 } else { n = 8 } }  s = n", 7),
        ("var n: u64 = 0  for i in 1..4 { n += i }  s = n", 10),
        ("for i in 1..4 { var n: u64 = 5  n += i  s += n }", 30),
        ("var n: u64 = 0  for i in 1..9 { n += i  if n > 5 { stop } }  s = n", 6),
        ("if true { var n: u64 = 5  s = n }  var n: u64 = 1  s += n", 6),
        ("var yes: bool = false  var part: fix = 0.25  yes = not yes  part += 1  if yes { s = floor(part * 8) }", 10),
        ("var d: s8 = -100  d -= 100  s = unsigned(d + 200)", 72),
    ],
)
def test_results(body: str, value: int) -> None:
    policy = compile_source(wrap(f"state s: u64 = 0\non init {{ {body} }}"), "p.cpol")
    assert Machine(policy, capacity=8).state["s"] == value


def test_a_scan_changes_the_variable_around_it() -> None:
    text = """state sum: u64 = 0  state calls: u64 = 0
        on evict {
          var n: u64 = 0
          scan queue from head as f { n += f.index  when f.index < 2 { keep }  otherwise { evict f } }
          sum = n  calls += 1
          scan queue from head as f { n += 1  when n > 3 { evict f }  otherwise { sum = n } }
        }"""
    machine = Machine(compile_source(wrap(text), "p.cpol"), capacity=4)
    for index in range(4):
        machine.added(0, index, 1)
    assert [folio.index for folio in machine.evict(3)] == [2, 3, 0]
    assert machine.state == {"sum": 6, "calls": 1}


def test_each_call_begins_anew() -> None:
    text = "state s: u64 = 0\non missed(f) { var n: u64 = 0  n += 1  s = n }"
    machine = Machine(compile_source(wrap(text), "p.cpol"), capacity=4)
    for index in range(3):
        machine.missed(0, index)
    assert machine.state["s"] == 1


def test_the_verifier_does_not_know_the_value() -> None:
    """Else it would follow each round of a loop in which the variable is an index."""
    text = generate(compile_source(wrap("state s: u64 = 0\non init { var n: u8 = 3  n += 2  s = n }"), "p.cpol"))
    assert "u64 my_n = CPOL_VARIABLE(u64, 3);" in text
    assert "my_n = CPOL_VARIABLE(u64, cpol_clamp_u(cpol_add_u64((u64)my_n, 2), 8));" in text


def test_the_verifier_does_not_know_bools_and_enums() -> None:
    """Else it would follow what comes later for each value of each of them: docs/cost.md."""
    text = generate(
        compile_source(
            wrap(
                "enum heat { cold, hot }\nstate s: u64 = 0\nfn g(a: bool): u64 = if a then 1 else 0\n"
                "on init { var b: bool = false  let e = if s > 1 then cold else hot  var n: u64 = 1\n"
                "b = not b  if b and e == hot and n > s { s = g(b) } }"
            ),
            "p.cpol",
        )
    )
    assert "CPOL_HIDE(my_b, false);" in text
    assert "CPOL_HIDE_NEXT(my_b, !CPOL_HIDDEN(bool, my_b));" in text
    assert (
        "CPOL_HIDDEN(u32, my_e) == 1 /* hot */ && CPOL_COMPARED(u64, my_n) > CPOL_COMPARED(u64, cpol_state.my_s)"
        in text
    )
    assert "CPOL_HIDE(my_a, cpol_given_my_a);" in text
    assert "CPOL_STORE(cpol_state.my_s, cpol_fn_my_g(c, CPOL_VARIABLE(u32, CPOL_HIDDEN(bool, my_b))));" in text
