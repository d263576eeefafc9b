"""Run the interpreter and the native simulator on the same events, and compare logs and states."""

from __future__ import annotations

import shlex
import tempfile
from array import array
from itertools import chain, takewhile, zip_longest
from pathlib import Path

from hypothesis import strategies as st

from cpol.compiler import ir
from cpol.runtime.explore.check.describe import describe_row
from cpol.runtime.explore.check.scenario import Scenario, drain, perform
from cpol.runtime.machine.events import Op, Row, save
from cpol.runtime.machine.interp import EventError, Given, Machine, run_trace
from cpol.runtime.machine.interp.replay import apply
from cpol.runtime.machine.interp.snapshot import snapshot
from cpol.runtime.machine.native import EventSimulator, SimulationError
from cpol.runtime.machine.settings.inputs import Setting
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Requests

MS_A_REQUEST = 3
"""Milliseconds between two requests of a trace: periods of `every` end both at requests and between them."""


BEFORE = (Op.TASK, Op.TICK, Op.ORIGIN, Op.RW)
"""Events in front of a request."""


def settings_of(scenario: Scenario) -> tuple[int, dict[str, int], int, int, tuple[Setting, ...]]:
    """Return a scenario's settings in the order in which machines and simulators take them."""
    return scenario.capacity, scenario.params, scenario.batch, scenario.seed, scenario.inputs


def agree_on_events(policy: ir.Policy, scenario: Scenario, replay: str) -> None:
    """Run a scenario in the interpreter, which makes its events, and the same events in the simulator.

    `replay` is the command that shows a failure again.
    """
    settings = settings_of(scenario)
    machine = Machine(policy, *settings)
    native = EventSimulator(policy, *settings)
    for action in scenario.actions:
        perform(action, machine)
    compare_states(policy, machine, native, replay)
    drain(machine)
    compare_states(policy, machine, native, replay)


def agree_on_requests(policy: ir.Policy, scenario: Scenario, keys: list[int], replay: str) -> None:
    """Run a trace in the interpreter, the event simulator and the fast simulator; each evicts by itself."""
    settings = settings_of(scenario)
    machine = Machine(policy, *settings)
    native = EventSimulator(policy, *settings)
    fast = Simulator(policy, *settings)
    times = [number * MS_A_REQUEST for number in range(len(keys))]
    tasks = [key % 3 for key in keys]
    writes = [int(key % 3 == 0) for key in keys]
    for key, ms, task, write in zip(keys, times, tasks, writes, strict=True):
        known = len(machine.records)
        run_trace(machine, Given([key], [ms], [task], writes=[write]))
        # Task, tick and direction precede the request; the simulator makes the other events and the decisions itself.
        before = takewhile(lambda row: row.op in BEFORE or Op(row.op).is_decision, machine.records[known:])
        native.events(row for row in before if row.op in BEFORE)
        native.request(0, key)
        if write:
            native.wrote(0, key)
    compare_logs(policy, machine, native.log, replay)
    compare_states(policy, machine, native, replay)
    # In two parts: a simulation continues from its state.
    half = len(keys) // 2
    for part in (slice(half), slice(half, None)):
        facts = [array("Q", facts[part]) for facts in (keys, times, tasks, writes)]
        counts = fast.run(Requests(*facts[:3], writes=facts[3]))
    assert counts == native.counts, replay
    assert counts.refused_admission == machine.refused_admission, replay
    assert (counts.reclaimed, counts.unreclaimed) == (machine.reclaimed, machine.unreclaimed), replay
    assert (counts.hits, counts.misses, counts.fallback) == (machine.hits, machine.misses, machine.fallbacks), replay


def agree_on_rows(policy: ir.Policy, scenario: Scenario, rows: list[Row], replay: str) -> None:
    """Run events in any order: both executors refuse the same ones, and a refused event changes nothing."""
    settings = settings_of(scenario)
    machine = Machine(policy, *settings)
    native = EventSimulator(policy, *settings)
    for row in rows:
        refusals: list[Exception] = []
        try:
            apply(machine, row)
        except EventError as error:
            refusals.append(error)
        try:
            native.event(row)
        except SimulationError as error:
            refusals.append(error)
        assert len(refusals) != 1, f"only one executor refuses: {refusals[0]}\n{replay}"
    compare_states(policy, machine, native, replay)


