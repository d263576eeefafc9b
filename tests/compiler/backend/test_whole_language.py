"""Native simulator and interpreter agree on decisions and state for policies that use the whole language."""

from __future__ import annotations

import random
from array import array
from pathlib import Path

import pytest

from cpol.compiler import comm, compile_file, ir
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.interp import EventError, Machine
from cpol.runtime.machine.interp.replay import apply
from cpol.runtime.machine.interp.snapshot import snapshot
from cpol.runtime.machine.interp.trace import Given, run_trace
from cpol.runtime.machine.native import EventSimulator, SimulationError
from cpol.runtime.machine.settings.inputs import Setting
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Requests

HERE = Path(__file__).parent
POLICIES = [HERE / "whole.cpol", *sorted((HERE.parent / "whole").glob("*.cpol"))]
COMMANDS = ("rsync", "tar", r"a\x20b\xff")
EVENTS = (Op.MISSED, Op.ADMIT, Op.ADDED, Op.FIRST_ACCESSED, Op.ACCESSED, Op.REMOVED, Op.REFUSED, Op.FALLBACK)


def settings(policy: ir.Policy, rng: random.Random) -> list[Setting]:
    """Return some keys of each input, with overlapping ranges of pages."""
    result = []
    for given in policy.inputs:
        for _ in range(rng.randrange(4)):
            first = rng.randrange(12)
            if given.size is not None:
                entries = "true,false" if given.value == ir.BOOL else ",".join(str(rng.randrange(16)) for _ in range(9))
                result.append((given.name, str(first), entries))
                continue
            key = f"{rng.choice((0, 7))}:{first}..{first + rng.randrange(9)}" if given.key == "page" else f"{first % 4}"
            if given.key == "comm":
                key = rng.choice(COMMANDS)
            value = "true" if given.value is None else str(rng.randrange(4))
            result.append((given.name, key, value))
    return result


def values(policy: ir.Policy, rng: random.Random) -> dict[str, int | str]:
    """Return values of some params, small ones for small tables and arrays."""
    return {param.name: min(param.high, param.low + rng.randrange(4)) for param in policy.params if rng.random() < 0.5}


def event(rng: random.Random, ms: int) -> Row:
    kind = rng.randrange(20)
    if kind == 0:
        return Row(Op.TICK, 0, 0, max(0, ms + rng.randrange(-1, 9)))
    if kind == 1:
        return Row(Op.TASK, *comm.parse(rng.choice(COMMANDS)), rng.randrange(4), rng.randrange(4))
    if kind == 2:
        return Row(Op.EVICT, 0, 0, rng.randrange(0, 7))
    if kind == 3:
        return Row(Op.ORIGIN, 0, 0, rng.randrange(4), rng.randrange(4))
    if kind < 6:
        return Row(Op.FLAGS, rng.choice((0, 0, 7)), rng.randrange(9), rng.randrange(9))
    op = rng.choice(EVENTS)
    extra = rng.randrange(0, 4) if op is Op.ADDED else rng.randrange(0, 3) if op is Op.REMOVED else 0
    return Row(op, rng.choice((0, 0, 7)), rng.randrange(9), extra)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_whole_language_events_agree(path: Path, seed: int) -> None:
    """Both executors refuse the same events, and make the same decisions."""
    policy, rng = compile_file(path), random.Random(seed)
    capacity, batch, filled, params = rng.randint(1, 9), rng.randint(1, 4), settings(policy, rng), values(policy, rng)
    machine = Machine(policy, capacity, params, batch, seed, filled)
    native = EventSimulator(policy, capacity, params, batch, seed, filled)
    for step in range(700):
        if rng.randrange(3) == 0:
            file, index = rng.choice((0, 7)), rng.randrange(24)
            if not machine.proposed:
                machine.request(file, index)
                native.request(file, index)
                if index % 3 == 0:
                    machine.wrote(file, index)
                    native.wrote(file, index)
            continue
        row = event(rng, machine.ms)
        refusals: list[Exception] = []
        for executor in (lambda row: apply(machine, row), native.event):
            try:
                executor(row)
            except (EventError, SimulationError) as error:
                refusals.append(error)
        assert len(refusals) != 1, f"step {step}: only one executor refuses: {refusals[0]}"
        for folio in list(machine.proposed) if rng.randrange(3) else []:
            answer = Row(rng.choice((Op.REMOVED, Op.REFUSED)), *folio.name)
            apply(machine, answer)
            native.event(answer)
        if native.log != machine.records:
            at = next(n for n, (a, b) in enumerate(zip(machine.records, native.log, strict=False)) if a != b)
            pytest.fail(f"seed {seed}, step {step}, row {at}: {machine.records[at:][:3]} but {native.log[at:][:3]}")
    same_state(machine, native)


def same_state(machine: Machine, native: EventSimulator) -> None:
    dump, ours = native.dump(), snapshot(machine)
    assert (dump.size, dump.state) == (machine.size, ours["state"])
    assert [list(folio) for folio in dump.left] == ours["left"]
    lists = {
        name: [vars(folio) for folio in folios] for name, folios in dump.lists.items() if folios or "." not in name
    }
    assert lists == ours["lists"]
    assert dump.tables == ours["tables"]
    assert {**vars(dump.pins), "folios": [list(name) for name in dump.pins.folios]} == ours["pins"]
    for name, entries in ours["ghosts"].items():
        pairs = zip(dump.ghosts[name], dump.records[name], strict=True)
        assert [[*entry, *record.values()] for entry, record in pairs] == entries
    counts = native.counts
    assert (counts.fallback, counts.refused, counts.refused_admission) == (
        machine.fallbacks, machine.refusals, machine.refused_admission,
    )  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_whole_language_traces_agree(path: Path, timed: bool) -> None:
    """The fast build in two runs, with and without times of requests."""
    policy, rng = compile_file(path), random.Random(17)
    ids = [int(rng.paretovariate(0.5)) % 60 for _ in range(3000)]
    times = sorted(rng.randrange(900) for _ in ids) if timed else None
    filled = settings(policy, rng)
    machine = Machine(policy, 12, {}, 2, 5, filled)
    run_trace(machine, Given(ids, times))
    fast = Simulator(policy, 12, {}, 2, 5, filled)
    for part in (slice(0, 1111), slice(1111, 3000)):
        counts = fast.run(Requests(array("Q", ids[part]), array("Q", times[part]) if times else None))
    assert (counts.hits, counts.misses, counts.fallback, counts.refused_admission, counts.size) == (
        machine.hits, machine.misses, machine.fallbacks, machine.refused_admission, machine.occupied,
    )  # fmt: skip
