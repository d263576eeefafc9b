"""The language of --keep-if: what it means, what it refuses and where, and that no text does anything else."""

from __future__ import annotations

import string
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick import examples

from cpol.runtime.operate.trial.expression import MAX_LENGTH, ExpressionError, Rule, UnknownError

NAMES = ("refaults", "misses", "pressure")
NOW = {"refaults": 10.0, "misses": 4.0, "pressure": None}
BEFORE = {"refaults": 8.0, "misses": 5.0, "pressure": 1.0}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("refaults <= 1.25 * before", True),
        ("refaults <= 1.2 * before", False),
        ("refaults < before or misses < before", True),
        ("not refaults < before", True),
        ("not (misses < before and refaults > 9)", False),
        ("misses < before < refaults", False),
        ("refaults + misses <= before.refaults + before.misses + 1", True),
        ("before.pressure == 1", True),
        ("0 < misses <= before", True),
        ("-refaults < +before / 2 - 1", True),
        ("refaults != 10", False),
        ("2 * misses >= 8 and 1e3 > refaults", True),
        ("  misses<before  ", True),
        ("refaults > before or pressure > 1", True),
    ],
)
def test_meaning(text: str, holds: bool) -> None:
    if text == "misses < before < refaults":
        with pytest.raises(ExpressionError, match=r"before.NAME"):
            Rule(text, NAMES)
        return
    assert Rule(text, NAMES).holds(NOW, BEFORE) is holds


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("", 1, "empty"),
        ("   ", 1, "empty"),
        ("refaults", 1, "no comparison"),
        ("refaults < 1 and misses", 18, "no comparison"),
        ("refaults <", 11, "no rule"),
        ("  refalts < 1", 3, "no measure `refalts`; the measures are misses, pressure, refaults"),
        ("refaults < befor", 12, "no measure `befor`"),
        ("refaults < before.miss", 12, "no measure `miss`"),
        ("refaults < misses.before", 12, "only `before` has parts"),
        ("refaults < before.misses.real", 12, "only `before` has parts"),
        ("refaults + misses < before", 1, "`before` is of the one measure"),
        ("1 < before", 1, "`before` is of the one measure"),
        ("before < before", 1, "`before` is of the one measure"),
        ("refaults < 2 ** 3", 12, "no number"),
        ("refaults < 7 // 2", 12, "no number"),
        ("refaults < (misses < 2)", 13, "no number"),
        ("refaults is 1", 1, "a comparison is one of"),
        ("refaults in misses", 1, "a comparison is one of"),
        ("refaults < True", 12, "no number"),
        ("refaults < 1j", 12, "no number"),
        ("refaults < 1e999", 12, "too large"),
        ("refaults < exit()", 12, "no number"),
        ("refaults < 1 if misses else 2", 1, "no comparison"),
        ("refaults < [1]", 12, "no character '['"),
        ("refaults < '1'", 12, "no character"),
        ("refaults < 1, misses < 1", 13, "no character"),
        ("réfaults < 1", 2, "no character"),
        ("refaults\n< 1", 9, "no character"),
        ("refaults := 1", 10, "no character"),
        (f"refaults < {'9' * 400}", 12, "too large"),
        (f"refaults < {'1+' * 600}1", MAX_LENGTH + 1, "longer than"),
        (f"refaults < {'(' * 300}1{')' * 300}", 212, "too many nested parentheses"),
        (f"{'not ' * 100}refaults < 1", 165, "nested too deeply"),
    ],
)
def test_refusals(text: str, column: int, said: str) -> None:
    with pytest.raises(ExpressionError) as error:
        Rule(text, NAMES)
    assert said in str(error.value)
    assert error.value.column == column


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pressure < 1", "`pressure` is not known"),
        ("pressure <= before", "`pressure` is not known"),
        ("refaults < misses / (refaults - 10)", "`misses / (refaults - 10)` divides by 0"),
        ("refaults < 1e308 * 10", "`1e308 * 10` is no finite number"),
    ],
)
def test_unknown(text: str, said: str) -> None:
    with pytest.raises(UnknownError) as error:
        Rule(text, NAMES).holds(NOW, BEFORE)
    assert str(error.value) == said
    with pytest.raises(UnknownError, match="`misses` was not known before"):
        Rule("misses <= before", NAMES).holds(NOW, {})


def test_what_a_rule_uses() -> None:
    rule = Rule("refaults <= before and misses < 3 * before.pressure", NAMES)
    assert rule.used == {"refaults", "misses"} and rule.used_before == {"refaults", "pressure"}


def test_comparisons_are_told() -> None:
    told = Rule("refaults <= 1.05 * before and (misses < before or pressure < 1)", NAMES).compared(NOW, BEFORE)
    assert [(one.text, one.values, one.holds) for one in told] == [
        ("refaults <= 1.05 * before", (10.0, 8.4), False),
        ("misses < before", (4.0, 5.0), True),
    ]


@settings(max_examples=examples(500))
@given(st.text(max_size=60) | st.text(alphabet=string.printable, max_size=80))
def test_any_text_is_a_rule_or_an_error_with_its_column(text: str) -> None:
    try:
        rule = Rule(text, NAMES)
    except ExpressionError as error:
        assert 1 <= error.column <= len(text) + 1
        return
    with suppress(UnknownError):
        assert rule.holds(NOW, BEFORE) in (True, False)


numbers = st.integers(0, 1000).map(str) | st.floats(0, 1e6).map(repr)
terms = st.recursive(
    numbers | st.sampled_from(["refaults", "misses", "before.refaults", "before.misses"]),
    lambda inner: (
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda parts: f"({' '.join(parts)})")
        | inner.map(lambda text: f"(-{text})")
    ),
    max_leaves=8,
)
comparisons = st.tuples(terms, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), terms).map(" ".join)
rules = st.recursive(
    comparisons,
    lambda inner: (
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda parts: f"({' '.join(parts)})")
        | inner.map(lambda text: f"(not {text})")
    ),
    max_leaves=6,
)


@pytest.mark.slow
@settings(max_examples=examples(500))
@given(rules, st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_it_means_what_python_means(text: str, a: float, b: float, c: float, d: float) -> None:
    now, before = {"refaults": a, "misses": b}, {"refaults": c, "misses": d}
    python = text.replace("before.refaults", "c").replace("before.misses", "d")
    python = python.replace("refaults", "a").replace("misses", "b")
    if len(text) > MAX_LENGTH:
        return
    try:
        expected = eval(python, {"__builtins__": {}}, {"a": a, "b": b, "c": c, "d": d})  # its own grammar made it
    except ZeroDivisionError:
        return
    try:
        assert Rule(text, ("refaults", "misses")).holds(now, before) is expected
    except UnknownError as error:
        assert "finite" in str(error) or "divides" in str(error)
