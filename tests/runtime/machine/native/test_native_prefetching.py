"""Prefetching in native code: what the interpreter decides, row by row and by single calls."""

from __future__ import annotations

from random import Random

import pytest

from cpol.compiler.stages import run
from cpol.runtime.explore.check.native import Shadow
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.events.prefetch import Fault, Request
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.native import EventSimulator, SimulationError
from cpol.runtime.simulate.simulator import Simulator

EVERYTHING = """policy everything {
  param wide: u64 = 70 in 0..100
  state n: u64 = 0
  state last: s64 = 0
  table hits: u32[16] = 0
  area up to 3 { hits: u32 = 4 }
  file up to 2 { next: u64 = 7 }
  task up to 2 { faults: u16 = 0 }
  input pages: set of page
  fn half(x: u64): u64 = x / 2
  action note(p: folio) { hits[p.page] += 1 }
  on init { n = 3 }
  on fault(p) {
    do note(p)
    p.area.hits += if p.prefetched then 5 else if p.cached then 1 else 0
    last = signed(p.slot) - last
    task.faults += 1
    if task.faults > 3 and task.process != 0 { n += task.thread + p.device }
  }
  on prefetch(p) {
    var there: s64 = signed(p.slot)
    for k in 1..p.window { there -= last  prefetch slot there }
    for k in 0..p.area.hits { prefetch page p.page + k }
    prefetch slot half(p.slots)  prefetch page signed(p.first) - 1  prefetch page p.last
    if random(4) == 0 or cache.time > 50 { default }
  }
  on readahead(r) {
    if r.sequential { prefetch r.index up to r.wanted + wide }
    if r.marker { prefetch r.start up to r.window by -2  default }
    if r.mapped { prefetch signed(r.index) - 8 up to 16 by last }
    if pages.has(r) or hash(r, n) % 3 == 0 { prefetch r.file.next up to 4 by 3 }
    r.file.next = r.index + r.size + r.device + area.size
  }
}"""


def fault_of(random: Random) -> Fault:
    first = random.choice((0, 5, 2**52))
    last = first + random.randrange(40)
    slots = random.choice((2, 30, 5000))
    page, slot = random.randint(first, last), random.randrange(1, slots)
    cached = random.random() < 0.4
    how = (cached, cached and random.random() < 0.5)
    return Fault(
        page, slot, slots, first, last, random.randrange(5), random.randrange(3), *how, random.choice((1, 8, 64))
    )


def request_of(random: Random) -> Request:
    index, size = random.randrange(60), random.randrange(100)
    kinds = [random.random() < 0.5 for _ in range(3)]
    window = (random.randrange(60), random.randrange(90))
    return Request(random.randrange(3), index, random.randint(1, 9), *window, size, *kinds, random.randrange(2))


def step(machine: Machine, random: Random) -> None:
    kind = random.randrange(5)
    if kind == 0:
        machine.set_task(random.randrange(4), random.randrange(2))
    elif kind == 1:
        machine.tick(machine.ms + random.randrange(5))
    elif kind == 2:
        machine.readahead(request_of(random))
    else:
        fault = fault_of(random)
        machine.fault(fault)
        if not fault.cached:
            machine.prefetch(fault)


@pytest.mark.parametrize("seed", range(3))
def test_native_code_decides_and_counts_as_the_interpreter(seed: int) -> None:
    random = Random(seed)
    inputs = [("pages", "1:0..9", "true")]
    machine = Machine(run(EVERYTHING, "e.cpol").policy, 1, seed=seed + 1, inputs=inputs)
    shadow = Shadow(machine)
    for _ in range(150):
        step(machine, random)
        shadow.follow()
    kept = [row.op for row in machine.records]
    for op in (Op.SLOT, Op.PAGE, Op.INDEX, Op.DEFAULT):
        assert op in kept
    assert machine.decided == shadow.simulator.decided


