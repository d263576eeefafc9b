"""Whether folios are dirty, under writeback, mapped: events, requests that write, and the event log."""

from __future__ import annotations

import random
from array import array

import pytest

from cpol.compiler import compile_source
from cpol.compiler.vocabulary.folio import DIRTY, EXECUTABLE, MAPPED, WRITEBACK
from cpol.runtime.explore.check.policy_test import run_test
from cpol.runtime.machine.events import LogError, Op, Row, format_header, format_row, parse
from cpol.runtime.machine.interp import DELETED, EventError, Given, Machine, run_trace
from cpol.runtime.machine.native import EventSimulator, SimulationError
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Requests

TEXT = """policy writes {
  list queue, later
  state gone: u64 = 0
  state fresh: u64 = 0
  on added(f) {
    fresh += if f.dirty or f.mapped then 1 else 0
    if f.index == 3 { leave f } else { place f at tail of queue }
  }
  on accessed(f) { if f.dirty { move f to tail of later } }
  on removed(f) { gone += if f.dirty or f.writeback or f.mapped then 1 else 0 }
  on evict {
    scan queue from head as f {
      when f.dirty or f.writeback or f.mapped { move f to tail of later }
      otherwise { evict f }
    }
    scan later from head up to 8 as f { evict f }
  }
  invariant queue.size + later.size == cache.size
  test steps(capacity: 6) {
    access 1, 2, 4..6
    dirty 1, 2  writeback 2  mapped 4
    reclaim 2
    expect later.is(1, 2, 4) and not cache.has(5) and not cache.has(6)
    reclaim 3
    expect later.is(1, 2)
    clean 1..2
    reclaim 1
    expect later.is(2) and gone == 0
    access 7
    mapped 7  unmapped 7
    reclaim 1
    expect cache.size == 1
  }
  test refused_once(capacity: 2) {
    access 1  dirty 1  reclaim 1  reclaim 1
    expect later.is(1)
    clean 1  reclaim 1
    expect cache.size == 0
  }
}
"""
POLICY = compile_source(TEXT, "writes.cpol")


def test_steps() -> None:
    assert [run_test(POLICY, test) for test in POLICY.tests] == [None, None]
    lost = compile_source(TEXT.replace("access 7", "access 7  dirty 9"), "writes.cpol").tests[0]
    failure = run_test(POLICY, lost)
    assert failure is not None and "folio (0, 9) is not in the cache" in failure.message


