"""Durations: a number and a unit behind it are milliseconds, unless the unit is a name."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source, ir
from cpol.compiler.format.text import format_text

AROUND = """
policy times {{
  list queue
  state s: u64 = 0
  state h: u64 = 0
  {}
  on added(f) {{ place f at tail of queue }}
  on evict {{ scan queue from head as f {{ evict f }} }}
}}
"""


def stored(block: str) -> list[tuple[str, ir.Expr]]:
    """Return the states that a block sets, with the values."""
    policy = compile_source(AROUND.format(f"every 1 events {{ {block} }}"), "times.cpol")
    return [(stmt.name, stmt.value) for stmt in policy.everies[0].body if isinstance(stmt, ir.SetState)]


@pytest.mark.parametrize(
    ("text", "ms"),
    [("250 ms", 250), ("5 s", 5000), ("2 min", 120_000), ("1 h", 3_600_000), ("1_000 ms", 1000), ("0 s", 0)],
)
def test_a_duration_is_milliseconds(text: str, ms: int) -> None:
    assert stored(f"s = {text}") == [("s", ir.Const(ms, ir.U64))]


@pytest.mark.parametrize("block", ["s = 5 h = 3", "s = 5 h\n = 3", "s = 5 // five\n h = 3", "s = 5\n h = 3"])
def test_an_assignment_behind_a_number_is_one(block: str) -> None:
    assert stored(block) == [("s", ir.Const(5, ir.U64)), ("h", ir.Const(3, ir.U64))]


def test_two_durations_and_two_names() -> None:
    assert stored("s = 5 s h = 3 h s = s") == [
        ("s", ir.Const(5000, ir.U64)),
        ("h", ir.Const(10_800_000, ir.U64)),
        ("s", ir.State("s", ir.U64)),
    ]


@pytest.mark.parametrize("period", ["100 ms", "100   ms"])
def test_every(period: str) -> None:
    every = compile_source(AROUND.format(f"every {period} {{ s = 1 }}"), "times.cpol").everies[0]
    assert (every.period, every.unit) == (ir.Const(100, ir.U64), "ms")


@pytest.mark.parametrize("range", ["1 ms..1 h", "1..3600000 ms", "1..1 h ms"])
def test_params_have_the_unit(range: str) -> None:
    policy = compile_source(AROUND.format(f"param life: u64 = 5 s in {range} live on accessed(f) {{ s = life }}"), "x")
    assert policy.params[0] == ir.ParamDecl("life", ir.U64, 5000, 1, 3_600_000, "", policy.params[0].pos, "ms", True)


def test_format_writes_one_space() -> None:
    formatted = format_text(AROUND.format("every   5    s { s = 250  ms  h = 7 }"), "times.cpol")
    assert "every 5 s { s = 250 ms  h = 7 }" in formatted
