"""Actions: what a call does, which names it sees, what it may cost, and where its errors point."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source
from cpol.compiler.backend.c import generate
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.format.text import format_text
from cpol.compiler.stages import run
from cpol.runtime.explore.check.policy_test import run_test
from cpol.runtime.machine.interp import Machine

from .examples import wrap


def state(actions: str, call: str) -> int:
    text = f"state s: u64 = 0\n{actions}\non init {{ {call} }}"
    return Machine(compile_source(wrap(text), "p.cpol"), capacity=8).state["s"]


@pytest.mark.parametrize(
    ("actions", "call", "value"),
    [
        ("action a() { s += 1 }", "do a() do a()", 2),
        ("action a(x: u64) { s += x }", "do a(s + 3) do a(s * 2)", 9),
        ("action a(x: u8) { s = x }", "do a(s + 300)", 255),
        ("action a(x: u64, y: u64) { let x2 = x * x  s += x2 / max(y, 1) }", "do a(6, 2) do a(4, 0)", 34),
        ("action a(x: u64) { s += x }\naction b(x: u64) { do a(x + 1)  do a(x) }", "do b(1)", 3),
        ("action a(x: u64) { let y = x + 1  s += y }", "let x = 5  let y = 7  do a(x) do a(y)  s += x + y", 26),
        ("action a(x: u64) { if x > 1 { let y = x  s += y } else { let y = 7  s += y } }", "do a(1) do a(2)", 9),
        ("action a(x: u64) { for i in 1..x { s += i } }", "for i in 1..2 { do a(i) }", 4),
        ("action a(x: u64) { var y: u8 = 250  y += x  s += y }", "do a(10) do a(1)", 506),
    ],
)
def test_effects(actions: str, call: str, value: int) -> None:
    assert state(actions, call) == value


def test_folios_and_lists() -> None:
    text = """policy p {
      list queue, hot
      folio { freq: u8 = 0 }
      action adopt(f: folio, where: list) { if where.size > 1 { leave f } else { place f at tail of where } }
      action promote(f: folio) { f.freq += 1  if f.list == queue { move f to tail of hot } }
      action drop(f: folio) { if f.freq < 2 { evict f } else { move f to tail of queue } }
      on added(f) { do adopt(f, queue) }
      on accessed(g) { do promote(g) }
      on evict { scan hot from head as h { do drop(h) }  scan queue from head as f { evict f } }
    }"""
    test = """test moves(capacity: 3) {
      access 1..3, 1, 2
      expect hot.is(1, 2) and queue.size == 0 and cache.size == 2 and cache.freq(2) == 1
      access 1, 1
      reclaim 1
      expect queue.is(1) and cache.size == 1
    }"""
    policy = compile_source(text.replace("on added", f"{test}\non added"), "p.cpol")
    assert [run_test(policy, each) for each in policy.tests] == [None]


def test_lists_of_an_array() -> None:
    """The index of `level[i]` is computed once, before the body."""
    text = """policy p {
      list queue
      list level[3]
      state n: u64 = 0
      action put(f: folio, where: list) { n += 10  move f to tail of where }
      action raise(f: folio, where: list) { n += 1  if where.size < 2 { do put(f, where) } else { do put(f, queue) } }
      action drain(where: list, most: u64) { scan where from head up to most as f { evict f } }
      action all(lists: list) { for i in 0..2 { do drain(lists[2 - i], i + 1) } }
      on added(f) { place f at tail of level[0] }
      on accessed(f) { n = f.index  let where = n + 0  do raise(f, level[where]) }
      on evict { do all(level)  do drain(queue, queue.size) }
    }"""
    test = """test moves(capacity: 8) {
      access 0..4, 0..4, 9, 9
      expect level[1].is(1) and level[2].is(2, 3) and queue.is(0, 4, 9) and n == 20
      reclaim 4
      expect level[1].size == 0 and level[2].is(3) and queue.is(9)
    }"""
    policy = compile_source(text.replace("on added", f"{test}\non added"), "p.cpol")
    assert [run_test(policy, each) for each in policy.tests] == [None]


WRONG = [
    ("action a(x: u64) { s += x }", "do a()", "E0213", "`a` takes 1 argument, not 0"),
    ("action a(x: u64) { s += x }", "do a(true)", "E0201", "`x` needs a `u64`"),
    ("action a(x: u64) { x += 1  s += x }", "do a(1)", "E0210", "`x` cannot be assigned to"),
    ("action a(x: u64) { s += y + x }", "let y = 2  do a(y)", "E0101", "nothing in `a` is called `y`"),
    ("action a(x: u64) { do b(x) }\naction b(x: u64) { s += x }", "do a(1)", "E0108", "`b` is called before"),
    ("action a(x: u64) { do a(x) }", "do a(1)", "E0108", "`a` is called before"),
    ("action a(f: folio) { s += f.index }", "do a(1)", "E0107", "`f` of `a` needs a folio"),
    ("action a(l: list) { s += l.size }", "do a(s)", "E0107", "`l` of `a` needs a list"),
    ("action a(x: u64) { s += x }", "do b(1)", "E0101", "there is no action `b`"),
    ("fn a(x: u64): u64 = x", "do a(s)", "E0107", "`a` is a fn, not an action"),
    ("action a(x: u64) { s += x }", "s = a(1)", "E0109", "`a` is an action, not a function"),
    ("action a(x: u64) { s += x }", "s = a", "E0107", "`a` is an action, not a value"),
    ("action a(x: mode) { s += x }", "do a(1)", "E0104", "there is no type `mode`"),
    ("action s(x: u64) { s += x }", "do s(1)", "E0102", "`s` is declared twice"),
    ("action a(x: u64) { s += x }", "do a(x: 1)", "E0219", "`a` takes no named"),
    ("fn a(l: list): u64 = l.size", "s = 1", "E0104", "a parameter of a fn cannot be a list"),
]


@pytest.mark.parametrize(("actions", "call", "code", "message"), WRONG)
def test_wrong(actions: str, call: str, code: str, message: str) -> None:
    with pytest.raises(CompileError) as error:
        state(actions, call)
    found = [d for d in error.value.diagnostics if d.code == code]
    assert found and message in found[0].message


PATHS = [
    ("action a(f: folio) { if f.pages > 1 { place f at tail of queue } }", "do a(f)", "E0302"),
    ("action a(f: folio) { place f at tail of queue }", "do a(f)  do a(f)", "E0303"),
    ("action a(f: folio) { place f at tail of queue }", "for i in 0..1 { do a(f) }", "E0303"),
]


@pytest.mark.parametrize(("action", "call", "code"), PATHS)
def test_placed_once(action: str, call: str, code: str) -> None:
    text = wrap(f"{action}\non added(f) {{ {call} }}")
    with pytest.raises(CompileError) as error:
        run(text, "p.cpol")
    assert code in [d.code for d in error.value.diagnostics]


@pytest.mark.parametrize(
    ("action", "call", "code"),
    [
        ("action a(f: folio) { evict f }", "do a(f)  do a(f)", "E0308"),
        ("action a(f: folio) { evict f }", "do a(f)  n += f.index", "E0307"),
        ("action a(f: folio) { n += f.index }", "evict f  do a(f)", "E0307"),
        ("action a(x: u64) { n += x }", "evict f  do a(f.index)", "E0307"),
    ],
)
def test_evicted_once(action: str, call: str, code: str) -> None:
    text = wrap(
        f"state n: u64 = 0\n{action}\non evict {{ scan queue from head as f {{ {call} }} }}\non init {{ n = n + 1 }}"
    )
    with pytest.raises(CompileError) as error:
        run(text, "p.cpol")
    assert code in [d.code for d in error.value.diagnostics]


def test_an_error_names_the_call_and_speaks_once() -> None:
    actions = "action inner(f: folio) {\n  f.list = 2\n}\naction outer(f: folio) { do inner(f) }"
    with pytest.raises(CompileError) as error:
        run(wrap(f"{actions}\non accessed(g) {{ do outer(g)  do outer(g) }}"), "p.cpol")
    [found] = error.value.diagnostics
    text = str(error.value)
    assert found.code == "E0210" and text.count("in this call") == 2
    assert "do inner(f)" in text and "do outer(g)" in text


def test_generated_c_names_the_lines_of_the_body() -> None:
    text = wrap("state s: u64 = 0\naction a(x: u64) {\n  s += x\n}\non init {\n  do a(s + 1)\n}")
    lines = generate(run(text, "p.cpol").policy).splitlines()
    at = {line.partition("//")[0].strip(): lines[n - 1].strip() for n, line in enumerate(lines)}
    assert at["CPOL_STORE(cpol_state.my_s, cpol_add_u64(cpol_state.my_s, my_x));"] == '#line 5 "p.cpol"'


@pytest.mark.slow
def test_limits() -> None:
    chain = "action a0() { s += 1 }\n" + "\n".join(f"action a{n}() {{ do a{n - 1}() }}" for n in range(1, 10))
    assert state(chain, "do a7()") == 1
    with pytest.raises(CompileError, match=r"E0007[^a-z]*actions call each other more than 8 deep"):
        state(chain, "do a8()")
    many = "action a0() { s += 1 }\n" + "\n".join(f"action a{n}() {{ {f'do a{n - 1}() ' * 30} }}" for n in range(1, 8))
    assert state(many, "do a1()") == 30
    with pytest.raises(CompileError, match=r"E0007[^a-z]*the bodies of all actions that are called come to more than"):
        state(many, "do a7()")
    deep = "action a0() { s += 1 }\n" + "\n".join(
        f"action a{n}() {{ {'if s < 9 { ' * 12} do a{n - 1}() {'} ' * 12} }}" for n in range(1, 6)
    )
    assert state(deep, "do a3()") == 1
    with pytest.raises(CompileError, match=r"E0007[^a-z]*with what this does, statements are nested more than 50 deep"):
        state(deep, "do a5()")


def test_unused() -> None:
    compiled = run(wrap("action a(f: folio) { move f to tail of queue }"), "p.cpol")
    assert [d.message for d in compiled.warnings] == ["`a` is never used"]


def test_layout() -> None:
    text = format_text(wrap("action a(f:folio,to_:list){move f to tail of to_}\non accessed(f){do a(f,queue)}"), "p")
    assert "action a(f: folio, to_: list) { move f to tail of to_ }" in text
    assert "on accessed(f) { do a(f, queue) }" in text
