"""Rounds that change nothing are left out of a search: exactly those, so that what is behind long loops is found."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source, ir
from cpol.runtime.explore.check import check
from cpol.runtime.explore.check.checked import CheckedMachine
from cpol.runtime.explore.check.scenario import Pressure, Request, perform
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.snapshot import snapshot

CAR = """policy car {
  list t1, t2
  ghost b1 { capacity: cache.capacity }
  folio { ref: bool = false }
  state p: u64 = 0
  on added(f) {
    if b1.take(f) {
      p = min(p + 1, cache.capacity)
      place f at tail of t2
    } else { place f at tail of t1 }
  }
  on accessed(f) { f.ref = true }
  on evict {
    for i in 1..65536 {
      if CONDITION {
        scan t1 from head up to 1 as f {
          when f.ref { f.ref = false  move f to tail of t2 }
          otherwise { evict f }
        }
      } else {
        scan t2 from head up to 1 as f {
          when f.ref { f.ref = false  move f to tail of t2 }
          otherwise { evict f }
        }
      }
    }
  }
  on removed(f, why) { if why == evicted { b1.add(f) } }
}
"""
GOOD = "t2.size == 0 or (t1.size > 0 and t1.size >= max(1, p))"
STUCK = "t1.size >= max(1, p)"
"""Where t2 is empty and t1 has less than `p`, nothing goes."""

HANDLER = """/// Falls back.
policy p {
  list q, r
  ghost g { capacity: 8 }
  folio { n: u8 = 0 }
  state total: u64 = 0
  state once: u64 = 0
  table t: u64[4] = 0
  DECLARATIONS
  on added(f) { place f at tail of q }
  on removed(f, why) { g.add(f) }
  on evict {
    BODY
    scan q from head up to 1 as f { evict f }
  }
}
"""
LOOPS = {
    "nothing": ("", "for i in 1..300 { if q.size > 90 { stop } }", True),
    "empty list": ("", "for i in 1..300 { scan q from head up to 1 as f { evict f } }", True),
    "nested": ("", "for i in 1..20 { for k in 1..15 { scan q from head up to 1 as f { evict f } } }", True),
    "score": ("score s(f) = f.n", "for i in 1..300 { evict lowest s of up to 4 from head of q }", True),
    "number": ("", "for i in 1..300 { if i == 299 { once += 1 } }", False),
    "state": ("", "for i in 1..300 { total += 1 }", False),
    "table": ("", "for i in 1..300 { t[1] += 1 }", False),
    "var": ("", "var v: u64 = 0  for i in 1..300 { v += 1  if v == 299 { total += 1 } }", False),
    "field": ("", "for i in 1..300 { scan q from head up to 1 as f { f.n += 1  if f.n > 200 { evict f } } }", False),
    "random": ("", "for i in 1..300 { if random(299) == 7 { total += 1 } }", False),
    "moves": ("", "for i in 1..299 { scan q from head up to 1 as f { move f to tail of q } }", False),
    "one action in two loops": (
        "action a(n: u64) { if total == n { total += 1 } }",
        "for i in 1..9 { do a(once)  for k in 1..9 { do a(once + 2) }  once += 1 }",
        True,
    ),
    "inner loop changes": (
        "",
        "for i in 1..40 { if total < 0 { stop }  for k in 1..5 { total += 1 }  if total == 150 { once += 1 } }",
        False,
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_leaving_rounds_out_changes_nothing(name: str) -> None:
    declarations, body, shorter = LOOPS[name]
    policy = compile_source(HANDLER.replace("DECLARATIONS", declarations).replace("BODY", body), "p.cpol")
    plain, checked = Machine(policy, 12, batch=4), CheckedMachine([], policy, 12, {}, 4)
    counted = Counting()
    plain.reached = counted
    for action in [*(Request(key % 17) for key in range(40)), Pressure(30, 5), Pressure(9, 0)]:
        perform(action, plain)
        perform(action, checked)
    assert checked.records == plain.records and snapshot(checked) == snapshot(plain)
    assert set(checked.reached) == counted
    if shorter:
        assert checked.ran.count < counted.count / 3
    else:
        assert checked.ran.count == counted.count


class Counting(set[ir.Pos]):
    """Statements that ran, and how often one did."""

    count = 0

    def add(self, pos: ir.Pos) -> None:
        super().add(pos)
        self.count += 1


@pytest.mark.slow
def test_a_policy_that_is_stuck_behind_a_long_loop_is_found() -> None:
    """A loop of 65,536 rounds, of which few do anything, leaves room for as many events as other policies have."""
    stuck = compile_source(CAR.replace("CONDITION", STUCK), "car.cpol")
    found = check(stuck, native=False).counterexample
    assert found is not None and found.property == "progress"
    assert len(found.machine.records) < 60
    good = check(compile_source(CAR.replace("CONDITION", GOOD), "car.cpol"), native=False)
    assert good.counterexample is None and good.unreached == [] and not good.stopped_early
    assert good.examples == 200 and good.events > 10_000


def test_native_code_runs_what_the_search_leaves_out() -> None:
    """Its million requests are cut by the rounds that native code has to run."""
    policy = compile_source(CAR.replace("CONDITION", GOOD), "car.cpol")
    machine = CheckedMachine([], policy, 4, {}, 8)
    machine.evict(8)
    assert machine.ran.count < 100 and machine.idle.skipped > 8 * 65_000
