"""Divisors that the compiler proves to be non-zero, and others."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source
from cpol.compiler.diagnostics import CompileError

from .examples import wrap


@pytest.mark.parametrize(
    "body",
    [
        "x = 1 / k",
        "x = 1 / max(x, 1)",
        "x = 1 / min(k, 3)",
        "let n = max(x, 1) x = 1 / n",
        "if x != 0 { x = 1 / x }",
        "if 0 < x { x = 1 / x }",
        "if x > f.pages { x = 1 % x }",
        "if x == 0 { } else { x = 1 / x }",
        "if x == 0 { } else if f.pages > 1 { x = 1 / x }",
        "if not (x == 0) and f.pages > 1 { x = 1 / x }",
        "if x == 0 or f.pages / x > 1 { x = 3 }",
        "if x == 0 { x = 1 } x = 1 / max(x, 1)",
        "if x >= 1 { x += 1 x = 1 / x }",
        "x = 3 x = 1 / x",
        "x = 1 / Z",
        "x = 1 / (Z - 2)",
        "if x != 0 { if f.pages > 1 { f.rank = 1 } x = 1 / x }",
        "x = 1 / 3",
        "for i in 1..9 { x = 1 / i }",
        "if x > 0 { for i in x..9 { x = 1 / i } }",
        "if x > 0 { for i in 0..9 { f.rank = 1 / x } }",
        "x = 8 / (if f.pages > 1 then 2 else k)",
        "x = if x > 0 then 8 / x else 3",
        "x = 1 / max(if f.pages > 1 then 2 else x, 1)",
        "x = divide(8, x)",
        "x = hash(f, 1) % t.size",
        "x = 1 / (x - f.pages + 1)",
        "x = 1 / (k + x)",
        "let n = signed(x) / signed(k) if n > 0 { x = 1 }",
        "let n = 1 / max(signed(k), -3) if n > 0 { x = 1 }",
        "if x > 0 { let n = -1 % signed(x) if n > 0 { x = 1 } }",
        "let n = 1 / min(max(signed(x), 1), 2) if n > 0 { x = 1 }",
        "y = 1 / min(max(y, 0.5), 2.0)",
        "y = 1 / min(max(y, 0.5), max(y, 1.5))",
        "y = 1 / max(min(y, 0.5), 2.0)",
    ],
)
def test_nonzero_divisors_are_accepted(body: str) -> None:
    declared = (
        "state x: u64 = 1\nstate y: fix = 1.0\nconst Z: u8 = 3\nparam k: u8 = 1 in 1..9\nfolio { rank: u8 = 0 }\n"
    )
    declared += "table t: u8[cache.capacity] = 0\nfn divide(a: u64, b: u64): u64 = if b == 0 then 0 else a / b\n"
    compile_source(wrap(f"{declared}on accessed(f) {{ {body} }}"), "p.cpol")


@pytest.mark.parametrize(
    "body",
    [
        "if f.rank > 0 { f.rank = 0 x = 1 / f.rank }",
        "if x > 0 { } x = 1 / x",
        "let n = 1 / signed(x) if n > 0 { x = 1 }",
        "let n = 1 / signed(max(0.5, x)) if n > 0 { x = 1 }",
        "if x >= 0 { x = 1 / x }",
        "if x < 3 { x = 1 / x }",
        "if x != 1 { x = 1 / x }",
        "if x > 0 or f.pages > 1 { x = 1 / x }",
        "if not (x > 0 and f.pages > 1) { x = 1 / x }",
        "x = 1 / max(x, 0)",
        "x = 1 / (3 - 3)",
        "x = 1 / min(x, 1)",
        "let n = x - 1 x = 1 / n",
        "if x > 0 { x -= 1 x = 1 / x }",
        "if cache.capacity > 0 { x = 1 / cache.capacity }",
        "for i in 0..9 { x = 1 / i }",
        "for i in x..9 { x = 1 / i }",
        "if x > 0 { for i in 1..9 { f.rank = 1 / x x = 0 } }",
        "x = 8 / (if f.pages > 1 then 2 else 0)",
        "x = if x > 0 then 8 else 3 / x",
        "if t[1] > 0 { x = 1 / t[1] }",
        "t[1] = 3 x = 1 / t[1]",
        "x = 1 / cache.clock",
        "x = 1 / random(8)",
        "x = 1 / hash(f, 1)",
        "x = 1 / (x + cache.size)",
        "x = 1 / (x - 1)",
    ],
)
def test_unproved_divisors_are_refused(body: str) -> None:
    with pytest.raises(CompileError) as caught:
        compile_source(
            wrap(f"state x: u64 = 1\ntable t: u64[4] = 1\nfolio {{ rank: u8 = 0 }}\non accessed(f) {{ {body} }}"),
            "p.cpol",
        )
    assert [d.code for d in caught.value.diagnostics] == ["E0209"]


def test_fact_ends_with_its_folio() -> None:
    text = """state x: u64 = 1
    folio { rank: u8 = 0 }
    on evict {
      scan queue from head as f { if f.rank > 0 { x = 1 / f.rank } else { stop } }
      scan queue from head as f { x = 1 / f.rank evict f }
    }"""
    with pytest.raises(CompileError) as caught:
        compile_source(wrap(text), "p.cpol")
    assert [d.code for d in caught.value.diagnostics] == ["E0209"]


def test_fact_ends_with_a_round_of_the_scan() -> None:
    text = """state x: u64 = 1
    on evict { if x > 0 { scan queue from head as f { let y = 1 / x x = y evict f } } }"""
    with pytest.raises(CompileError) as caught:
        compile_source(wrap(text), "p.cpol")
    assert [d.code for d in caught.value.diagnostics] == ["E0209"]
