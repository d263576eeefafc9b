"""Prefetching in the interpreter: which targets are recorded, and what the log says (docs/semantics.md)."""

from __future__ import annotations

import pytest

from cpol.compiler import ir
from cpol.compiler.stages import run
from cpol.runtime.explore.check.native import Shadow, differing
from cpol.runtime.machine.errors import EventError
from cpol.runtime.machine.events import Log, Op, format_header, format_row, parse
from cpol.runtime.machine.events.prefetch import Decided, Fault, Request, Target
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.replay import replay


def machine_of(body: str) -> Machine:
    return Machine(run(f"policy p {{ {body} }}", "p.cpol").policy, 1)


def fault(page: int = 10, slot: int = 20, **more: object) -> Fault:
    return Fault(page, slot, **{"slots": 40, "first": 5, "last": 15, **more})  # type: ignore[arg-type]


def request(index: int = 10, wanted: int = 4, **more: object) -> Request:
    return Request(7, index, wanted, **{"start": 8, "window": 16, "size": 100, **more})  # type: ignore[arg-type]


def numbers(decided: Decided) -> list[int]:
    return [target.number for target in decided.targets]


@pytest.mark.parametrize(
    ("statement", "targets"),
    [
        ("prefetch slot 0", []),
        ("prefetch slot 1", [1]),
        ("prefetch slot p.slots - 1", [39]),
        ("prefetch slot p.slots", []),
        ("prefetch slot p.slot", []),
        ("prefetch slot -1", []),
        ("prefetch slot signed(p.slot) - 30", []),
        ("prefetch slot 18446744073709551615", []),
        ("prefetch page p.first", [5]),
        ("prefetch page p.last", [15]),
        ("prefetch page 4", []),
        ("prefetch page 16", []),
        ("prefetch page p.page", []),
        ("prefetch page -5", []),
    ],
)
def test_targets_out_of_range_are_dropped_and_counted(statement: str, targets: list[int]) -> None:
    decided = machine_of(f"on prefetch(p) {{ {statement} }}").prefetch(fault())
    assert numbers(decided) == targets
    assert decided.out_of_range == 1 - len(targets)
    assert not decided.defaulted


@pytest.mark.parametrize(
    ("statement", "targets", "dropped"),
    [
        ("prefetch r.index up to 8", [14, 15, 16, 17], 4),
        ("prefetch r.index - 1 up to 20 by -1", [9, 8, 7, 6, 5, 4, 3, 2, 1, 0], 10),
        ("prefetch signed(r.index) - 1 up to 12 by -1", [9, 8, 7, 6, 5, 4, 3, 2, 1, 0], 2),
        ("prefetch 98 up to 4", [98, 99], 2),
        ("prefetch 20 up to 3 by 30", [20, 50, 80], 0),
        ("prefetch 20 up to 3 by 0", [20], 0),
        ("prefetch 20 up to 0", [20], 0),
        ("prefetch 20", [20], 0),
        ("prefetch 20 up to 3 by 9223372036854775807", [20], 2),
        ("prefetch -9223372036854775808 up to 2 by -1", [], 2),
    ],
)
def test_a_request_names_pages_by_stride(statement: str, targets: list[int], dropped: int) -> None:
    decided = machine_of(f"on readahead(r) {{ {statement} }}").readahead(request())
    assert numbers(decided) == targets
    assert decided.out_of_range == dropped
    assert decided.duplicates == (2 if "by 0" in statement else 0)


def test_duplicates_and_the_limit_are_counted() -> None:
    machine = machine_of(
        "on readahead(r) { prefetch 0 up to 3  prefetch 2 up to 4  prefetch 20 up to 64  prefetch 90 up to 2 }"
    )
    decided = machine.readahead(request())
    assert len(decided.targets) == ir.PREFETCH_TARGETS
    assert numbers(decided)[:7] == [0, 1, 2, 3, 4, 5, 20]
    assert (decided.duplicates, decided.over_limit, decided.out_of_range) == (1, 6 + 2, 0)


def test_pages_beyond_the_first_64_of_a_statement_are_over_the_limit() -> None:
    decided = machine_of("param n: u64 = 100 in 1..1000 on readahead(r) { prefetch r.index up to n }").readahead(
        request()
    )
    assert numbers(decided) == list(range(14, 74))
    assert (decided.out_of_range, decided.over_limit) == (4, 36)


MOST = 2**64 - 1


@pytest.mark.parametrize(
    ("statements", "over_limit"),
    [
        ("prefetch 14 up to all", MOST - 64),
        ("prefetch 14 up to all  prefetch 0 up to 64", MOST - 54),
        ("prefetch 14 up to all  prefetch 0 up to all", MOST),
        ("prefetch 14 up to all  prefetch 0 up to all  for k in 0..70 { prefetch k }", MOST),
    ],
)
def test_targets_over_the_limit_saturate(statements: str, over_limit: int) -> None:
    machine = machine_of(f"state all: u64 = {MOST}  on readahead(r) {{ {statements} }}")
    shadow = Shadow(machine)
    decided = machine.readahead(request(size=1000))
    shadow.follow()
    assert decided.over_limit == over_limit


