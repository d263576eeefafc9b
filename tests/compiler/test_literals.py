"""Text of values: the shortest decimal that reads back as the same value."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick import QUICK, examples

from cpol.compiler import compile_source
from cpol.compiler.arithmetic import fraction
from cpol.compiler.diagnostics.report import CompileError
from cpol.compiler.literals import MAX_FRACTION_DIGITS, show_fix, show_value
from cpol.compiler.stages import run
from cpol.compiler.types import BOOL, FIX, S64, EnumType
from cpol.runtime.machine.interp import Machine

from .examples import wrap


@settings(max_examples=examples(2000))
@given(st.integers(-(2**63), 2**63 - 1))
def test_shown_value_is_read_back(raw: int) -> None:
    assert fraction(show_fix(raw)) == raw


@pytest.mark.slow
def test_shown_fraction_is_the_shortest() -> None:
    for raw in range(0, 1 << 16, QUICK):
        text = show_fix(raw)
        assert fraction(text) == raw and len(text) <= len("0.12345")
        digits = len(text.partition(".")[2])
        if digits:
            nearest = round(Fraction(raw, 1 << 16), digits - 1)
            assert round(nearest * (1 << 16)) != raw, text


@pytest.mark.parametrize("digits", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_decimals_are_shown_as_written(digits: int) -> None:
    for number in range(10**digits):
        written = f"{number / 10**digits:.{digits}f}"
        for text in (written, f"7{written[1:]}", f"-140737488355327{written[1:]}"):
            assert show_fix(fraction(text)) == (text.rstrip("0").rstrip(".") if number else text.partition(".")[0])


def test_shown_values_of_all_types() -> None:
    assert [show_value(raw, BOOL) for raw in (0, 1)] == ["false", "true"]
    assert [show_value(raw, EnumType("colour", ("red", "blue"))) for raw in (1, 2)] == ["blue", "2"]
    assert [show_value(-3, S64), show_value(-(3 << 15), FIX), show_value(1 << 16, FIX), show_value(0, FIX)] == [
        "-3",
        "-1.5",
        "1",
        "0",
    ]


def diagnostics(text: str) -> str:
    with pytest.raises(CompileError) as error:
        compile_source(wrap(text), "p.cpol")
    return error.value.render()


@pytest.mark.parametrize("digits", [MAX_FRACTION_DIGITS + 1, 4_400, 100_000])
def test_very_long_fraction_is_one_error(digits: int) -> None:
    told = diagnostics(f"const C: fix = 0.{'1' * digits}\nstate a: fix = C")
    assert (
        told.count("E0204") == 1
        and len(told) < 5 * digits + 1000
        and f"this number has {digits} digits after the point" in told
    )


def test_leading_zeros_are_ignored() -> None:
    policy = compile_source(wrap(f"const C: fix = {'0' * 5000}1.5\nstate a: fix = C"), "p.cpol")
    assert policy.states[0].init == 3 << 15


def test_range_error_of_a_setting_shows_it_as_written() -> None:
    text = "param rate: fix = 0.45 in 0.01..1.0\nstate a: fix = rate"
    test = "test t(capacity: 1, rate: {}) {{ expect cache.size == 0 }}"
    told = diagnostics(f"{text}\n{test.format('0.0010')}")
    assert "`rate` cannot be 0.0010" in told and "it is 0.01 to 1" in told


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0x0", 0),
        ("0xff", 255),
        ("0xFf_0A", 0xFF0A),
        ("0x0000000000000000000001", 1),
        ("0xffff_ffff_ffff_ffff", 2**64 - 1),
        ("0x10 s", 16_000),
    ],
)
def test_hexadecimal_numbers(written: str, value: int) -> None:
    policy = compile_source(wrap(f"state s: u64 = {written}\non init {{ s = s & {2**64 - 1} }}"), "p.cpol")
    assert policy.states[0].init == value


def test_hexadecimal_numbers_have_64_bits() -> None:
    with pytest.raises(CompileError, match="this number is too large"):
        compile_source(wrap("state s: u64 = 0x1_0000_0000_0000_0000\non init { s = s + 1 }"), "p.cpol")


@pytest.mark.parametrize(
    ("written", "raw"),
    [
        ("-140737488355328.0", -(2**63)),
        ("-140737488355327.99999999999", -(2**63)),
        ("-140737488355328.00002", None),
        ("140737488355328.0", None),
        ("140737488355327.99999999999", None),  # the nearest fix would be 2^47
        ("140737488355327.99998", 2**63 - 1),
    ],
)
def test_the_limits_of_fix(written: str, raw: int | None) -> None:
    high = "0.0" if written.startswith("-") else written
    declared = f"state x: fix = {written} state y: fix = 0.0 param z: fix = {written} in {written}..{high}"
    text = wrap(f"{declared}\n on added(f) {{ place f at tail of queue y = {written} }}")
    if raw is None:
        with pytest.raises(CompileError, match="this number is too large for a `fix`"):
            run(text, "p.cpol")
        return
    machine = Machine(run(text, "p.cpol").policy, 1)
    machine.request(0, 1)
    assert machine.state == {"x": raw, "y": raw} and machine.params == {"z": raw}
