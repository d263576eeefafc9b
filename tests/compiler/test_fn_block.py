"""A fn whose body is a block: what it computes, what it may cost, and how it is laid out."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.format.text import format_text
from cpol.runtime.machine.interp import Machine

from .examples import wrap


def result(fn: str, call: str) -> int:
    text = f"{fn}\nstate s: s64 = 0\non init {{ s = signed({call}) }}"
    return Machine(compile_source(wrap(text), "p.cpol"), capacity=8).state["s"]


@pytest.mark.parametrize(
    ("fn", "call", "value"),
    [
        ("fn a(x: u64): u64 { return x + 1 }", "a(2)", 3),
        ("fn a(x: u64): u64 { let y = x * 2  let z = y + x  return z * z }", "a(2)", 36),
        ("fn a(x: u8): u8 { let y = x * 2  return y - 300 }", "a(200)", 100),
        ("fn a(x: u8): u8 { let y = x * 2  return y }", "a(200)", 255),
        ("fn a(x: u64): fix { let half = 0.5 * x  return half * half }", "a(5)", 6),
        ("fn a(x: u64): u64 { let y = max(x, 1)  return 100 / y }", "a(0)", 100),
        ("fn a(x: u64): u64 { let y = x > 3  return if y then 1 else 2 }", "a(4)", 1),
        ("fn a(x: u64): u64 { let y = x + 1  return y }\nfn b(x: u64): u64 { let y = a(x) + a(x + 1)  return y * 2 }",
         "b(1)", 10),
    ],
)  # fmt: skip
def test_results(fn: str, call: str, value: int) -> None:
    assert result(fn, call) == value


@pytest.mark.slow
def test_operands_of_all_lets_count() -> None:
    lets = [f"let y{n} = {' + '.join(['x'] * 150)}" for n in range(4)]
    assert result(f"fn a(x: u64): u64 {{ {' '.join(lets[:3])} return y0 + y1 + y2 }}", "a(1)") == 450
    with pytest.raises(CompileError, match=r"E0007[^a-z]*`a` and the fns that it calls have more than 1000 operands"):
        result(f"fn a(x: u64): u64 {{ {' '.join(lets)} return y0 + y1 + y2 + y3 }}", "a(1)")


def test_layout() -> None:
    source = wrap("fn a(x: u64): u64 { // why\nlet y=x*2 return y }\nfn b(x: u64): u64 {let y=x return a(y)}")
    text = format_text(source, "p.cpol")
    assert "fn a(x: u64): u64 {  // why\n    let y = x * 2\n    return y\n  }" in text
    assert "fn b(x: u64): u64 { let y = x  return a(y) }" in text
