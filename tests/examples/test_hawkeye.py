"""examples/literature/hawkeye.cpol evicts what a model of it evicts, and keeps a thread's folios from a scan."""

from __future__ import annotations

import random
from array import array
from pathlib import Path

import pytest
from hawkeye_model import OptGen, belady, hawkeye
from test_literature import told

from cpol.compiler import compile_file
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.interp import Given, Machine, run_trace
from cpol.runtime.machine.native import EventSimulator
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Requests

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "examples/literature/hawkeye.cpol"
Threaded = list[tuple[int, int]]


def evicted(requests: Threaded, capacity: int) -> list[int]:
    native = EventSimulator(compile_file(PATH), capacity, batch=1)
    for thread, key in requests:
        native.event(Row(Op.TASK, 0, 0, thread, 0))
        native.request(0, key)
    assert native.counts.fallback == 0
    return [row.page for row in native.log if row.op == Op.REMOVED]


def misses(name: str, requests: Threaded, capacity: int) -> int:
    path = PATH if name == "hawkeye" else ROOT / f"stdlib/{name}.cpol"
    threads, keys = zip(*requests, strict=True)
    return Simulator(compile_file(path), capacity).run(Requests(array("Q", keys), tasks=array("Q", threads))).misses


def threads_at_work(seed: int, length: int) -> Threaded:
    """Threads with a hot set, a loop, a scan, and a mood; two of them share a counter, and some share pages."""
    rng = random.Random(seed)
    requests: Threaded = []
    hot, place = 0, 10_000
    while len(requests) < length:
        hot += rng.choice([0, 0, 300])
        pages = rng.randint(10, 300)
        for turn in range(rng.randint(20, 400)):
            place += 1
            requests += rng.choice(
                [
                    [(7, hot + int(rng.paretovariate(0.8)) % 300)],
                    [(8, place), (8, place - rng.choice([0, 5]))],
                    [(2055, 5000 + turn % pages)],
                    [(rng.randint(1, 4), rng.randrange(1500))],
                ]
            )
    return requests[:length]


def reuse_beside_a_scan(hot: int, rounds: int, scanned: int) -> Threaded:
    """The thread 7 reads its pages in any order; for each read, the thread 8 reads new ones."""
    rng = random.Random(hot)
    requests: Threaded = []
    for _ in range(hot * rounds):
        requests.append((7, rng.randrange(hot)))
        requests += [(8, 1_000_000 + len(requests) + each) for each in range(scanned)]
    return requests


@pytest.mark.parametrize("capacity", [1, 2, 5, 17, 64, 150, 300, 700])
def test_evicts_what_the_model_evicts(capacity: int) -> None:
    requests = threads_at_work(capacity, 8000)
    expected = list(hawkeye(requests, capacity))
    assert len(expected) > 1000
    assert evicted(requests, capacity) == expected


def test_evicts_what_the_model_evicts_on_random_traces() -> None:
    rng = random.Random(1)
    for _ in range(40):
        capacity = rng.randint(1, 140)
        requests = [(rng.randint(1, 3), rng.randrange(rng.randint(1, 300))) for _ in range(600)]
        requests += threads_at_work(rng.randrange(1000), 300)
        assert evicted(requests, capacity) == list(hawkeye(requests, capacity)), (capacity, requests)


@pytest.mark.parametrize("room", [1, 3, 20, 64])
def test_the_model_foretells_belady(room: int) -> None:
    """The claim of the paper: with all of the history, OPTgen has the hits of Belady's algorithm."""
    keys = [key for _, key in threads_at_work(room, 1500)]
    generator, last, hits = OptGen(room, len(keys)), dict[int, int](), 0
    for key in keys:
        hits += key in last and generator.hits(last[key])
        last[key] = generator.now
        generator.now += 1
    assert hits == belady(keys, room) > 50


@pytest.mark.parametrize(
    ("hot", "capacity", "scanned"), [(80, 100, 1), (80, 100, 3), (50, 64, 2), (800, 1000, 1), (1600, 2000, 2)]
)
def test_a_thread_that_reads_again_is_kept_from_a_scan(hot: int, capacity: int, scanned: int) -> None:
    requests = reuse_beside_a_scan(hot, 30, scanned)
    least = hot + hot * 30 * scanned  # each page once
    found = misses("hawkeye", requests, capacity)
    assert least <= found < least + hot / 5
    for other in ("lru", "sieve", "s3fifo", "arc", "lirs"):
        assert found < misses(other, requests, capacity)
    assert misses("lru", requests, capacity) > least + 5 * hot


def test_the_page_tells_the_misses_of_threads() -> None:
    """A thread reads 80 pages 2,400 times, another so many new ones after each; in 100 pages."""
    table = told("scanned")
    found = {
        (name, scanned): 80 + 2400 * int(scanned)
        if name == "least"
        else misses(name, reuse_beside_a_scan(80, 30, int(scanned)), 100)
        for name, scanned in table
    }
    assert found == table


def test_one_that_changes_its_ways_is_learned_anew() -> None:
    """The scan becomes what is read again, and the other way round."""
    before = reuse_beside_a_scan(80, 30, 1)
    after = [(15 - thread, key + 10_000_000) for thread, key in before]
    least = 2 * (80 + 80 * 30)
    assert misses("hawkeye", before + after, 100) < least + 200 < misses("lru", before + after, 100)


def test_interpreter_and_native_code_agree() -> None:
    requests = threads_at_work(7, 700)
    machine = Machine(compile_file(PATH), 130)
    run_trace(machine, Given([key for _, key in requests], tasks=[thread for thread, _ in requests]))
    assert len(requests) - machine.hits == misses("hawkeye", requests, 130)
