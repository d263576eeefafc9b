"""`every.periods`: how many periods went by, in the interpreter and as native code."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source
from cpol.runtime.explore.check.native import Shadow
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.native import EventSimulator

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


MOVING = """
policy moving {
  param turn: u32 = 3 in 0..10 events live
  list queue
  state turns: u64 = 0
  state blocks: u64 = 0
  state quick: u64 = 0
  on added(f) { place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
  every 2 * cache.capacity events { turns += every.periods  blocks += 1 }
  every 0.001 * cache.capacity events { quick += 1 }
  every turn + 1 events { turns += 1000 * every.periods }
}
"""


def test_a_period_follows_the_capacity() -> None:
    """It counts from the end of the last full period, by the capacity as it is now. One of 0 counts as 1."""
    machine = Machine(compile_source(MOVING, "moving.cpol"), 10)
    native = EventSimulator(machine.policy, 10)
    reached = []
    for capacity, requests in ((10, 39), (100, 1), (100, 180), (3, 1), (3, 5), (3, 2), (10, 17)):
        for executor in (machine, native):
            executor.room(capacity)
            for _ in range(requests):
                executor.request(0, 7)
        state = machine.state
        reached.append((machine.clock, state["turns"] % 1000, state["blocks"]))
    #    due at 20, at 220 (200 from 20 on); at 221 the period is 6, so 226 from 220 on; at 248 after 232 of 20
    assert reached == [(39, 1, 1), (40, 1, 1), (220, 2, 2), (221, 2, 2), (226, 3, 3), (228, 3, 3), (245, 3, 3)]
    machine.request(0, 7)
    native.request(0, 7)
    assert (machine.clock, machine.state["blocks"], machine.state["quick"]) == (246, 4, 246)
    compare_states(machine, native)


def test_a_capacity_that_falls_ends_several_periods_at_once() -> None:
    machine = Machine(compile_source(MOVING, "moving.cpol"), 100)
    native = EventSimulator(machine.policy, 100)
    for executor in (machine, native):
        for _ in range(150):
            executor.request(0, 7)
        executor.room(10)
        executor.request(0, 7)
        for _ in range(9):
            executor.request(0, 7)
    # 151 events are 7 periods of 20 and 11 more; the next ends 20 after 140
    assert (machine.clock, machine.state["turns"] % 1000, machine.state["blocks"]) == (160, 8, 2)
    compare_states(machine, native)


def compare_states(machine: Machine, native: EventSimulator) -> None:
    dump = native.dump()
    assert (dump.size, dump.state) == (machine.size, machine.state)
