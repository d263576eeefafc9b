"""Belady's optimum: the fewest misses of a cache that admits every page."""

from __future__ import annotations

import random
from array import array
from functools import cache

import pytest

from cpol.runtime.simulate.traces import Numbers, belady_misses


def misses(keys: list[int], capacity: int) -> int:
    return belady_misses(Numbers().of(array("Q", keys)), capacity)


def fewest(keys: list[int], capacity: int) -> int:
    """Return the fewest misses over all choices of victims."""

    @cache
    def best(at: int, cached: frozenset[int]) -> int:
        if at == len(keys):
            return 0
        if keys[at] in cached:
            return best(at + 1, cached)
        if len(cached) < capacity:
            return 1 + best(at + 1, cached | {keys[at]})
        return 1 + min(best(at + 1, cached - {victim} | {keys[at]}) for victim in cached)

    return best(0, frozenset())


def farthest(keys: list[int], capacity: int) -> int:
    """Simulate the policy's definition: evict the page whose next use is last, or never."""
    cached: set[int] = set()
    count = 0
    for at, key in enumerate(keys):
        if key in cached:
            continue
        count += 1
        if len(cached) == capacity:
            cached.remove(max(cached, key=lambda page: keys.index(page, at) if page in keys[at:] else len(keys)))
        cached.add(key)
    return count


def test_no_choice_of_victims_has_fewer_misses() -> None:
    rng = random.Random(1)
    for _ in range(200):
        keys = rng.choices(range(6), k=rng.randint(1, 14))
        capacity = rng.randint(1, 4)
        assert misses(keys, capacity) == fewest(keys, capacity), (keys, capacity)


def test_evicts_the_page_used_last() -> None:
    rng = random.Random(2)
    for _ in range(200):
        keys = rng.choices([0, 2**64 - 1, *range(1, rng.randint(2, 60))], k=rng.randint(1, 300))
        capacity = rng.randint(1, 70)
        assert misses(keys, capacity) == farthest(keys, capacity), (keys, capacity)


@pytest.mark.parametrize("capacity", [20, 21, 2**48])
def test_large_cache_misses_each_page_once(capacity: int) -> None:
    assert misses(list(range(20)) * 3, capacity) == 20


def test_no_requests() -> None:
    assert misses([], 1) == 0
