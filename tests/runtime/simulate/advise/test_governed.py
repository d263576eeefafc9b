"""Memory under a policy, for the model of prefetching (governed.py), decides as the policy's runs on a trace do."""

from __future__ import annotations

import random

import pytest

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.advise.choices import Choice
from cpol.runtime.simulate.advise.governed import Governed
from cpol.runtime.simulate.prefetch.memory import Key, Page
from cpol.runtime.simulate.prefetch.rows import Read
from cpol.runtime.simulate.simulator import Simulator


def governed(name: str, *rooms: tuple[int, int], share: float = 100) -> Governed:
    return Governed(Choice(name, compiled(resolve(name)), {}), rooms, share, 1, ())


def key_of(page: int) -> Key:
    return Key(True, 0, page)


def misses(memory: Governed, pages: list[int]) -> list[bool]:
    found = []
    for page in pages:
        memory.before(Read(0, page, thread=page % 3))
        found.append(memory.find(key_of(page)) is None)
        if found[-1]:
            memory.add(key_of(page), Page(0, False))
        else:
            memory.use(key_of(page))
        assert all(memory.find(gone) is None for gone, _ in memory.shrink(lambda *_: False))
    return found


@pytest.mark.parametrize("name", ("linux_lru", "arc", "s3fifo", "lhd"))
def test_misses_are_those_of_the_policy(name: str) -> None:
    source = random.Random(3)
    pages = [int(source.random() ** 3 * 300) for _ in range(4000)]
    made = compiled(resolve(name))
    native = Simulator(made.policy, 100, batch=32, code=made.code)
    native.run(pages)
    assert sum(misses(governed(name, (0, 100)), pages)) == native.counts.misses


def test_what_is_only_brought_was_not_accessed() -> None:
    for bring in (Governed.bring, Governed.add):
        memory = governed("linux_lru", (0, 40))
        bring(memory, key_of(1), Page(0, True))
        memory.use(key_of(1))  # the first time
        assert misses(memory, [*range(10, 80), 1])[-1]
    memory = governed("linux_lru", (0, 40))
    assert not misses(memory, [1, 1, *range(10, 80), 1])[-1]


def test_the_room_follows_the_recording() -> None:
    memory = governed("lru", (0, 100), (50, 40), (90, 60), share=50)
    capacities = []
    for page in range(100):
        misses(memory, [page])
        capacities.append(memory.capacity)
    assert capacities == [50] * 50 + [20] * 40 + [30] * 10
    assert sum(memory.find(key_of(page)) is not None for page in range(100)) <= 30


def test_what_goes_is_told_once() -> None:
    memory = governed("lru", (0, 40))
    gone = []
    for page in range(100):
        memory.before(Read(0, page))
        memory.add(key_of(page), Page(0, page % 2 == 0))
        gone += [key.page for key, _ in memory.shrink(lambda *_: False)]
    assert gone == [*range(len(gone))]
    assert [page for page in range(100) if memory.find(key_of(page)) is None] == gone
