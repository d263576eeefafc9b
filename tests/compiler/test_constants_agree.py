"""Constant folding agrees with the interpreter."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from quick import examples

from cpol.compiler import compile_source
from cpol.compiler.diagnostics import CompileError
from cpol.runtime.machine.interp import Machine

from .examples import wrap

NUMBERS = ["0", "1", "2", "3", "7", "65536", "9223372036854775807", "18446744073709551615", "140737488355327"]
FRACTIONS = ["0.5", "1.25", "3.3333", "0.00001", "140737488355327.5"]
LITERALS = st.sampled_from([*NUMBERS, *FRACTIONS, "signed(3)", "-2", "-0.75"])
EXPRESSIONS = st.recursive(
    LITERALS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "&", "|", "^", "<<", ">>"]), inner).map(
            lambda t: f"({' '.join(t)})"
        ),
        st.tuples(inner, st.sampled_from(["/", "%"]), st.sampled_from(["3", "0.75", "-2"])).map(
            lambda t: f"({' '.join(t)})"
        ),
        st.tuples(st.sampled_from(["floor", "ceil", "signed", "unsigned", "-", "~", "log2", "exp2"]), inner).map(
            lambda t: f"{t[0]}({t[1]})"
        ),
        st.tuples(inner, inner, inner).map(lambda t: f"(if {t[0]} < {t[1]} then {t[1]} else {t[2]})"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
    ),
    max_leaves=8,
)


@settings(max_examples=examples(60))
@given(EXPRESSIONS)
def test_constants_agree(expression: str) -> None:
    for type in ("fix", "s64", "u64"):
        text = (
            f"const C: {type} = {expression}\nstate a: {type} = C\nstate b: {type} = 0\non init {{ b = {expression} }}"
        )
        try:
            policy = compile_source(wrap(text), "p.cpol")
        except CompileError:
            continue
        machine = Machine(policy, capacity=8)
        assert machine.state["a"] == machine.state["b"], (type, expression)
