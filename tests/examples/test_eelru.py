"""examples/literature/eelru.cpol evicts what a model of it evicts, and misses as EELRU with exact positions does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from eelru_models import eelru, misses_by_positions
from test_literature import evicted, requests, told

from cpol.compiler import compile_file
from cpol.runtime.machine.interp import Given, Machine, run_trace
from cpol.runtime.simulate.simulator import Simulator

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "examples/literature/eelru.cpol"


def misses(name: str, keys: list[int], capacity: int) -> int:
    path = PATH if name == "eelru" else ROOT / f"stdlib/{name}.cpol"
    return Simulator(compile_file(path), capacity).run(keys).misses


def loop(pages: int, rounds: int) -> list[int]:
    return list(range(pages)) * rounds


def changing(seed: int, length: int) -> list[int]:
    """Loops of many lengths, skewed requests and scans, one after the other and among one another."""
    rng = random.Random(seed)
    keys: list[int] = []
    while len(keys) < length:
        pages, rounds = rng.randint(20, 200), rng.randint(1, 6)
        part = list(range(1000, 1000 + pages)) * rounds
        hot = [int(rng.paretovariate(0.8)) % 300 for _ in range(rng.randint(0, 400))]
        scan = [rng.randrange(1 << 40) for _ in range(rng.randint(0, 100))]
        if rng.random() < 0.5:
            part = [each for pair in zip(part, [*hot, *part], strict=False) for each in pair]
        keys += part + hot + scan
    return keys[:length]


@pytest.mark.parametrize("capacity", [1, 2, 3, 7, 16, 40, 64, 100])
def test_evicts_what_the_model_evicts(capacity: int) -> None:
    keys = changing(capacity, 5000)
    expected = list(eelru(keys, capacity))
    assert len(expected) > 1000
    assert evicted(PATH, capacity, tuple(keys)) == expected


@pytest.mark.parametrize("capacity", [17, 64])
def test_evicts_what_the_model_evicts_where_popularity_drifts(capacity: int) -> None:
    keys = requests(capacity)
    assert evicted(PATH, capacity, keys) == list(eelru(list(keys), capacity))


def test_evicts_what_the_model_evicts_on_random_traces() -> None:
    rng = random.Random(1)
    for _ in range(40):
        capacity = rng.randint(1, 40)
        keys = rng.choices(range(rng.randint(1, 100)), k=100) + loop(rng.randint(1, 80), 4)
        keys += changing(rng.randrange(1000), 200)
        assert evicted(PATH, capacity, tuple(keys)) == list(eelru(keys, capacity)), (capacity, keys)


@pytest.mark.parametrize(("pages", "capacity"), [(101, 100), (110, 100), (150, 100), (240, 100), (75, 64), (90, 64)])
def test_a_loop_that_does_not_fit(pages: int, capacity: int) -> None:
    """LRU misses each time. The points leave a page as often as there is room for it."""
    rounds = 30
    keys = loop(pages, rounds)
    found = misses("eelru", keys, capacity)
    exact = misses_by_positions(keys, capacity)
    assert misses("lru", keys, capacity) == len(keys)
    least = pages + (rounds - 1) * (pages - capacity)  # Belady's algorithm
    assert least <= found < least + 3 * pages
    assert abs(found - exact) < 0.05 * len(keys)


def test_the_page_tells_the_misses_of_loops() -> None:
    """Of 30 rounds, in 100 pages; the least is that of Belady's algorithm."""
    table = told("loop")
    found = {
        (name, pages): int(pages) + 29 * (int(pages) - 100)
        if name == "least"
        else misses(name, loop(int(pages), 30), 100)
        for name, pages in table
    }
    assert found == table


@pytest.mark.parametrize("capacity", [64, 100])
def test_segments_cost_little(capacity: int) -> None:
    keys = changing(5, 6000)
    exact = misses_by_positions(keys, capacity)
    found = misses("eelru", keys, capacity)
    assert found < 0.95 * misses("lru", keys, capacity)
    assert abs(found - exact) < 0.05 * exact


@pytest.mark.parametrize("capacity", [64, 250, 1000])
def test_where_lru_is_good_it_is_as_good(capacity: int) -> None:
    rng = random.Random(capacity)
    keys = [int(rng.paretovariate(0.7)) % 2000 for _ in range(20_000)]
    assert misses("eelru", keys, capacity) < 1.02 * misses("lru", keys, capacity)


def test_interpreter_and_native_code_agree() -> None:
    keys = changing(7, 300)
    machine = Machine(compile_file(PATH), 20)
    run_trace(machine, Given(keys))
    assert len(keys) - machine.hits == misses("eelru", keys, 20)
