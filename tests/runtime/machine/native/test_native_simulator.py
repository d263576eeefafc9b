"""The trace simulator, compared with small models and with itself."""

from __future__ import annotations

import random
from array import array
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

import pytest

from cpol.compiler import compile_file, ir
from cpol.runtime.machine.interp import Machine, ParamError
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Numbered, Numbers, Requests
from cpol.sizes import MAX_CAPACITY

ROOT = Path(__file__).parents[4]
FIFO = compile_file(ROOT / "stdlib/fifo.cpol")
S3FIFO = compile_file(ROOT / "stdlib/s3fifo.cpol")
MASK = 2**64 - 1


def skewed(seed: int, length: int, objects: int) -> list[int]:
    rng = random.Random(seed)
    return [int(rng.paretovariate(0.6)) % objects for _ in range(length)]


def fifo_misses(ids: list[int], capacity: int) -> int:
    cache: OrderedDict[int, None] = OrderedDict()
    misses = 0
    for key in ids:
        if key not in cache:
            misses += 1
            if len(cache) == capacity:
                cache.popitem(last=False)
            cache[key] = None
    return misses


def unmix(hash_: int) -> int:
    """Return the id with this hash (the inverse of murmur3's finaliser)."""
    hash_ ^= hash_ >> 33
    hash_ = hash_ * 0x9CB4B2F8129337DB & MASK
    hash_ ^= hash_ >> 33
    hash_ = hash_ * 0x4F74430C22A54005 & MASK
    return hash_ ^ hash_ >> 33


@pytest.mark.parametrize("capacity", [1, 2, 3, 31, 32, 33, 100, 999, 1000, 1001, 5000])
def test_fifo_misses_match_a_model(capacity: int) -> None:
    ids = skewed(capacity, 20000, 1000)
    assert Simulator(FIFO, capacity).run(ids).misses == fifo_misses(ids, capacity)


@pytest.mark.parametrize(
    "hashes", [range(64), range(MASK, MASK - 64, -1), [n << 32 for n in range(64)], [0, MASK, 63, 64]]
)
def test_ids_whose_hashes_share_a_few_buckets(hashes: list[int]) -> None:
    """Those that number the objects."""
    keys = [unmix(h) for h in hashes]
    rng = random.Random(5)
    for capacity in (1, 7, 32, 60):
        ids = [rng.choice(keys) for _ in range(3000)]
        assert Simulator(FIFO, capacity).run(ids).misses == fifo_misses(ids, capacity)


@pytest.mark.parametrize("id_", [0, 1, MASK, unmix(0), unmix(1), unmix(MASK)])
def test_extreme_ids(id_: int) -> None:
    counts = Simulator(FIFO, 2).run([id_, id_, 5, id_, 6, 7, id_])
    assert (counts.hits, counts.misses) == (2, 5)


@pytest.mark.parametrize("policy", [FIFO, S3FIFO], ids=lambda p: p.name)
@pytest.mark.parametrize("capacity", [10, 200, 10**9, MAX_CAPACITY])
def test_run_in_parts_equals_one_run(policy: ir.Policy, capacity: int) -> None:
    """Memory grows between the parts, so index, slots and ghosts move."""
    ids = skewed(3, 30000, 5000)
    whole = Simulator(policy, capacity).run(ids)
    pieces = Simulator(policy, capacity)
    at = 0
    for length in (0, 1, 1, 5, 40, 400, 3000, 30000):
        pieces.run(ids[at : at + length])
        at += length
    assert pieces.counts == whole


@pytest.mark.parametrize("name", ["arc", "lhd", "lru"])
def test_prefetching_decides_nothing(name: str) -> None:
    """A cache of many slots prefetches folios; one that grows with a trace in parts has few slots at first."""
    policy = compile_file(ROOT / f"stdlib/{name}.cpol")
    ids = array("Q", random.Random(3).choices(range(60_000), k=90_000))
    at_once, growing = (Simulator(policy, 40_000) for _ in range(2))
    at_once.reserve(len(ids))
    counts = at_once.run(ids)
    assert counts.size == 40_000 and counts.hits > 10_000
    for start in range(0, len(ids), 999):
        growing.run(ids[start : start + 999])
    assert growing.counts == at_once.counts and growing.state == at_once.state


