"""Exact miss counts, compared with small models and with libCacheSim on the traces of the LIRS paper.

We may not commit those traces; they are in $CPOL_TRACES or ../shared/traces. Without them, the tests use the committed
synthetic trace.
"""

from __future__ import annotations

import gzip
import os
import random
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from cpol.compiler import compile_file
from cpol.compiler.ir import Policy
from cpol.runtime.machine.interp import Machine

ROOT = Path(__file__).parents[4]
TRACES = Path(os.environ.get("CPOL_TRACES", ROOT.parent / "shared" / "traces"))
SYNTHETIC = Path(__file__).with_name("synthetic.trace")

LIBCACHESIM = [
    ("multi1", "fifo", 26, 15695),
    ("multi1", "fifo", 260, 10489),
    ("multi1", "s3fifo", 26, 14360),
    ("multi1", "s3fifo", 260, 7961),
]
"""Trace, policy, capacity, misses."""


def stdlib(name: str) -> Policy:
    return compile_file(ROOT / "stdlib" / f"{name}.cpol")


def misses(policy: Policy, capacity: int, keys: Iterable[int], **params: int) -> int:
    machine = Machine(policy, capacity, params)
    for key in keys:
        machine.request(0, key)
    assert machine.fallbacks == 0
    return machine.misses


if TRACES.is_dir():

    @pytest.mark.parametrize(("trace", "name", "capacity", "expected"), LIBCACHESIM)
    def test_misses_match_libcachesim(trace, name, capacity, expected):
        with gzip.open(TRACES / f"{trace}.trace.gz", "rt") as file:
            keys = [int(line) for line in file if line.strip() and not line.startswith("*")]
        assert misses(stdlib(name), capacity, keys) == expected


# Models of policies in plain Python, which return the number of misses.


def fifo(keys: list[int], capacity: int) -> int:
    queue: deque[int] = deque()
    misses = 0
    for key in keys:
        if key not in queue:
            misses += 1
            if len(queue) == capacity:
                queue.popleft()
            queue.append(key)
    return misses


def mru(keys: list[int], capacity: int) -> int:
    order: OrderedDict[int, None] = OrderedDict()
    misses = 0
    for key in keys:
        if key not in order:
            misses += 1
            if len(order) == capacity:
                order.popitem()
            order[key] = None
        order.move_to_end(key)
    return misses


def lfu(keys: list[int], capacity: int) -> int:
    """Evicts the least used of the 16 at the head, the nearest to it in a tie; the others of them rotate."""
    queue: list[int] = []
    uses: Counter[int] = Counter()
    misses = 0
    for key in keys:
        if key in queue:
            uses[key] += 1
            continue
        misses += 1
        if len(queue) == capacity:
            sample = queue[:16]
            victim = min(sample, key=lambda cached: (uses[cached], sample.index(cached)))
            # A displaced candidate moves to the tail at once.
            candidate, rotated = sample[0], []
            for cached in sample[1:]:
                loser = candidate if uses[cached] < uses[candidate] else cached
                candidate = candidate if loser is cached else cached
                rotated.append(loser)
            assert candidate == victim
            queue = queue[16:] + rotated
            del uses[victim]
        queue.append(key)
        uses[key] = 1
    return misses


def s3fifo(keys: list[int], capacity: int) -> int:
    """Algorithm 1 of the paper, with libCacheSim's parameters and first fill."""
    small_capacity = capacity // 10
    small: deque[int] = deque()
    main: deque[int] = deque()
    ghost: deque[int] = deque()
    freq: dict[int, int] = {}
    misses = 0
    full_once = False

    def evict_small() -> bool:
        while small:
            key = small.popleft()
            if freq[key] >= 2:
                freq[key] = 0
                main.append(key)
            else:
                del freq[key]
                ghost.append(key)
                while len(ghost) > capacity * 9 // 10:
                    ghost.popleft()
                return True
        return False

    def evict_main() -> None:
        while True:
            key = main.popleft()
            if freq[key] == 0:
                del freq[key]
                return
            freq[key] -= 1
            main.append(key)

    for key in keys:
        if key in freq:
            freq[key] = min(freq[key] + 1, 3)
            continue
        misses += 1
        remembered = key in ghost
        if remembered:
            ghost.remove(key)
        if len(freq) == capacity:
            full_once = True
            if len(main) > capacity - small_capacity or not evict_small():
                evict_main()
        freq[key] = 0
        to_main = remembered or (not full_once and len(small) >= small_capacity)
        (main if to_main else small).append(key)
    return misses


MODELS: dict[str, Callable[[list[int], int], int]] = {"fifo": fifo, "mru": mru, "lfu": lfu, "s3fifo": s3fifo}


@pytest.mark.long
@pytest.mark.parametrize("capacity", [1, 2, 9, 10, 11, 40])
@pytest.mark.parametrize("name", MODELS)
def test_misses_match_the_model(name, capacity):
    keys = [int(line) for line in SYNTHETIC.read_text().splitlines()]
    assert misses(stdlib(name), capacity, keys) == MODELS[name](keys, capacity)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_misses_match_the_model_on_random_traces(name):
    generator = random.Random(f"{name} 1")
    policy = stdlib(name)
    for _ in range(40):
        capacity = generator.randint(1, 15)
        keys = generator.choices(range(generator.randint(1, 30)), k=150)
        assert misses(policy, capacity, keys) == MODELS[name](keys, capacity), (capacity, keys)