@pytest.mark.parametrize("seed", range(2))
def test_single_calls_answer_as_the_interpreter(seed: int) -> None:
    policy = run(EVERYTHING, "e.cpol").policy
    machine, native = Machine(policy, 1, seed=5), Simulator(policy, 1, seed=5)
    for number in range(100):
        random = Random(1000 * seed + number)
        machine.tick(number)
        native.asks.now(number)
        fault, request = fault_of(random), request_of(random)
        machine.fault(fault)
        native.asks.fault(fault)
        if not fault.cached:
            assert native.asks.prefetch(fault) == machine.prefetch(fault)
        assert native.asks.readahead(request) == machine.readahead(request)


def test_without_the_handler_all_is_left_to_the_kernel() -> None:
    native = Simulator(run("policy p { on fault(p) { } }", "p.cpol").policy, 1)
    fault, request = fault_of(Random(1)), request_of(Random(1))
    assert native.asks.prefetch(fault).defaulted and native.asks.readahead(request).defaulted


@pytest.mark.parametrize(
    "row",
    [
        Row(Op.AREA, 0, 0, 5, 4),
        Row(Op.AREA, 0, 0, 0, 2**62),
        Row(Op.SWAP, 0, 0, 2**62, 8),
        Row(Op.SWAP, 0, 0, 10, 0),
        Row(Op.SWAP, 0, 0, 10, 65),
        Row(Op.WINDOW, 0, 2**62, 0, 0),
        Row(Op.FAULT, 0, 21, 3, 0),
        Row(Op.FAULT, 0, 3, 0, 0),
        Row(Op.FAULT, 0, 3, 10, 0),
        Row(Op.FAULT, 0, 3, 3, 2),
        Row(Op.PREFETCH, 0, 21, 3),
        Row(Op.READAHEAD, 0, 0, 0, 0),
        Row(Op.READAHEAD, 0, 2**62 - 1, 1, 0),
        Row(Op.READAHEAD, 0, 0, 1, 8),
    ],
)
def test_what_cannot_happen_is_an_error(row: Row) -> None:
    simulator = EventSimulator(run("policy p { on prefetch(p) { default } }", "p.cpol").policy, 1)
    simulator.events([Row(Op.AREA, 0, 0, 0, 20), Row(Op.SWAP, 0, 0, 10, 8)])
    simulator.event(Row(Op.PREFETCH, 0, 3, 3))
    with pytest.raises(SimulationError, match="no such fault"):
        simulator.event(row)
    assert [kept.op for kept in simulator.log] == [Op.AREA, Op.SWAP, Op.PREFETCH, Op.DEFAULT]


def test_a_policy_that_only_prefetches_has_no_folios() -> None:
    policy = run("policy p { on readahead(r) { } }", "p.cpol").policy
    with pytest.raises(SimulationError, match="only prefetches"):
        EventSimulator(policy, 1).request(0, 1)
    with pytest.raises(SimulationError, match="only prefetches"):
        EventSimulator(policy, 1).event(Row(Op.ADDED, 0, 1, 1))
    with pytest.raises(SimulationError, match="only prefetches"):
        Simulator(policy, 1).run([1, 2])


BOTH = """policy both {
  list queue
  state hot: u64 = 0
  file up to 4 { reads: u32 = 0 }
  on added(f) { place f at tail of queue }
  on accessed(f) { hot += 1  f.file.reads += 1 }
  on evict { scan queue from head as f { evict f } }
  on readahead(r) { prefetch r.index + r.wanted up to hot + r.file.reads }
  test shares(capacity: 4, size: 100) {
    access 3:1, 3:1, 3:1
    request 3:10 of 2 pages
    expect prefetched(12..15)
    readahead 3:9
    remove 3:1
    request 4:10
    expect prefetched(11, 12) and queue.is(3:9)
  }
}"""


def test_a_policy_may_do_both() -> None:
    from cpol.runtime.explore.check.policy_test import run_test

    policy = run(BOTH, "b.cpol").policy
    assert policy.evicts and policy.prefetches
    assert run_test(policy, policy.tests[0]) is None
