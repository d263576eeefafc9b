"""A limit that falls and rises: all executors agree, and no policy leaves evictions to the machine."""

from __future__ import annotations

import random
from array import array

import pytest
from agreement import compare_logs, compare_states
from test_stdlib_agrees import EVICTING

from cpol.compiler import compile_source
from cpol.compiler.ir import uses
from cpol.runtime.machine.interp import EventError, Given, Machine, run_trace
from cpol.runtime.machine.native import EventSimulator, SimulationError
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Requests

pytestmark = pytest.mark.slow

ROOMS = (200, 60, 20, 1, 40, 250, 100, 10, 200)
"""Pages: it falls at once and step by step, to a page, and rises above what it was at attach."""
REQUESTS = 250
"""With each room."""


def keys_of(seed: int) -> list[list[int]]:
    """A loop that is larger than most rooms, beside a hot set."""
    rng = random.Random(seed)
    loop = iter(range(10**9))
    return [
        [next(loop) % 300 if rng.random() < 0.5 else 1000 + int(rng.paretovariate(0.7)) % 60 for _ in range(REQUESTS)]
        for _ in ROOMS
    ]


@EVICTING
@pytest.mark.parametrize("batch", [1, 32])
def test_rooms_agree(policy, batch):
    """Sizes that a policy took from a larger capacity do not keep it from evicting."""
    machine = Machine(policy, ROOMS[0], batch=batch)
    native = EventSimulator(policy, ROOMS[0], batch=batch)
    fast = Simulator(policy, ROOMS[0], batch=batch)
    replay = "the room falls and rises: cpolc check --replay {log}"
    for room, keys in zip(ROOMS, keys_of(1), strict=True):
        machine.room(room)
        native.room(room)
        fast.room(room)
        assert machine.occupied <= room
        writes = [int(key % 5 == 0) for key in keys]
        asks_writes, wrote = uses.of(policy).writes, False
        for key, write in zip(keys, writes, strict=True):
            known = len(machine.records)
            run_trace(machine, Given([key], [machine.ms], writes=[write]))
            native.events(row for row in machine.records[known : known + 1] if asks_writes and write != wrote)
            wrote = bool(write)
            native.request(0, key)
            if write:
                native.wrote(0, key)
            assert machine.occupied <= room
        counts = fast.run(Requests(array("Q", keys), array("Q", [machine.ms] * len(keys)), writes=array("Q", writes)))
        assert counts == native.counts
        assert (counts.hits, counts.misses, counts.fallback) == (machine.hits, machine.misses, machine.fallbacks)
    compare_logs(policy, machine, native.log, replay)
    compare_states(policy, machine, native, replay)
    assert machine.fallbacks == 0 or uses.of(policy).leave, "the policy left evictions to the machine"


def test_the_dirty_follow_the_room() -> None:
    """A tenth of the room is dirty, at most, however the queue was before."""
    policy = compile_source(
        "policy p {\n list queue\n on added(f) { place f at tail of queue }\n"
        " on evict {\n  scan queue from head as f { when f.dirty { move f to tail of queue } otherwise { evict f } }\n"
        "  scan queue from head as f { evict f }\n }\n}\n",
        "p.cpol",
    )
    machine, native = Machine(policy, 100), EventSimulator(policy, 100)
    for room in (100, 30, 300, 20):
        machine.room(room)
        native.room(room)
        for key in range(room):
            run_trace(machine, Given([key + room], writes=[1]))
            native.request(0, key + room)
            native.wrote(0, key + room)
    compare_logs(policy, machine, native.log, "{log}")


def test_no_room_is_refused() -> None:
    added = "on added(f) { place f at tail of q }"
    text = f"policy p {{\n list q\n {added}\n on evict {{ scan q from head as f {{ evict f }} }}\n}}\n"
    policy = compile_source(text, "p.cpol")
    with pytest.raises(EventError, match="at least 1 page"):
        Machine(policy, 4).room(0)
    with pytest.raises(SimulationError, match="1 to"):
        Simulator(policy, 4).room(0)
