"""Text of values: parsing and showing."""

from __future__ import annotations

import pytest

from cpol.compiler.literals import show_value
from cpol.compiler.types import BOOL, FIX, S64, U64, EnumType, IntType, raw_range
from cpol.runtime.machine.settings.values import parse_value

U_MAX = 2**64 - 1
S_MAX, S_MIN = 2**63 - 1, -(2**63)


def test_fix_literals_round_half_to_even():
    assert parse_value("0.10", FIX) == 6554
    assert parse_value("0.00000762939453125", FIX) == 0  # half of the smallest step: the even neighbour is 0
    assert parse_value("0.00002288818359375", FIX) == 2  # one and a half
    assert parse_value("-1.5", FIX) == -3 << 15


@pytest.mark.parametrize("raw", [0, 1, -1, 1 << 16, 6554, -6554, S_MAX, S_MIN, 12345678901])
def test_fix_is_shown_and_read_back(raw):
    assert parse_value(show_value(raw, FIX), FIX) == raw


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("yes", BOOL),
        ("1e3", FIX),
        ("0x10", U64),
        ("", U64),
        ("1.5", U64),
        ("1_000", U64),
        ("٣", U64),
        ("blue", EnumType("colour", ("red",))),
    ],
)
def test_invalid_values_are_refused(text, type):
    with pytest.raises(ValueError, match="is n"):
        parse_value(text, type)


def test_parse_and_show_agree():
    colour = EnumType("colour", ("red", "blue"))
    assert [parse_value(text, colour) for text in ("red", "blue")] == [0, 1]
    assert show_value(1, colour) == "blue"
    assert [show_value(parse_value(text, BOOL), BOOL) for text in ("true", "false")] == ["true", "false"]
    assert show_value(parse_value("-12", S64), S64) == "-12"
    assert raw_range(IntType(True, 1)) == (-1, 0)
