"""LRU's misses with all capacities, in one pass."""

from __future__ import annotations

import random
from array import array

import pytest

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Numbers, lru_misses

GROUPS = 3


def lru(keys: list[int], capacity: int) -> int:
    """As the definition says."""
    cached: list[int] = []
    misses = 0
    for key in keys:
        misses += key not in cached
        cached = [key, *(each for each in cached if each != key)][:capacity]
    return misses


def test_misses_are_those_of_the_definition() -> None:
    rng = random.Random(1)
    for _ in range(100):
        keys = rng.choices([0, 2**64 - 1, *range(1, rng.randint(2, 40))], k=rng.randint(1, 200))
        capacities = sorted({rng.randint(1, 50) for _ in range(5)})
        found = lru_misses(Numbers().of(array("Q", keys)), capacities)
        assert found == [[lru(keys, capacity)] for capacity in capacities]


@pytest.mark.slow
def test_the_policy_misses_as_much_at_every_size() -> None:
    """Long enough for many words and blocks of the bits that mark requests."""
    policy = compiled(resolve("lru")).policy
    for seed in range(3):
        rng = random.Random(seed)
        keys = [int(rng.paretovariate(0.4)) % 120 for _ in range(20_000)]
        numbered = Numbers().of(array("Q", keys))
        found = lru_misses(numbered, range(1, 121))
        for capacity, misses in enumerate(found, 1):
            assert misses == [Simulator(policy, capacity).run(keys).misses], (seed, capacity)


def test_groups_share_the_misses() -> None:
    rng = random.Random(4)
    keys = rng.choices(range(50), k=2000)
    numbered = Numbers().of(array("Q", keys))
    groups = bytes(rng.randrange(GROUPS) for _ in range(numbered.objects))
    found = lru_misses(numbered, [0, 10, 60], groups, GROUPS)
    together = lru_misses(numbered, [0, 10, 60])
    assert [[sum(each)] for each in found] == together
    assert found[0] == [sum(groups[number] == group for number in numbered.numbers) for group in range(GROUPS)]
    assert found[2] == [groups.count(group) for group in range(GROUPS)]


def test_capacities_beyond_all_objects_are_alike() -> None:
    found = lru_misses(Numbers().of(array("Q", [5, 6, 5, 6])), [1, 2, 3, 2**40])
    assert found == [[4], [2], [2], [2]]
