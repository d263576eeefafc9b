"""`f.age`: from when a folio came, in all executors, beside fields of any name."""

from __future__ import annotations

from array import array

import pytest

from cpol.compiler import compile_source
from cpol.runtime.explore.check.policy_test import run_test
from cpol.runtime.machine.interp import Given, Machine, run_trace
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Requests

TEXT = """policy aged {
  list queue, old
  folio { came: u8 = 7 }
  state young: u64 = 1
  state left: u64 = 0
  fn seconds(f: folio): u64 = f.age / 1000
  score age(f) = f.age
  on added(f)    { young = f.age  place f at tail of queue }
  on accessed(f) { if seconds(f) >= 2 { move f to tail of old } }
  on removed(f)  { left = f.age }
  on evict {
    scan old from head as f { evict f }
    evict highest age of up to 8 from tail of queue
  }
  test from_when_it_came(capacity: 4) {
    tick 500
    access 1, 1
    tick 1500
    access 2, 2
    tick 2499
    access 1
    expect old.size == 0 and young == 0 and cache.came(1) == 7
    tick 2500
    access 1
    expect old.is(1)
    tick 3000
    reclaim 1
    expect left == 2500 and not cache.has(1)
    access 3, 4
    tick 3001
    reclaim 1
    expect left == 1501 and queue.is(4, 3)
  }
}
"""


@pytest.mark.slow
def test_from_when_it_came() -> None:
    policy = compile_source(TEXT, "aged.cpol")
    assert run_test(policy, policy.tests[0]) is None


@pytest.mark.slow
@pytest.mark.parametrize(("late", "hits"), [(99, 2), (100, 1)])
def test_a_trace(late: int, hits: int) -> None:
    """A folio of 100 ms goes first, although it was used last."""
    policy = compile_source(
        """policy aged {
             list queue
             on added(f)    { place f at head of queue }
             on accessed(f) { move f to head of queue }
             on evict {
               scan queue from head as f { when f.age >= 100 { evict f } }
               scan queue from tail as f { evict f }
             }
           }""",
        "aged.cpol",
    )
    ids, times = [1, 2, 1, 3, 1], [20, 20 + late, 20 + late, 20 + late, 20 + late]
    machine = Machine(policy, 2)
    run_trace(machine, Given(ids, times))
    assert machine.hits == hits
    assert Simulator(policy, 2).run(Requests(array("Q", ids), array("Q", times))).hits == hits


def test_a_field_of_the_name_is_the_field() -> None:
    policy = compile_source(
        "policy p { list queue folio { age: u8 = 3 } on added(f) { place f at tail of queue } "
        "on accessed(f) { f.age += 1 } on evict { scan queue from head as f { when f.age > 3 { evict f } } } }",
        "p.cpol",
    )
    assert [field.name for field in policy.fields] == ["age"]
