"""The device of folios and the cgroup that pays for them: events, steps of tests, inputs, and the event log."""

from __future__ import annotations

from array import array

import pytest

from cpol.compiler import compile_source
from cpol.runtime.explore.check.policy_test import run_test
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.events import LogError, Op, Row, format_header, format_row, parse
from cpol.runtime.machine.interp import Given, Machine, run_trace
from cpol.runtime.machine.native import EventSimulator
from cpol.runtime.machine.settings.assumed import Assumed
from cpol.runtime.simulate.simulator import Simulator

TEXT = """policy origins {
  list queue, slow, batch
  input disks: set of device
  input share: map of cgroup to u8 = 1
  state left: u64 = 0
  fn is_slow(f: folio): bool = disks.has(f.device)
  score rank(f) = f.cgroup
  on added(f) {
    if is_slow(f) { place f at tail of slow }
    else if share.of(f.cgroup) > 1 { place f at tail of batch }
    else { place f at tail of queue }
  }
  on removed(f) { left = f.device + f.cgroup }
  on evict {
    evict lowest rank of up to 8 from head of queue
    scan batch from head as f { evict f }
    scan slow from head as f { evict f }
  }
  test origins(capacity: 8) {
    disks.add(8388609)
    share.add(7, 3)
    access 1
    device 8:1
    access 2
    device 8:2  cgroup 7
    access 3  readahead 4
    cgroup 3
    access 5
    share.remove(7)
    access 3
    expect queue.is(1, 5) and slow.is(2) and batch.is(3, 4)
    reclaim 1
    expect queue.is(5) and left == 0
    remove 3
    expect left == 8388610 + 7
  }
}
"""
POLICY = compile_source(TEXT, "origins.cpol")


def test_steps_settle_where_folios_come_from() -> None:
    assert run_test(POLICY, POLICY.tests[0]) is None


def test_executors_agree() -> None:
    settings = [("disks", "8:1", "true"), ("share", "2", "9")]
    machine, native = Machine(POLICY, 6, inputs=settings), EventSimulator(POLICY, 6, inputs=settings)
    assert machine.settings == [("disks", "8388609", "true"), ("share", "2", "9")]
    for number in range(60):
        origin = (8 << 20 | number % 3, number % 4)
        if number % 2:
            machine.set_origin(*origin)
            native.event(Row(Op.ORIGIN, 0, 0, *origin))
        machine.request(0, number * number % 17)
        native.request(0, number * number % 17)
    assert native.log == machine.records
    assert native.dump().state == machine.state
    text = format_header(machine.header) + "".join(format_row(row, machine.header) + "\n" for row in machine.records)
    assert "origin\t8388609\t1\n" in text
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    assert parse(lines).rows == machine.records
    for wrong in ("origin\t1", "origin\t1\t2\t3", "origin\tx\t2", f"origin\t1\t{2**64}"):
        with pytest.raises(LogError):
            parse([*lines, wrong.encode() + b"\n"])


def test_a_run_assumes_one_origin() -> None:
    ids = [number * number % 31 for number in range(300)]
    assumed = Assumed(device=8388609, cgroup=4)
    machine, fast = Machine(POLICY, 9), Simulator(POLICY, 9, assumed=assumed)
    run_trace(machine, Given(ids), assumed=assumed)
    fast.run(array("Q", ids))
    assert fast.state.states == machine.state == {"left": 8388613}


@pytest.mark.parametrize(("key", "number"), [("8:1", 8388609), ("0:7", 7), ("8388609", 8388609)])
def test_keys_of_devices(key: str, number: int) -> None:
    machine = Machine(POLICY, 4, inputs=[("disks", key, "true")])
    assert machine.inputs["disks"].find(number) == 1


@pytest.mark.parametrize("key", ["/dev/sda1", "4096:0", "8:1048576", "8:", ":1", "8:1:2", ""])
def test_what_is_no_device(key: str) -> None:
    with pytest.raises(ParamError, match="not a key of kind device; write MAJOR:MINOR, or a whole number"):
        Machine(POLICY, 4, inputs=[("disks", key, "true")])


def test_a_field_of_that_name_hides_it() -> None:
    policy = compile_source(
        "policy p { list queue  folio { device: u8 = 3, cgroup: bool = false }\n"
        "state sum: u64 = 0\n"
        "on added(f) { sum = f.device  f.cgroup = true  place f at tail of queue }\n"
        "on evict { scan queue from head as f { when f.cgroup { evict f } } } }",
        "p.cpol",
    )
    machine = Machine(policy, 4)
    machine.set_origin(9, 9)
    machine.request(0, 1)
    assert machine.state == {"sum": 3}
