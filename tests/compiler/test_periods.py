"""`every.periods`: how many periods went by, in the interpreter and as native code."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source
from cpol.runtime.check.native import Shadow
from cpol.runtime.interp import Machine

TEXT = """
policy late {
  param period: u32 = 5000 in 1000..10000 ms
  list queue
  state turns: u64 = 0
  state last: u64 = 0
  state events: u64 = 0
  on added(f) { place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
  every period ms { turns += every.periods  last = 100 / every.periods }
  every 3 events { events += every.periods }
}
"""


@pytest.mark.parametrize(
    ("ticks", "turns", "last"),
    [
        ([4999], 0, 0),
        ([5000], 1, 100),
        ([4999, 5000, 5001, 9999], 1, 100),
        ([25_000], 5, 20),
        ([4000, 12_000, 21_000], 4, 50),
    ],
)
def test_counts_the_periods_that_went_by(ticks: list[int], turns: int, last: int) -> None:
    machine = Machine(compile_source(TEXT, "late.cpol"), 4)
    shadow = Shadow(machine)
    for number, ms in enumerate(ticks):
        machine.tick(ms)
        machine.request(0, number)
        shadow.follow()
    assert (machine.state["turns"], machine.state["last"]) == (turns, last)
    assert machine.state["events"] == machine.clock // 3
