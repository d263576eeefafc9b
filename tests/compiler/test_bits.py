"""Operations on bits: what they compute, which ranges the checker takes them to have, and how they are laid out."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick import examples

from cpol.compiler import arithmetic, compile_source, ir
from cpol.compiler.analysis.upper_bound import Setting, upper_bound
from cpol.compiler.format.text import format_text
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.explain import text

from .examples import wrap

TOP = 2**64 - 1
NUMBERS = st.one_of(st.integers(0, 70), st.integers(0, TOP), st.integers(0, 64).map(lambda bit: min(1 << bit, TOP)))
RANGES = st.tuples(NUMBERS, NUMBERS).map(lambda ends: (min(ends), max(ends)))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("12 & 10", 8), ("12 | 10", 14), ("12 ^ 10", 6), ("~0", TOP), ("~5", TOP - 5), ("~~5", 5),
        ("1 << 63", 2**63), ("3 << 63", 2**63), ("1 << 64", 0), (f"{TOP} << 1", TOP - 1), (f"1 << {TOP}", 0),
        (f"{TOP} >> 63", 1), (f"{TOP} >> 64", 0), (f"{TOP} >> {TOP}", 0), ("5 >> 1", 2), ("0 << 64", 0),
        ("1 | 2 | 4", 7), ("7 & 6 & 3", 2), ("1 ^ 1 ^ 1", 1), ("(1 << 4) | 1", 17), ("~1 & 7", 6),
    ],
)  # fmt: skip
def test_results(expression: str, value: int) -> None:
    """A constant, and computed at run time from states."""
    varied = re.sub(r"\d+", r"(\g<0> + zero)", expression)
    declarations = f"const C: u64 = {expression}\nstate zero: u64 = 0\nstate a: u64 = C\nstate b: u64 = 0"
    policy = compile_source(wrap(f"{declarations}\non init {{ b = {varied} }}"), "p.cpol")
    assert Machine(policy, capacity=8).state == {"zero": 0, "a": value, "b": value}


@settings(max_examples=examples(400))
@given(st.sampled_from(sorted(arithmetic.BITS.values())), RANGES, RANGES, st.randoms(use_true_random=False))
def test_results_are_within_their_range(op, left, right, rng):
    low, high = arithmetic.bits_range(op, left, right)
    assert 0 <= low <= high <= TOP
    for a, b in itertools.product((*left, rng.randint(*left)), (*right, rng.randint(*right))):
        assert low <= arithmetic.bits(op, a, b) <= high


@pytest.mark.parametrize("op", sorted(arithmetic.BITS.values()))
def test_upper_bounds_hold(op):
    """Of a name that is at most 100 or 5, with a constant on the other side."""
    few = ir.Local("few", ir.U64)
    for most, number in itertools.product((100, 5), (0, 1, 3, 63, 64, 200)):
        lets = {"few": upper_bound(ir.Convert(ir.State("s", ir.IntType(False, 8)), ir.U64), Setting(64, {}), {})}
        lets = {"few": type(lets["few"])(most, "few")}
        for sides in ((few, ir.Const(number, ir.U64)), (ir.Const(number, ir.U64), few)):
            found = upper_bound(ir.Bits(op, *sides), Setting(64, {}), lets)
            values = [[v] if isinstance(side, ir.Const) else range(most + 1) for side in sides for v in (number,)]
            assert found.raw >= max(arithmetic.bits(op, a, b) for a, b in itertools.product(*values))


@pytest.mark.parametrize(
    "expression", ["(a & 7) + b", "~a & b", "(a << 1) | b", "(a & b) == (a >> 3)", "a | b | c", "(a + b) ^ ~(a + c)"]
)
def test_messages_and_layout_show_them_as_written(expression):
    declarations = "state a: u64 = 0\nstate b: u64 = 0\nstate c: u64 = 0\nstate d: u64 = 0\nstate e: bool = true"
    target = "e" if "==" in expression else "d"
    source = wrap(f"{declarations}\non init {{ {target} = {expression} }}")
    [statement] = compile_source(source, "p.cpol").handlers["init"].body
    assert isinstance(statement, ir.SetState)
    assert text(statement.value) == expression.replace("a | b | c", "(a | b) | c")
    tight = source.replace(expression, expression.replace(" ", ""))
    assert f"{target} = {expression}" in format_text(tight, "p.cpol")
