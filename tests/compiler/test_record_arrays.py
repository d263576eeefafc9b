"""Arrays in records: their layout, what an index means, and what the checker knows of elements."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source, ir
from cpol.compiler.backend.c import generate
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.ir import layout
from cpol.runtime.machine.interp import Machine

from .examples import wrap


def compiled(text: str) -> ir.Policy:
    return compile_source(wrap(text), "p.cpol")


@pytest.mark.parametrize(
    ("fields", "size"),
    [
        ("h: u64[2] = 0", 16),
        ("h: u64[8] = 0", 64),
        ("h: u8[64] = 0", 64),
        ("h: u1[3] = 0", 3),
        ("h: u12[3] = 0", 6),
        ("h: bool[2] = true, n: u64 = 0, x: u3 = 0, y: u5 = 1", 16),
        ("h: fix[1] = 0.5, s: s32[3] = -1", 24),
    ],
)
def test_elements_take_whole_bytes(fields: str, size: int) -> None:
    policy = compiled(f"folio {{ {fields} }} on accessed(f) {{ f.h[0] = f.h[1] }}")
    assert layout.record_size(layout.record(policy.fields)) == size
    assert generate(policy)  # the C compiler asserts the same size: tests/property build such policies


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("f.h[0] = 5", [5, 7]),
        ("f.h[1] = 300 + f.index", [7, 255]),
        ("f.h[2] = 5", [7, 5]),
        ("f.h[1000000] += 5", [7, 12]),
        ("f.h[f.h[0] - 7] *= 2", [14, 7]),
        ("f.h[warm] -= 8", [7, 0]),
        ("f.h[0] = f.h[1] + f.index  f.h[1] = f.h[0] + 1", [10, 11]),
        ("for i in 0..1 { f.h[i] += i + 1 }", [8, 9]),
    ],
)
def test_results(body: str, values: list[int]) -> None:
    text = f"enum heat {{ cold, warm }} folio {{ h: u8[2] = 7 }} on accessed(f) {{ {body} }}"
    machine = Machine(compiled(text), capacity=4)
    machine.added(0, 3, 1)
    machine.first_accessed(0, 3)
    machine.accessed(0, 3)
    assert machine.cache[0, 3].fields == {"h[0]": values[0], "h[1]": values[1]}


def test_the_index_comes_before_the_value() -> None:
    text = "folio { h: u8[8] = 0 } on accessed(f) { f.h[random(8)] = random(200) + 1 }"
    machine = Machine(compiled(text), capacity=4)
    machine.added(0, 3, 1)
    machine.first_accessed(0, 3)
    first = Machine(compiled("state a: u64 = 0 state b: u64 = 0 on init { a = random(8) b = random(200) }"), capacity=4)
    machine.accessed(0, 3)
    assert machine.cache[0, 3].fields[f"h[{first.state['a']}]"] == first.state["b"] + 1


def test_nothing_is_known_of_elements() -> None:
    text = "folio { h: u8[2] = 1 } state s: u64 = 0 on accessed(f) { if f.h[0] > 0 { s = 8 / f.h[0] } }"
    with pytest.raises(CompileError, match="E0209"):
        compiled(text)


def test_a_constant_index_costs_no_comparison_and_an_element_no_fast_path() -> None:
    text = "folio { h: u64[2] = 0 } score s(f) = f.h[1] on evict { evict lowest s of up to 9 from head of queue }"
    text = text.replace(" on evict", " on accessed(f) { f.h[0] = 1 } on evict")
    generated = generate(compiled(text))
    assert "CPOL_ADD_CANDIDATES_BY" not in generated
    assert "cpol_within(cpol_rec_f->my_h, 1)" in generated


def test_actions_change_elements() -> None:
    text = """folio { h: u64[2] = 0 }
        action touch(f: folio, n: u64) { f.h[n] += f.h[1 - n] + 1 }
        on accessed(g) { do touch(g, 1)  do touch(g, g.h[0]) }"""
    machine = Machine(compiled(text), capacity=4)
    for _ in range(2):
        machine.request(0, 3)
    assert machine.cache[0, 3].fields == {"h[0]": 2, "h[1]": 1}