def test_only_counts_that_differ_are_told() -> None:
    targets = tuple(Target("index", number) for number in range(64))
    told = differing(Decided(targets, over_limit=3), Decided(targets, over_limit=2))
    assert told == "over_limit is 3 in the interpreter, 2 in native code"


def test_a_slot_and_a_page_are_never_duplicates() -> None:
    decided = machine_of("on prefetch(p) { prefetch slot 12  prefetch page 12  prefetch slot 12 }").prefetch(fault())
    assert decided.targets == (Target("slot", 12), Target("page", 12))
    assert decided.duplicates == 1


def test_without_the_handler_all_is_left_to_the_kernel() -> None:
    machine = machine_of("on fault(p) { }")
    machine.fault(fault())
    assert machine.prefetch(fault()) == Decided(defaulted=True)
    assert machine.readahead(request()) == Decided(defaulted=True)


def test_default_is_asked_for() -> None:
    machine = machine_of("on readahead(r) { if r.sequential { default default } prefetch 50 }")
    assert machine.readahead(request(sequential=True)) == Decided((Target("index", 50),), True)
    assert machine.readahead(request()) == Decided((Target("index", 50),), False)
    assert [row.op for row in machine.records if row.op == Op.DEFAULT] == [Op.DEFAULT]


def test_the_page_behind_the_wanted_ones_gets_the_marker_or_else_the_first_target() -> None:
    behind = machine_of("on readahead(r) { prefetch 50 up to 2 prefetch r.index up to 8 }").readahead(request())
    assert behind.marked(request()) == 14
    first = machine_of("on readahead(r) { prefetch 50 up to 2 }").readahead(request())
    assert first.marked(request()) == 50
    assert Decided().marked(request()) is None


def test_attributes_and_records() -> None:
    machine = machine_of("""
      state seen: u64 = 0
      area up to 2 { hits: u32 = 4 }
      file up to 2 { last: u64 = 0 }
      input few: set of page
      on fault(p) { if p.prefetched { p.area.hits += 1 } seen = p.device + p.slots }
      on prefetch(p) { for k in 1..p.area.hits { prefetch page p.page + k } }
      on readahead(r) { if hash(r, 1) != r.file.last { r.file.last = hash(r, 1) } if few.has(r) { default } }
    """)
    machine.fault(fault(cached=True, prefetched=True, device=3, area=9))
    assert machine.state["seen"] == 43
    assert numbers(machine.prefetch(fault(6, area=9))) == [7, 8, 9, 10, 11]
    machine.fill("few", (7, 0, 12), 1)
    assert machine.readahead(request()).defaulted
    assert not machine.readahead(request(20)).defaulted
    assert set(machine.ghosts["file"].entries) == {(7, 0)}


@pytest.mark.parametrize(
    "wrong",
    [
        fault(page=4),
        fault(page=16),
        fault(slot=0),
        fault(slot=40),
        fault(prefetched=True),
        fault(window=0),
        fault(window=65),
        fault(first=11, last=10),
        fault(slots=2**62),
    ],
)
def test_a_fault_that_cannot_happen_is_an_error(wrong: Fault) -> None:
    with pytest.raises(EventError):
        machine_of("on fault(p) { }").fault(wrong)


@pytest.mark.parametrize("wrong", [request(wanted=0), request(size=2**62), request(index=2**62 - 4)])
def test_a_request_that_cannot_happen_is_an_error(wrong: Request) -> None:
    with pytest.raises(EventError):
        machine_of("on readahead(r) { }").readahead(wrong)


def test_a_cached_page_is_not_prefetched_for() -> None:
    with pytest.raises(EventError, match="nothing must be read"):
        machine_of("on prefetch(p) { }").prefetch(fault(cached=True))


def test_a_policy_that_only_prefetches_has_no_folios() -> None:
    with pytest.raises(EventError, match="only prefetches"):
        machine_of("on readahead(r) { }").request(0, 1)
    with pytest.raises(EventError, match="only prefetches"):
        machine_of("on readahead(r) { }").evict(1)


def test_the_log_replays() -> None:
    text = """
      state n: u64 = 0
      on fault(p) { n += 1 }
      on prefetch(p) { prefetch slot p.slot + n  prefetch page p.page + 1  if p.window > 8 { default } }
      on readahead(r) { prefetch r.start up to 20 by 2 if r.mapped { default } }
    """
    machine = machine_of(text)
    for number in range(3):
        machine.fault(fault(10 + number, 20))
        machine.prefetch(fault(10 + number, 20, window=8 << number))
        machine.fault(fault(10, 21, cached=True, prefetched=number == 1))
        machine.readahead(request(number, mapped=number == 2, marker=number == 1, size=20 + number))
    lines = [*format_header(machine.header).splitlines(), *(format_row(row, machine.header) for row in machine.records)]
    log: Log = parse(line.encode() for line in lines)
    assert log.rows == machine.records
    assert replay(log, machine.policy).records == machine.records
    assert sum(row.op == Op.AREA for row in log.rows) == 1
    assert sum(row.op == Op.SWAP for row in log.rows) == 5
