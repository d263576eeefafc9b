"""Ranges of files in native code: what the interpreter decides, row by row and by single calls."""

from __future__ import annotations

from random import Random

import pytest

from cpol.compiler.stages import run
from cpol.compiler.vocabulary.event import RANGE_EVENTS
from cpol.runtime.explore.check.asking import range_of
from cpol.runtime.explore.check.native import Shadow
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.events.prefetch import Range
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.native import EventSimulator, SimulationError
from cpol.runtime.simulate.simulator import Simulator

EVERYTHING = """policy everything {
  state n: u64 = 0
  file up to 2 { next: u64 = 0 }
  task up to 2 { reads: u16 = 0 }
  input few: set of page
  input weight: map of device to u8 = 1
  on opened(r) {
    n += 1
    if r.size > 50 { readahead n readahead r.size / 2 }
    if weight.of(r.device) > 1 { readahead 0 } else { leave r }
  }
  on read(r) {
    task.reads += 1
    if r.index == r.file.next or few.has(r) { drop r }
    r.file.next = r.index + r.pages
    if hash(r, n) % 3 == 0 { n += r.file + task.reads drop r }
  }
  on written(r) {
    if random(2) == 0 { flush r }
    if cache.time > 20 or r.pages > 5 { flush r and wait drop r }
    if weight.of(r.device) > 1 { drop r flush r }
  }
}"""


def range_from(random: Random) -> Range:
    event = random.choice(RANGE_EVENTS)
    where = random.randrange(3), random.randrange(9), random.randint(1, 9)
    return range_of(event, *where, random.randrange(100), random.randrange(2))


@pytest.mark.parametrize("seed", range(3))
def test_native_code_decides_as_the_interpreter(seed: int) -> None:
    random = Random(seed)
    inputs = [("few", "1:0..4", "true"), ("weight", "1", "7")]
    machine = Machine(run(EVERYTHING, "e.cpol").policy, 1, seed=seed + 1, inputs=inputs)
    shadow = Shadow(machine)
    for _ in range(200):
        if random.random() < 0.3:
            machine.set_task(random.randrange(4), random.randrange(2))
            machine.tick(machine.ms + random.randrange(3))
        machine.happened(range_from(random))
        shadow.follow()
        assert machine.decided == shadow.simulator.decided
    kept = [(row.op, row.a if row.op == Op.FLUSH else 0) for row in machine.records]
    for row in ((Op.DROP, 0), (Op.FLUSH, 0), (Op.FLUSH, 1), (Op.AHEAD, 0), (Op.LEAVE_FILE, 0)):
        assert row in kept


@pytest.mark.parametrize("seed", range(2))
def test_single_calls_answer_as_the_interpreter(seed: int) -> None:
    policy = run(EVERYTHING, "e.cpol").policy
    machine, native = Machine(policy, 1, seed=5), Simulator(policy, 1, seed=5)
    answers = set()
    for number in range(100):
        asked = range_from(Random(1000 * seed + number))
        machine.tick(number)
        native.asks.now(number)
        answers.add(machine.happened(asked))
        assert native.asks.happened(asked) == machine.decided
    assert len(answers) > 10


def test_without_the_handler_all_is_left_to_the_kernel() -> None:
    native = Simulator(run("policy p { on opened(r) { } }", "p.cpol").policy, 1)
    for event in RANGE_EVENTS:
        assert native.asks.happened(range_of(event, 1, 2, 3)).defaulted


@pytest.mark.parametrize(
    "row",
    [
        Row(Op.OPENED, 3, 1),
        Row(Op.OPENED, 3, 0, 1),
        Row(Op.READ, 3, 0, 0),
        Row(Op.WRITTEN, 3, 5, 0),
        Row(Op.READ, 3, 2**62 - 1, 1),
        Row(Op.WRITTEN, 3, 1, 2**62),
    ],
)
def test_what_cannot_happen_is_an_error(row: Row) -> None:
    simulator = EventSimulator(run("policy p { on read(r) { drop r } }", "p.cpol").policy, 1)
    simulator.events([Row(Op.WINDOW, 0, 20, 0, 0), Row(Op.READ, 3, 1, 1)])
    with pytest.raises(SimulationError, match="no such fault"):
        simulator.event(row)
    assert [kept.op for kept in simulator.log] == [Op.WINDOW, Op.READ, Op.DROP]