@pytest.mark.slow
@pytest.mark.parametrize("capacity", [1, 7, 40])
def test_executors_agree_on_requests_that_write(capacity: int) -> None:
    rng = random.Random(capacity)
    ids = [rng.choice((rng.randrange(9), rng.randrange(90))) for _ in range(3000)]
    writes = [int(rng.random() < 0.3) for _ in ids]
    machine, events, fast = Machine(POLICY, capacity), EventSimulator(POLICY, capacity), Simulator(POLICY, capacity)
    most = 0
    for id, write in zip(ids, writes, strict=True):
        run_trace(machine, Given([id], writes=[write]))
        events.request(0, id)
        if write:
            events.wrote(0, id)
        most = max(most, sum(bool(folio.flags & DIRTY) for folio in machine.cache.values()))
    assert events.log == machine.records
    counts = fast.run(Requests(array("Q", ids[:1000]), writes=array("Q", writes[:1000])))
    counts = fast.run(Requests(array("Q", ids[1000:]), writes=array("Q", writes[1000:])))
    assert counts == events.counts
    assert fast.state.states == {"gone": 0, "fresh": 0}
    assert most == max(1, capacity // 10)


def test_events() -> None:
    machine, native = Machine(POLICY, 4), EventSimulator(POLICY, 4)
    rows = [
        Row(Op.ADDED, 0, 1, 1),
        *(Row(Op.FLAGS, 0, 1, flags) for flags in (DIRTY | MAPPED, WRITEBACK, 0, MAPPED | EXECUTABLE, 15)),
    ]
    machine.added(0, 1)
    for row in rows[1:]:
        machine.set_flags(0, 1, row.a)
    native.events(rows)
    wrong = [Row(Op.FLAGS, 0, 2, DIRTY), Row(Op.FLAGS, 0, 1, 16), Row(Op.FLAGS, 0, 1, 2**63)]
    for row in wrong:
        with pytest.raises(EventError):
            machine.set_flags(row.file, row.page, row.a)
        with pytest.raises(SimulationError):
            native.event(row)
    assert native.log == machine.records
    text = format_header(machine.header) + "".join(format_row(row, machine.header) + "\n" for row in machine.records)
    told = ("dirty,mapped", "mapped,executable", "none")
    assert all(f"flags\t0\t1\t{flags}\n" in text for flags in told)
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    assert parse(lines).rows == machine.records
    for word in ("", "wet", "dirty,dirty", "dirty,", "none,dirty", "7"):
        with pytest.raises(LogError, match="`none`, nor some of dirty, writeback, mapped, executable"):
            parse([*lines, f"flags\t0\t1\t{word}\n".encode()])
    machine.removed(0, 1, DELETED)
    assert machine.state["gone"] == 0


CODE = """policy code {
  list queue
  state seen: u64 = 0
  state gone: u64 = 0
  on added(f) { seen += if f.executable then 100 else 0  place f at tail of queue }
  on accessed(f) { seen += if f.executable then 1 else 0 }
  on removed(f) { gone += if f.executable then 1 else 0 }
  on evict { scan queue from head as f { when f.executable { move f to tail of queue }  otherwise { evict f } } }
  test code(capacity: 9) {
    access 1..3
    executable 2  mapped 3
    access 2, 3
    expect seen == 1
    reclaim 2
    expect queue.is(2)
    dirty 2  clean 2  access 2
    expect seen == 2
    unmapped 2  access 2
    expect seen == 2
    reclaim 1
    expect cache.size == 0 and gone == 0
  }
}
"""


def test_executable() -> None:
    """It is no part of `mapped`; both end with the mapping."""
    policy = compile_source(CODE, "code.cpol")
    assert [run_test(policy, test) for test in policy.tests] == [None]
    machine, native = Machine(policy, 4), EventSimulator(policy, 4)
    machine.added(0, 1)
    machine.first_accessed(0, 1)
    machine.set_flags(0, 1, EXECUTABLE)
    machine.accessed(0, 1)
    rows = [Row(Op.FIRST_ACCESSED, 0, 1), Row(Op.FLAGS, 0, 1, EXECUTABLE), Row(Op.ACCESSED, 0, 1)]
    native.events([Row(Op.ADDED, 0, 1, 1), *rows])
    assert native.log == machine.records
    assert machine.state == {"seen": 1, "gone": 0}


UNREAD = """policy unread_ones_wait {
  list queue
  folio { was: bool = true }
  state early: u32 = 0
  state late: u32 = 0
  fn fresh(f: folio): bool = f.unread
  score rank(f) = if f.unread then 1 else 0
  on added(f) { early += if fresh(f) then 1 else 0  place f at tail of queue }
  on first_accessed(f) { f.was = f.unread }
  on removed(f) { late += if f.unread then 1 else 0 }
  on evict {
    scan queue from head up to 2 as f { when fresh(f) { move f to tail of queue }  otherwise { evict f } }
    evict lowest rank of up to 8 from head of queue
  }
  test ahead(capacity: 8) {
    access 1
    readahead 2, 3
    access 4
    reclaim 1
    expect queue.is(2..4) and early == 4 and not cache.was(4) and cache.was(2)
    reclaim 1
    expect queue.is(2, 3) and late == 0
    access 2
    reclaim 2
    expect cache.size == 0 and late == 1
  }
}
"""


@pytest.mark.parametrize("handled", [True, False])
def test_unread(handled: bool) -> None:
    """The record knows it, with fields beside it and alone, and whether the policy handles the first access or not."""
    text = UNREAD
    if not handled:
        text = text.replace("  on first_accessed(f) { f.was = f.unread }\n", "").replace(
            "  folio { was: bool = true }\n", ""
        )
        text = text.replace(" and not cache.was(4) and cache.was(2)", "")
    policy = compile_source(text, "unread.cpol")
    assert run_test(policy, policy.tests[0]) is None
    ids = [n * n % 31 for n in range(500)]
    machine, fast = Machine(policy, 9, batch=3), Simulator(policy, 9, batch=3)
    run_trace(machine, Given(ids))
    counts = fast.run(array("Q", ids))
    assert (counts.hits, counts.misses) == (machine.hits, machine.misses)
    assert fast.state.states == machine.state == {"early": machine.misses, "late": 0}
