"""Ranges of files in the interpreter: what is decided of them, and what the log says (docs/semantics.md)."""

from __future__ import annotations

import pytest

from cpol.compiler.stages import run
from cpol.runtime.machine.errors import EventError
from cpol.runtime.machine.events import Op, format_header, format_row, parse
from cpol.runtime.machine.events.prefetch import Decided, Range
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.replay import replay

OPENED = Range("opened", 7, 0, 0, 100, 3)
READ = Range("read", 7, 10, 4, 100, 3)
WRITTEN = Range("written", 7, 10, 4, 100, 3)


def machine_of(body: str) -> Machine:
    return Machine(run(f"policy p {{ {body} }}", "p.cpol").policy, 1)


def decisions(machine: Machine) -> list[tuple[Op, int]]:
    return [(Op(row.op), row.a) for row in machine.decisions]


@pytest.mark.parametrize(
    ("statements", "decided", "rows"),
    [
        ("", Decided(defaulted=True), []),
        ("drop r", Decided(dropped=True), [(Op.DROP, 0)]),
        ("drop r drop r", Decided(dropped=True), [(Op.DROP, 0)]),
        ("flush r", Decided(flushed=True), [(Op.FLUSH, 0)]),
        ("flush r flush r", Decided(flushed=True), [(Op.FLUSH, 0)]),
        ("flush r and wait", Decided(flushed=True, waited=True), [(Op.FLUSH, 1)]),
        ("flush r and wait flush r", Decided(flushed=True, waited=True), [(Op.FLUSH, 1)]),
        ("flush r flush r and wait", Decided(flushed=True, waited=True), [(Op.FLUSH, 0), (Op.FLUSH, 1)]),
        (
            "drop r flush r and wait",
            Decided(dropped=True, flushed=True, waited=True),
            [(Op.DROP, 0), (Op.FLUSH, 1)],
        ),
    ],
)
def test_what_is_decided_of_a_written_range(statements: str, decided: Decided, rows: list[tuple[Op, int]]) -> None:
    machine = machine_of(f"on written(r) {{ {statements} }}")
    assert machine.happened(WRITTEN) == decided
    assert decisions(machine) == rows


@pytest.mark.parametrize(
    ("statements", "window", "rows"),
    [
        ("", None, []),
        ("readahead 0", 0, [(Op.AHEAD, 0)]),
        ("readahead 4 readahead 4", 4, [(Op.AHEAD, 4)]),
        ("readahead 4 readahead 0", 0, [(Op.AHEAD, 4), (Op.AHEAD, 0)]),
        ("readahead 2 * r.size - r.index", 200, [(Op.AHEAD, 200)]),
        ("readahead 3 - r.size", 0, [(Op.AHEAD, 0)]),
        ("readahead 18446744073709551615", 2**64 - 1, [(Op.AHEAD, 2**64 - 1)]),
        ("readahead 2.75", 2, [(Op.AHEAD, 2)]),
    ],
)
def test_the_window_of_an_open_file(statements: str, window: int | None, rows: list[tuple[Op, int]]) -> None:
    machine = machine_of(f"on opened(r) {{ {statements} }}")
    assert machine.happened(OPENED) == Decided(defaulted=window is None, window=window)
    assert decisions(machine) == rows


def test_a_file_that_is_left() -> None:
    machine = machine_of("on opened(r) { leave r leave r } on read(r) { drop r }")
    assert machine.happened(OPENED) == Decided(defaulted=True, left=True)
    assert decisions(machine) == [(Op.LEAVE_FILE, 0)]
    assert machine.happened(READ).dropped  # a kernel may forget that it was left


def test_without_the_handler_all_is_left_to_the_kernel() -> None:
    machine = machine_of("on read(r) { drop r }")
    assert machine.happened(READ).dropped
    assert machine.happened(OPENED) == machine.happened(WRITTEN) == Decided(defaulted=True)


def test_attributes_records_inputs_and_actions() -> None:
    machine = machine_of("""
      state sum: u64 = 0
      file up to 2 { next: u64 = 10 }
      task up to 2 { reads: u32 = 0 }
      input few: set of page
      input devices: set of device
      action forget(x: folio, least: u64) { if x.pages >= least and few.has(x) and devices.has(x.device) { drop x } }
      on read(r) {
        sum = r.index + r.pages + r.size + r.file + r.device + hash(r, 0) - hash(r, 0)
        task.reads += 1
        if r.index == r.file.next { do forget(r, 4) }
        r.file.next = r.index + r.pages
      }
    """)
    machine.set_task(5, 5)
    machine.fill("few", (7, 0, 12), 1)
    machine.fill("devices", (3,), 1)
    assert machine.happened(READ).dropped
    assert machine.state["sum"] == 10 + 4 + 100 + 7 + 3
    assert not machine.happened(READ).dropped, "it does not follow the last one"
    assert not machine.happened(Range("read", 7, 14, 4, 100, 3)).dropped, "it is no page of the input"
    assert machine.ghosts["task"].entries[5, 0] == {"reads": 3}


@pytest.mark.parametrize(
    "wrong",
    [
        Range("opened", 7, 1, 0, 100),
        Range("opened", 7, 0, 1, 100),
        Range("read", 7, 0, 0, 100),
        Range("written", 7, 0, 0, 100),
        Range("read", 7, 2**62 - 1, 1, 100),
        Range("read", 7, 0, 1, 2**62),
    ],
)
def test_a_range_that_cannot_happen_is_an_error(wrong: Range) -> None:
    with pytest.raises(EventError):
        machine_of("on read(r) { }").happened(wrong)


def test_nothing_of_ranges_happens_to_a_policy_that_only_evicts() -> None:
    machine = machine_of("""
      list queue
      on added(f) { place f at tail of queue }
      on evict { scan queue from head as f { evict f } }
    """)
    with pytest.raises(EventError, match="prefetches nothing"):
        machine.happened(READ)


def test_the_log_replays() -> None:
    machine = machine_of("""
      state n: u64 = 0
      on opened(r) { n += 1 readahead n }
      on read(r) { if r.pages > n { drop r } }
      on written(r) { flush r if r.size > 100 { flush r and wait drop r } }
    """)
    for size in (100, 200):
        for event in (OPENED, READ, WRITTEN):
            machine.happened(Range(event.event, 7, event.index, event.pages, size, 3))
    lines = [*format_header(machine.header).splitlines(), *(format_row(row, machine.header) for row in machine.records)]
    assert lines[-4:] == ["written\t7\t10\t4", "\tflush\tstart", "\tflush\twait", "\tdrop"]
    assert "opened\t7" in lines and "\tahead\t2" in lines and "read\t7\t10\t4" in lines
    log = parse(line.encode() for line in lines)
    assert log.rows == machine.records
    assert replay(log, machine.policy).records == machine.records
    assert sum(row.op == Op.WINDOW for row in log.rows) == 2
