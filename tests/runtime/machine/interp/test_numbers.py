"""docs/semantics.md: numbers."""

from __future__ import annotations

import pytest

from cpol.compiler.arithmetic import ONE, arith, convert, saturate
from cpol.compiler.types import BOOL, FIX, S64, U64, IntType

U_MAX = 2**64 - 1
S_MAX, S_MIN = 2**63 - 1, -(2**63)


@pytest.mark.parametrize(
    ("op", "a", "b", "type", "expected"),
    [
        ("add", U_MAX, 1, U64, U_MAX),
        ("sub", 3, 5, U64, 0),
        ("mul", 2**40, 2**40, U64, U_MAX),
        ("add", S_MAX, 1, S64, S_MAX),
        ("sub", S_MIN, 1, S64, S_MIN),
        ("mul", S_MIN, S_MIN, S64, S_MAX),
        ("mul", S_MIN, 2, S64, S_MIN),
        ("div", S_MIN, -1, S64, S_MAX),
        ("mod", S_MIN, -1, S64, 0),
        ("div", -7, 2, S64, -4),
        ("div", 7, -2, S64, -4),
        ("div", -7, -2, S64, 3),
        ("mod", -7, 2, S64, 1),
        ("mod", 7, -2, S64, -1),
        ("mod", -7, -2, S64, -1),
        ("min", -1, 1, S64, -1),
        ("max", -1, 1, S64, 1),
        # fix: 1.5 * 1.5, and the smallest steps towards negative infinity
        ("mul", 3 * ONE // 2, 3 * ONE // 2, FIX, 9 * ONE // 4),
        ("mul", 1, 1, FIX, 0),
        ("mul", -1, 1, FIX, -1),
        ("mul", S_MAX, S_MAX, FIX, S_MAX),
        ("mul", S_MIN, S_MAX, FIX, S_MIN),
        ("div", ONE, 3 * ONE, FIX, ONE // 3),
        ("div", -ONE, 3 * ONE, FIX, -(ONE // 3) - 1),
        ("div", S_MAX, 1, FIX, S_MAX),
        ("div", S_MIN, 1, FIX, S_MIN),
        ("div", S_MIN, -ONE, FIX, S_MAX),
        ("mod", -1, ONE, FIX, ONE - 1),
        ("add", S_MAX, ONE, FIX, S_MAX),
    ],
)
def test_arithmetic_saturates_and_floors(op, a, b, type, expected):
    assert arith(op, a, b, type) == expected


@pytest.mark.parametrize("a", [-9, -7, -1, 0, 1, 7, 9])
@pytest.mark.parametrize("b", [-4, -3, -1, 1, 3, 4])
def test_quotient_and_remainder_are_consistent(a, b):
    quotient, remainder = arith("div", a, b, S64), arith("mod", a, b, S64)
    assert a == b * quotient + remainder
    assert remainder == 0 or (remainder < 0) == (b < 0)


@pytest.mark.parametrize(
    ("value", "type", "expected"),
    [
        (4, IntType(False, 2), 3),
        (-1, IntType(False, 2), 0),
        (128, IntType(True, 8), 127),
        (-129, IntType(True, 8), -128),
        (5, IntType(True, 1), 0),
        (-5, IntType(True, 1), -1),
        (U_MAX, U64, U_MAX),
        (2, IntType(False, 1), 1),
    ],
)
def test_store_saturates_at_its_width(value, type, expected):
    assert saturate(value, type) == expected


@pytest.mark.parametrize(
    ("value", "source", "target", "rounding", "expected"),
    [
        (-1, S64, U64, "floor", 0),
        (U_MAX, U64, S64, "floor", S_MAX),
        (U_MAX, U64, FIX, "floor", S_MAX),
        (S_MIN, S64, FIX, "floor", S_MIN),
        (3, U64, FIX, "floor", 3 * ONE),
        (ONE + 1, FIX, U64, "floor", 1),
        (ONE + 1, FIX, U64, "ceil", 2),
        (ONE, FIX, U64, "ceil", 1),
        (-1, FIX, U64, "floor", 0),
        (-1, FIX, U64, "ceil", 0),
        (-1, FIX, S64, "floor", -1),
        (-1, FIX, S64, "ceil", 0),
        (S_MAX, FIX, U64, "ceil", 2**47),
        (3, IntType(False, 2), U64, "floor", 3),
        (1, BOOL, U64, "floor", 1),
    ],
)
def test_conversions_saturate_and_round(value, source, target, rounding, expected):
    assert convert(value, source, target, rounding) == expected
