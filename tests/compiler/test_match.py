"""`match`: which arm runs, and what the passes take it to be."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source, ir
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.ir import walk
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.events import DELETED, EVICTED

from .examples import wrap

HEAT = "enum heat { cold, warm, hot }\n"


@pytest.mark.parametrize(
    ("arms", "values"),
    [
        ("cold { s = 1 } warm { s = 2 } hot { s = 3 }", [1, 2, 3]),
        ("hot { s = 3 } cold { s = 1 } warm { s = 2 }", [1, 2, 3]),
        ("cold, hot { s = 1 } warm { s = 2 }", [1, 2, 1]),
        ("warm { s = 2 } otherwise { s = 4 }", [4, 2, 4]),
        ("warm, hot { s = 2 } otherwise { s = 4 }", [4, 2, 2]),
        ("cold { } warm { s = 2 } otherwise { }", [0, 2, 0]),
        ("cold { h = hot  s += 1 } warm { s += 10 } hot { s += 100 }", [1, 10, 100]),
    ],
)
def test_the_arm_of_the_member_runs(arms: str, values: list[int]) -> None:
    for heat, value in zip(("cold", "warm", "hot"), values, strict=True):
        text = f"{HEAT}state s: u64 = 0\nstate h: heat = {heat}\non init {{ match h {{ {arms} }} }}"
        assert Machine(compile_source(wrap(text), "p.cpol"), capacity=8).state["s"] == value, heat


def test_lists_and_reasons() -> None:
    text = """list small
        state from_small: u64 = 0  state others: u64 = 0  state evictions: u64 = 0
        on added(f) { place f at tail of small }
        on accessed(f) { match f.list { small { move f to tail of queue } otherwise { others += 1 } } }
        on removed(f, why) {
          match why { evicted { evictions += 1 } deleted { } }
          match f.list { small { from_small += 1 } otherwise { } }
        }
        on evict { scan small from head as f { evict f } scan queue from head as f { evict f } }"""
    machine = Machine(compile_source(wrap(text), "p.cpol"), capacity=4)
    for index in range(3):
        machine.added(0, index, 1)
    machine.first_accessed(0, 0)
    machine.accessed(0, 0)
    machine.accessed(0, 0)
    machine.removed(0, 1, DELETED)
    for folio in machine.evict(2):
        machine.removed(0, folio.index, EVICTED)
    assert machine.state["others"] == 1 and machine.state["evictions"] == 2
    assert machine.state["from_small"] == 2


def test_all_members_place_the_folio() -> None:
    arms = "cold { place f at head of queue } warm, hot { place f at tail of queue }"
    compile_source(wrap(f"{HEAT}state h: heat = cold\non added(f) {{ match h {{ {arms} }} }}"), "p.cpol")
    less = "cold { place f at head of queue } warm, hot { h = cold }"
    with pytest.raises(CompileError, match="not placed when `h == cold` does not hold"):
        compile_source(wrap(f"{HEAT}state h: heat = cold\non added(f) {{ match h {{ {less} }} }}"), "p.cpol")


@pytest.mark.parametrize("block", ["{ }", "{ s = 5 }", "{ s = 5  s += 1 }"])
@pytest.mark.parametrize("arms", ["otherwise", "cold, warm, hot", "cold, warm, hot { } otherwise"])
def test_one_that_chooses_nothing_is_refused(arms: str, block: str) -> None:
    text = f"{HEAT}state s: u64 = 0\nstate h: heat = cold\non init {{ match h {{ {arms} {block} }} }}"
    with pytest.raises(CompileError, match=r"E0223\D+ this `match` chooses nothing"):
        compile_source(wrap(text), "p.cpol")


def test_it_is_an_if() -> None:
    """So interpreter, native code and BPF need to know nothing of it."""
    text = f"{HEAT}state h: heat = cold\nstate s: u64 = 0\n"
    choice = "match h { cold { s = 1 } warm, hot { s = 2 } }"
    same = "if h == cold { s = 1 } else { s = 2 }"
    bodies = [
        compile_source(wrap(f"{text}on init {{ {body} }}"), "p.cpol").handlers["init"].body for body in (choice, same)
    ]
    first, second = (body[0] for body in bodies)
    assert isinstance(first, ir.If) and isinstance(second, ir.If)
    assert first.cond == second.cond


@pytest.mark.parametrize("arms", [2, 8, 9, 49, 60, pytest.param(255, marks=pytest.mark.slow)])
@pytest.mark.parametrize("otherwise", [False, True])
def test_any_number_of_arms(arms: int, otherwise: bool) -> None:
    """Each arm takes its member, and no pass recurses deeply."""
    number = arms + 1 if otherwise else arms
    members = ", ".join(f"m{n}" for n in range(number))
    blocks = " ".join(f"m{n} {{ s = {n + 1}  e = m{(n + 1) % number} }}" for n in range(arms))
    rest = f"otherwise {{ s = {arms + 1}  e = m0 }}" if otherwise else ""
    for first in sorted({0, 1, arms // 2, arms - 1, number - 1}):
        head = f"enum big {{ {members} }}\nstate e: big = m{first}\nstate s: u64 = 0\n"
        policy = compile_source(wrap(f"{head}on init {{ match e {{ {blocks} {rest} }} }}"), "p.cpol")
        assert Machine(policy, capacity=4).state["s"] == first + 1
    assert depth(policy.handlers["init"].body) <= 16


def depth(body: tuple[ir.Stmt, ...]) -> int:
    return max((1 + depth(walk.children(statement)) for statement in body), default=0)


def test_arms_inside_arms_nest() -> None:
    members = ", ".join(f"m{n}" for n in range(60))
    inner = "s = 1"
    for _ in range(8):
        arms = [f"m{n} {{ s = {n} }}" for n in range(59)]
        inner = f"match e {{ {' '.join(arms)} m59 {{ {inner} }} }}"
    head = f"enum big {{ {members} }}\nstate e: big = m0\nstate s: u64 = 0\n"
    with pytest.raises(CompileError, match="nested more than 50 deep"):
        compile_source(wrap(f"{head}on init {{ {inner} }}"), "p.cpol")
