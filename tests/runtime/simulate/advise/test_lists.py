"""Memory for the model of prefetching (lists.py) decides as stdlib/linux_lru does."""

from __future__ import annotations

import random

import pytest

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.advise.lists import TwoLists
from cpol.runtime.simulate.prefetch.memory import Key, Page
from cpol.runtime.simulate.simulator import Simulator


def misses(memory: TwoLists, pages: list[int]) -> list[bool]:
    found = []
    for page in pages:
        key = Key(True, 1, page)
        found.append(memory.find(key) is None)
        if found[-1]:
            memory.add(key, Page(0, False))
        else:
            memory.use(key)
        assert all(memory.find(gone) is None for gone, _ in memory.shrink(lambda *_: False))
    return found


@pytest.mark.parametrize("skew", (0.3, 0.9))
def test_misses_are_those_of_the_policy(skew: float) -> None:
    """The native code makes room before a page comes, and the model after it."""
    source = random.Random(3)
    pages = [int(source.random() ** (1 / skew) * 300) for _ in range(4000)]
    made = compiled(resolve("linux_lru"))
    native = Simulator(made.policy, 100, batch=32, code=made.code)
    native.run(pages)
    assert sum(misses(TwoLists([(0, 100)]), pages)) == pytest.approx(native.counts.misses, rel=0.02)


def test_the_second_access_protects_a_page() -> None:
    assert misses(TwoLists([(0, 40)]), [1, *range(10, 80), 1])[-1]
    assert not misses(TwoLists([(0, 40)]), [1, 1, *range(10, 80), 1])[-1]


def test_what_is_only_brought_was_not_accessed() -> None:
    memory = TwoLists([(0, 40)])
    key = Key(True, 1, 1)
    memory.bring(key, Page(0, True))
    memory.use(key)  # the first time
    assert misses(memory, [*range(10, 80), 1])[-1]


def test_the_room_follows_the_recording() -> None:
    memory = TwoLists([(0, 100), (50, 40), (90, 60)])
    capacities = []
    for page in range(100):
        misses(memory, [page])
        capacities.append(memory.capacity)
    assert capacities == [100] * 50 + [40] * 40 + [60] * 10
    assert sum(memory.find(Key(True, 1, page)) is not None for page in range(100)) <= 60
