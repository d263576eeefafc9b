"""Whether requests write: events, steps of tests, traces, and the event log."""

from __future__ import annotations

import random
from array import array

import pytest

from cpol.compiler import compile_source
from cpol.compiler.analysis.reads import reads
from cpol.compiler.stages import run
from cpol.runtime.explore.check.policy_seeds import policy_seeds
from cpol.runtime.explore.check.policy_test import run_test
from cpol.runtime.explore.check.scenario import Turn
from cpol.runtime.machine.events import LogError, Op, Row, format_header, format_row, parse
from cpol.runtime.machine.interp import EventError, Given, Machine, run_trace
from cpol.runtime.machine.native import EventSimulator, SimulationError
from cpol.runtime.machine.settings.assumed import Assumed
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Requests

TEXT = """policy log_last {
  list queue, written
  state writes: u64 = 0
  fn by_write(): bool = task.writes
  on missed(f) { if task.writes { writes += 1 } }
  on admit(f) { if by_write() and f.index > 90 { refuse f } }
  on added(f) { if by_write() { place f at tail of written } else { place f at tail of queue } }
  on first_accessed(f) { if task.writes { writes += 1 } }
  on accessed(f) { if task.writes { writes += 1  move f to tail of written } }
  on evict {
    scan written from head as f { evict f }
    scan queue from head as f { evict f }
  }
  test steps(capacity: 6) {
    access 1
    write 2, 3 as 7
    readahead 4
    write 1
    write 99
    write 8 of 2 pages as "rsync"
    access 4
    expect written.is(2, 3, 1, 8) and queue.is(4) and writes == 8
  }
}
"""
POLICY = compile_source(TEXT, "log_last.cpol")


def test_steps() -> None:
    assert run_test(POLICY, POLICY.tests[0]) is None
    assert sum(isinstance(action, Turn) for action in policy_seeds(POLICY)[0].actions) == 4


def test_a_step_that_writes_makes_folios_dirty() -> None:
    text = TEXT.replace("evict f }\n    scan queue", "when not f.dirty { evict f } }\n    scan queue")
    text = text.replace("writes == 8", "writes == 8  reclaim 4  expect written.is(8)")
    policy = compile_source(text, "log_last.cpol")
    assert run_test(policy, policy.tests[0]) is None


@pytest.mark.parametrize("capacity", [1, 7, 40])
def test_executors_agree_on_requests_that_write(capacity: int) -> None:
    rng = random.Random(capacity)
    ids = [rng.choice((rng.randrange(9), rng.randrange(95))) for _ in range(2000)]
    writes = [int(rng.random() < 0.3) for _ in ids]
    machine, events, fast = Machine(POLICY, capacity), EventSimulator(POLICY, capacity), Simulator(POLICY, capacity)
    run_trace(machine, Given(ids, writes=writes))
    events.events(row for row in machine.records if not Op(row.op).is_decision)
    assert events.log == machine.records
    fast.run(Requests(array("Q", ids[:900]), writes=array("Q", writes[:900])))
    counts = fast.run(Requests(array("Q", ids[900:]), writes=array("Q", writes[900:])))
    assert (counts.hits, counts.misses) == (machine.hits, machine.misses)
    assert fast.state.states == machine.state
    assert machine.state["writes"] > 0
    assert not any(row.op == Op.FLAGS for row in machine.records)


def test_all_requests_may_write() -> None:
    machine, fast = Machine(POLICY, 5), Simulator(POLICY, 5, assumed=Assumed(write=True))
    run_trace(machine, Given(range(50)), assumed=Assumed(write=True))
    fast.run(array("Q", range(50)))
    assert fast.state.states == machine.state == {"writes": 100}


def test_events() -> None:
    machine, native = Machine(POLICY, 4), EventSimulator(POLICY, 4)
    for writes in (1, 0, 1):
        machine.set_writes(writes)
        native.event(Row(Op.RW, 0, 0, writes))
    with pytest.raises(EventError, match="neither read"):
        machine.set_writes(2)
    with pytest.raises(SimulationError):
        native.event(Row(Op.RW, 0, 0, 2))
    assert native.log == machine.records
    text = format_header(machine.header) + "".join(format_row(row, machine.header) + "\n" for row in machine.records)
    assert text.endswith("rw\twrite\nrw\tread\nrw\twrite\n")
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    assert parse(lines).rows == machine.records
    for wrong in ("rw", "rw\tWrite", "rw\tread\twrite"):
        with pytest.raises(LogError):
            parse([*lines, wrong.encode() + b"\n"])


def test_a_trace_that_tells_no_writes_gets_a_note() -> None:
    compiled = run(TEXT, "log_last.cpol")
    assert {(read.fact, read.word) for read in reads(compiled.typed, compiled.source)} == {
        ("rw", "task.writes"),
        ("page", "f.index"),
    }


def test_a_field_of_that_name_hides_it() -> None:
    policy = compile_source(
        "policy p { list queue  task up to 4 { writes: u16 = 3 }  state sum: u64 = 0\n"
        "on added(f) { sum = task.writes  task.writes += 1  place f at tail of queue }\n"
        "on evict { scan queue from head as f { evict f } } }",
        "p.cpol",
    )
    machine = Machine(policy, 4)
    machine.request(0, 1)
    assert machine.state == {"sum": 3}
    other = compile_source(
        "policy p { list queue  task up to 4 { reads: u16 = 3 }  state wrote: bool = false\n"
        "on added(f) { wrote = task.writes  task.reads += 1  place f at tail of queue }\n"
        "on evict { scan queue from head as f { evict f } } }",
        "p.cpol",
    )
    machine = Machine(other, 4)
    machine.set_writes(1)
    machine.request(0, 1)
    assert machine.state == {"wrote": 1}