def compare_states(policy: ir.Policy, machine: Machine, native: EventSimulator, replay: str) -> None:
    """Feed the simulator the machine's new events, then compare logs and states."""
    events = [row for row in machine.records if not Op(row.op).is_decision]
    known = sum(not Op(row.op).is_decision for row in native.log)
    native.events(events[known:])
    compare_logs(policy, machine, native.log, replay)
    dump = native.dump()
    ours = snapshot(machine)
    assert dump.size == machine.size, replay
    assert dump.state == ours["state"], replay
    lists = {
        name: [vars(folio) for folio in folios] for name, folios in dump.lists.items() if folios or "." not in name
    }
    assert lists == ours["lists"], replay
    assert [list(folio) for folio in dump.left] == ours["left"], replay
    ghosts = {
        name: [[*entry, *record.values()] for entry, record in zip(entries, dump.records[name], strict=True)]
        for name, entries in dump.ghosts.items()
    }
    assert ghosts == ours["ghosts"], replay
    assert dump.tables == ours["tables"], replay
    assert {**vars(dump.pins), "folios": [list(name) for name in dump.pins.folios]} == ours["pins"], replay
    assert vars(dump.keeps) == ours["keeps"], replay
    assert dump.reclaims == ours["reclaims"], replay
    assert native.decided == machine.decided, replay


NAMES = st.tuples(st.sampled_from([0, 0, 0, 7]), st.integers(0, 7))
FOLIO_OPS = [Op.MISSED, Op.FIRST_ACCESSED, Op.ACCESSED, Op.REFUSED, Op.FALLBACK, Op.ADMIT]
TASKS = st.integers(0, 3)
PAGES = st.integers(0, 12) | st.sampled_from([2**62 - 1, 2**62, 2**64 - 1])
COMMS = st.just(0) | st.integers(0, 2**64 - 1)
ROWS: st.SearchStrategy[list[Row]] = st.lists(
    st.lists(
        st.one_of(
            st.builds(lambda name, pages: Row(Op.ADDED, *name, pages), NAMES, st.integers(0, 3)),
            st.builds(lambda name, pages: Row(Op.ADDED, *name, pages), NAMES, st.just(1)),
            st.builds(lambda op, name: Row(op, *name), st.sampled_from(FOLIO_OPS), NAMES),
            st.builds(lambda name, why: Row(Op.REMOVED, *name, why), NAMES, st.integers(0, 2)),
            st.builds(lambda wanted: Row(Op.EVICT, 0, 0, wanted), st.integers(0, 5) | st.integers(0, 34)),
            st.builds(lambda ms: Row(Op.TICK, 0, 0, ms), st.integers(0, 300)),
            st.builds(lambda name, flags: Row(Op.FLAGS, *name, flags), NAMES, st.integers(0, 8)),
            st.builds(lambda room: Row(Op.ROOM, 0, 0, room), st.integers(0, 40)),
            st.builds(lambda writes: Row(Op.RW, 0, 0, writes), st.integers(0, 2)),
            st.builds(lambda *origin: Row(Op.ORIGIN, 0, 0, *origin), TASKS, TASKS),
            st.builds(lambda *task: Row(Op.TASK, *task), COMMS, COMMS, TASKS, TASKS),
            st.builds(lambda area, a, b: Row(Op.AREA, area, 0, a, b), TASKS, PAGES, PAGES),
            st.builds(lambda device, a, b: Row(Op.SWAP, device, 0, a, b), TASKS, PAGES, st.integers(0, 65)),
            st.builds(lambda device, *window: Row(Op.WINDOW, device, *window), TASKS, PAGES, PAGES, PAGES),
            st.builds(lambda page, slot, flags: Row(Op.FAULT, 0, page, slot, flags), PAGES, PAGES, TASKS),
            st.builds(lambda page, slot: Row(Op.PREFETCH, 0, page, slot), PAGES, PAGES),
            st.builds(lambda *asked: Row(Op.READAHEAD, *asked), TASKS, PAGES, st.integers(0, 4), st.integers(0, 8)),
            st.builds(lambda file, *none: Row(Op.OPENED, file, *none), TASKS, st.just(0), st.just(0)),
            st.builds(lambda page, *out: Row(Op.OUT, 0, page, *out), PAGES, st.integers(0, 4), st.integers(0, 4)),
            st.builds(Row, st.sampled_from((Op.OPENED, Op.READ, Op.WRITTEN)), TASKS, PAGES, st.integers(0, 4)),
        )
    )
).map(lambda runs: list(chain.from_iterable(runs)))
"""Events in any order."""


def compare_logs(policy: ir.Policy, machine: Machine, log: list[Row], replay: str) -> None:
    if log == machine.records:
        return
    place = next(n for n, (a, b) in enumerate(zip_longest(machine.records, log)) if a != b)

    def show(rows: list[Row]) -> str:
        return describe_row(rows[place], machine.header) if place < len(rows) else "nothing"

    path = Path(tempfile.gettempdir()) / f"cpol-differs-{policy.name}.events"
    save(path, machine.header, log)
    raise AssertionError(
        f"row {place + 1} of the log differs: the interpreter has '{show(machine.records)}', "
        f"the simulator '{show(log)}'\nthe simulator's log is in {path}\n{replay.format(log=shlex.quote(str(path)))}"
    )