@pytest.mark.long
@pytest.mark.parametrize("batch", [1, 5, 32])
def test_requests_match_the_interpreter(batch: int) -> None:
    ids = skewed(9, 4000, 300)
    for capacity in (1, 4, 33, 90):
        machine = Machine(S3FIFO, capacity, {"threshold": 1, "ghost_percent": "30"}, batch)
        for key in ids:
            machine.request(0, key)
        counts = Simulator(S3FIFO, capacity, {"threshold": 1, "ghost_percent": "30"}, batch).run(array("Q", ids))
        assert (counts.misses, counts.size, counts.fallback) == (machine.misses, machine.size, machine.fallbacks)


def test_fallback_without_proposals() -> None:
    idle = replace(FIFO.handlers["evict"], body=())
    lazy = replace(FIFO, handlers={**FIFO.handlers, "evict": idle})
    ids = skewed(2, 2000, 100)
    counts = Simulator(lazy, 20, batch=4).run(ids)
    assert counts.evicted == 0 and counts.fallback == counts.misses - counts.size > 0


def test_empty_trace() -> None:
    counts = Simulator(FIFO, 3).run([])
    assert (counts.requests, counts.misses, counts.miss_ratio) == (0, 0, 0.0)


@pytest.mark.parametrize(
    ("capacity", "batch", "message"),
    [
        (0, 1, "capacity is 1 to"),
        (-1, 1, "capacity is"),
        (MAX_CAPACITY + 1, 1, "capacity is"),
        (1, 0, "batch is"),
        (1, 33, "batch is 1 to 32"),
    ],
)
def test_capacity_and_batch_out_of_range(capacity: int, batch: int, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        Simulator(FIFO, capacity, batch=batch)


def test_params_are_checked() -> None:
    with pytest.raises(ParamError, match="out of range"):
        Simulator(S3FIFO, 10, {"threshold": 9})
    with pytest.raises(OverflowError):
        Simulator(FIFO, 10).run([2**64])


def test_numbers_may_come_with_the_ids() -> None:
    rng = random.Random(2)
    ids = array("Q", [rng.randrange(40) for _ in range(500)])
    numbers, simulator = Numbers(), Simulator(S3FIFO, 7)
    for at in range(0, 500, 130):
        part = ids[at : at + 130]
        counts = simulator.run(Requests(part, numbered=numbers.of(part)))
    assert counts == Simulator(S3FIFO, 7).run(ids)
    with pytest.raises(SimulationError, match="in all runs, or in none"):
        simulator.run(ids)
    for wrong in ([0, 3, 1], [2**32 - 1, 0, 1]):
        with pytest.raises(SimulationError, match="the number of an object is not below 3"):
            Simulator(S3FIFO, 7).run(Requests(array("Q", [1, 2, 3]), numbered=Numbered(array("I", wrong), 3)))
    own, parts = Numbers(), Simulator(S3FIFO, 7)
    for at in range(0, 500, 130):
        known = parts.run(Requests(None, numbered=own.of(ids[at : at + 130])))
    assert known == counts
    with pytest.raises(SimulationError, match="neither ids nor their numbers"):
        Simulator(S3FIFO, 7).run(Requests(None))
    hashing = compile_file(ROOT / "stdlib" / "wtinylfu.cpol")
    with pytest.raises(SimulationError, match="the policy wtinylfu reads names, so it needs ids"):
        Simulator(hashing, 7).run(Requests(None, numbered=Numbers().of(ids)))
    for other in (array("I", [0, 1]), array("Q", [0, 1, 2])):
        with pytest.raises(SimulationError, match=f"3 requests, but {len(other)} numbers of type I"):
            simulator.run(Requests(array("Q", [1, 2, 3]), numbered=Numbered(other, 3)))
