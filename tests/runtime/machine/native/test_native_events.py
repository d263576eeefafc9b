"""The event simulator: refusals, large folios, errors that leave the state unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpol.compiler import compile_file
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.native import EventSimulator, SimulationError

ROOT = Path(__file__).parents[4]
EVERYTHING = compile_file(ROOT / "tests/compiler/backend/everything.cpol")
LFU = compile_file(ROOT / "stdlib/lfu.cpol")

EVENTS = [
    Row(Op.MISSED, 1, 5),
    Row(Op.ADDED, 1, 5, 3),
    Row(Op.FIRST_ACCESSED, 1, 5),
    Row(Op.ACCESSED, 1, 5),
    *(Row(Op.ADDED, 0, page, 1 + page % 4) for page in range(20)),
    *(Row(Op.FIRST_ACCESSED, 0, page) for page in range(0, 20, 3)),
    Row(Op.REMOVED, 0, 7, 1),
    Row(Op.FALLBACK, 0, 8),
    Row(Op.EVICT, 0, 0, 9),
]


@pytest.mark.parametrize("policy", [EVERYTHING, LFU], ids=lambda p: p.name)
def test_events_match_the_interpreter(policy) -> None:
    machine, native = Machine(policy, 30), EventSimulator(policy, 30)
    for row in EVENTS[:-1]:
        apply(machine, row)
        native.event(row)
    native.event(EVENTS[-1])
    for number, folio in enumerate(machine.evict(9)):
        answer = Row(Op.REFUSED if number % 2 else Op.REMOVED, *folio.name)
        native.event(answer)
        apply(machine, answer)
    assert native.log == machine.records
    dump = native.dump()
    assert dump.size == machine.size and dump.state == machine.state
    assert dump.ghosts == {name: list(ghost.entries) for name, ghost in machine.ghosts.items()}
    assert {name: [vars(f)["index"] for f in folios] for name, folios in dump.lists.items()} == {
        name: [f.index for f in folios] for name, folios in machine.lists.items()
    }
    assert {(f.file, f.index): (f.pages, f.fields) for folios in dump.lists.values() for f in folios} == {
        f.name: (f.pages, f.fields) for folios in machine.lists.values() for f in folios
    }
    assert native.counts.refused == machine.refusals > 0


def apply(machine: Machine, row: Row) -> None:
    operation = getattr(machine, Op(row.op).label)
    extra = {Op.ADDED: [row.a], Op.REMOVED: [row.a]}.get(Op(row.op), [])
    operation(row.file, row.page, *extra)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (Row(0, 0, 0), "not an event"),
        (Row(43, 0, 1), "not an event"),
        (Row(Op.ROOM, 0, 0, 0), "at least 1 page"),
        (Row(Op.FLAGS, 0, 1, 16), "bits that mean nothing"),
        (Row(Op.FLAGS, 0, 9, 1), "not in the cache"),
        (Row(Op.ADMIT, 0, 9), "has no handler of admit"),
        (Row(Op.PLACE, 0, 1, 1, 1), "not an event"),
        (Row(2**64 - 1, 0, 1), "not an event"),
        (Row(Op.MISSED, 0, 1), "in the cache already"),
        (Row(Op.ADDED, 0, 1, 1), "in the cache already"),
        (Row(Op.ADDED, 0, 9, 0), "at least one page"),
        (Row(Op.ACCESSED, 0, 9), "not in the cache"),
        (Row(Op.ACCESSED, 0, 2), "first_accessed is missing"),
        (Row(Op.FIRST_ACCESSED, 0, 1), "has been accessed before"),
        (Row(Op.REMOVED, 0, 9, 0), "not in the cache"),
        (Row(Op.REMOVED, 0, 1, 2), "neither evicted nor deleted"),
        (Row(Op.EVICT, 0, 0, 0), "1 to 32"),
        (Row(Op.EVICT, 0, 0, 33), "1 to 32"),
        (Row(Op.REFUSED, 0, 1), "is not proposed"),
        (Row(Op.FALLBACK, 0, 3), "is proposed"),
    ],
)
def test_wrong_events_have_no_effect(row: Row, message: str) -> None:
    native = EventSimulator(LFU, 10)
    native.events([Row(Op.ADDED, 0, 3, 1), Row(Op.EVICT, 0, 0, 1)])
    native.events([Row(Op.ADDED, 0, 1, 1), Row(Op.ADDED, 0, 2, 1), Row(Op.FIRST_ACCESSED, 0, 1)])
    before = native.dump(), native.log, native.counts
    with pytest.raises(SimulationError, match=message):
        native.event(row)
    assert (native.dump(), native.log, native.counts) == before


def test_same_index_in_two_files_is_two_native_folios() -> None:
    native = EventSimulator(LFU, 100)
    for file in (0, 1, 2**64 - 1):
        for page in (0, 1, 2**64 - 1):
            native.request(file, page)
    assert native.counts.hits == 0
    for file in (0, 1, 2**64 - 1):
        native.request(file, 1)
    assert native.counts.hits == 3
    assert {(f.file, f.index) for f in native.dump().lists["queue"]} >= {(2**64 - 1, 0), (0, 2**64 - 1)}


def test_memory_grows_with_folios() -> None:
    native, machine = EventSimulator(LFU, 5000), Machine(LFU, 5000)
    for page in range(1500):
        native.request(7, page % 1100)
        machine.request(7, page % 1100)
    assert native.log == machine.records
