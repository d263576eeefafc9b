"""Pins: the quota, what they keep from policy and machine, and how both executors count them."""

from __future__ import annotations

import random

import pytest

from cpol.compiler import compile_source
from cpol.compiler.backend import manifest
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.interp import DELETED, Machine
from cpol.runtime.machine.interp.snapshot import snapshot
from cpol.runtime.machine.native import EventSimulator
from cpol.runtime.simulate.simulator import Simulator

TEXT = """/// falls back
policy pins {
  param share: fix = 0.5 in 0.0..2.0
  list queue
  state gone: u64 = 0
  pin up to share * cache.capacity
  score low(f) = f.index
  on added(f) {
    if f.index % 3 == 0 { pin f }
    if f.index == 9 { leave f } else { place f at tail of queue }
  }
  on accessed(f) { if f.pinned { unpin f } else { pin f  pin f } }
  on removed(f) { gone += if f.pinned then 1 else 0 }
  on evict {
    evict lowest low of up to 4 from head of queue
    scan queue from tail up to 4 as f { evict f }
  }
}
"""
POLICY = compile_source(TEXT, "pins.cpol")


def pins(machine: Machine) -> tuple[int, int, int, int]:
    return machine.pinned, machine.pins_refused, machine.pins_kept, machine.pins_overruled


def test_counts() -> None:
    machine = Machine(POLICY, 8)  # so 4 pages may be pinned
    for index in (3, 6, 9, 12, 15):
        machine.added(0, index)
    assert pins(machine) == (4, 0, 0, 0)  # the left one is not pinned
    machine.added(0, 18)
    assert pins(machine) == (4, 1, 0, 0)
    assert [folio.index for folio in machine.evict(1)] == [18]
    # In the first round 4 at the head and 4 at the tail were pinned, in the second 3 of 4.
    assert pins(machine) == (4, 1, 11, 0)
    machine.removed(0, 18, 0)
    machine.removed(0, 3, DELETED)
    assert pins(machine) == (3, 1, 11, 0)
    machine.fallback(0, 6)
    assert pins(machine) == (2, 1, 11, 1)
    assert machine.state["gone"] == 0


def test_a_pinned_folio_that_is_not_chosen_goes_to_the_far_end() -> None:
    machine = Machine(POLICY, 16)
    for index in (3, 1, 6, 2, 12, 4):
        machine.added(0, index)
    machine.evict(1)
    # 3 and 6 are pinned, and 2 has a higher score than 1.
    assert [folio.index for folio in machine.lists["queue"]] == [12, 4, 3, 6, 2]


def test_pages_count_and_not_folios() -> None:
    machine = Machine(POLICY, 16)
    machine.added(0, 3, 8)
    machine.added(0, 6)
    assert pins(machine) == (8, 1, 0, 0)


def test_the_fallback_takes_pinned_folios_last() -> None:
    text = TEXT.replace("evict lowest low of up to 4 from head of queue", "")
    policy = compile_source(text.replace("{ evict f }", "{ when f.index == 99 { evict f } }"), "p.cpol")
    machine = Machine(policy, 4, {"share": "1.0"})
    for index in (3, 1, 6, 2):
        machine.added(0, index)
    machine.make_room(2)
    assert [folio.index for folio in machine.lists["queue"]] == [3, 6]
    machine.make_room(1)
    assert [folio.index for folio in machine.lists["queue"]] == [6]
    assert pins(machine) == (1, 0, 0, 1)


@pytest.mark.parametrize("share", ["0.0", "0.25", "1.0", "2.0"])
@pytest.mark.parametrize("capacity", [1, 5, 40])
def test_executors_agree_on_traces(share: str, capacity: int) -> None:
    source = random.Random(capacity)
    requests = [min(source.randrange(60), source.randrange(60)) for _ in range(600)]
    machine = Machine(POLICY, capacity, {"share": share}, batch=3)
    native = EventSimulator(POLICY, capacity, {"share": share}, batch=3)
    for index in requests:
        machine.request(0, index)
        native.request(0, index)
    assert native.log == machine.records
    dump = native.dump().pins
    assert {**vars(dump), "folios": [list(name) for name in dump.folios]} == snapshot(machine)["pins"]
    fast = Simulator(POLICY, capacity, {"share": share}, batch=3)
    counts = fast.run(requests)
    assert (counts.hits, counts.fallback) == (machine.hits, machine.fallbacks)


def test_a_pinned_folio_is_deleted_like_others() -> None:
    native = EventSimulator(POLICY, 8)
    native.events([Row(Op.ADDED, 0, 3, 1), Row(Op.REMOVED, 0, 3, DELETED)])
    pinned = native.dump().pins
    assert (pinned.pages, pinned.overruled) == (0, 0)


def test_the_loader_is_told_the_quota() -> None:
    quota = "param:share,capacity,to_fix,mul,floor"
    assert f"pin {quota}" in manifest.lines(POLICY)
    text = TEXT.replace("  pin up to share * cache.capacity\n", "").replace("{ pin f }", "{ gone += 1 }")
    plain = compile_source(
        text.replace("f.pinned", "f.dirty").replace("pin f  pin f", "").replace("unpin f", ""), "p.cpol"
    )
    assert not any(line.startswith("pin ") for line in manifest.lines(plain))
