"""Mutants that the compiler accepts never break a rule of the abstract machine."""

from __future__ import annotations

import re
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cpol.compiler import compile_source
from cpol.compiler.diagnostics import CompileError
from cpol.runtime.explore.check.loop_rounds import asked
from cpol.runtime.explore.check.scenario import perform
from cpol.runtime.machine.interp import InvariantError, Machine

from .corpus import ROOT, WHOLE
from .examples import wrap

POLICIES = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "stdlib").glob("*.cpol"))]
POLICIES += [path.read_text(encoding="utf-8") for path in WHOLE if path.stem != "tinylfu"]
"""tinylfu is left out: a mutant can make the loops that age its sketch too long."""
WORDS = sorted({word for text in POLICIES for word in re.findall(r"\w+|[-+*/%<>=!]+", text)})
LEAVES = st.sampled_from(["0", "1", "7", "x", "f.rank", "f.index", "cache.size", "k", "t[n]", "18446744073709551615"])
DIVISORS = st.sampled_from(["x", "f.rank", "n", "k", "3", "i", "t[1]", "(if x > 0 then x else k)", "half(x)"])
VALUES = st.one_of(
    LEAVES,
    st.tuples(LEAVES, st.sampled_from(["+", "-", "*"]), LEAVES).map(" ".join),
    st.tuples(LEAVES, st.sampled_from(["&", "|", "^", "<<", ">>"]), LEAVES).map(" ".join),
    LEAVES.map(lambda leaf: f"~{leaf}"),
    st.tuples(LEAVES, st.sampled_from(["/", "%"]), DIVISORS).map(" ".join),
)
TESTS = st.tuples(
    st.sampled_from(["x", "f.rank", "n"]),
    st.sampled_from(["==", "!=", "<", ">", ">="]),
    st.sampled_from(["0", "1", "k"]),
).map(" ".join)
CONDITIONS = st.one_of(
    TESTS,
    TESTS.map(lambda test: f"not ({test})"),
    st.tuples(TESTS, st.sampled_from(["and", "or"]), st.one_of(TESTS, VALUES.map(lambda v: f"{v} > 1"))).map(" ".join),
)

quick = settings(max_examples=50)


def run_it(text: str) -> bool:
    """Return whether `text` compiles; if it does, run it."""
    try:
        policy = compile_source(text, "mutant.cpol")
    except CompileError:
        return False
    try:
        machine = Machine(policy, capacity=4)
        for step in range(40 if policy.evicts else 0):
            machine.request(0, (step * step + step // 7) % 11)
        for one in islice(asked(policy), 40 if policy.prefetches else 0):
            perform(one, machine)
    except InvariantError:
        pass  # a mutant's invariant may be false
    return True


@pytest.mark.slow
@quick
@given(st.sampled_from(POLICIES), st.data())
def test_mutants(text: str, data: st.DataObject) -> None:
    pieces = re.split(r"(\w+|[-+*/%<>=!]+)", text)
    start = next(i for i, piece in enumerate(pieces) if piece == "policy")
    place = data.draw(st.integers(start, len(pieces) - 1))
    if place % 2 == 1:  # odd places are words and operators
        pieces[place] = data.draw(st.sampled_from(WORDS))
    run_it("".join(pieces))


@pytest.mark.slow
def test_divisions() -> None:
    compiled = 0

    @quick
    @given(st.sampled_from(["0", "1", "x", "k"]), CONDITIONS, VALUES, CONDITIONS, VALUES, VALUES)
    def divide(low: str, first: str, value: str, second: str, last: str, other: str) -> None:
        nonlocal compiled
        compiled += run_it(
            wrap(f"""
            folio {{ rank: u2 = 1 }}
            state x: u8 = 1
            param k: u8 = 2 in 1..3
            table t: u4[3] = 1
            fn half(a: u64): u8 = a / 2
            on accessed(f) {{
              let n = f.index + x
              for i in {low}..3 {{
                if {first} {{ x = {value} if {second} {{ f.rank = {last} }} }} else {{ x = {other} f.rank = {last} }}
                t[i] = x
              }}
            }}""")
        )

    divide()
    assert compiled > 10  # otherwise the test checks nothing
