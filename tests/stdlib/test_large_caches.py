"""W-TinyLFU beyond 2^20 pages, where its sketch grows no more: it still tells what is read often from what is not."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

from cpol.compiler import compile_file
from cpol.runtime.simulate.simulator import Simulator

STDLIB = Path(__file__).parents[2] / "stdlib"
HOT = 1 << 20


def misses_after_a_scan(policy: str, capacity: int) -> int:
    """Read hot pages four times, then twice the cache's pages once; return how many of the hot ones are missed then."""

    def requests() -> Iterator[int]:
        for _ in range(4):
            yield from range(HOT)
        yield from range(HOT, HOT + 2 * capacity)

    simulator = Simulator(compile_file(STDLIB / f"{policy}.cpol"), capacity)
    before = simulator.run(array("Q", requests()))
    assert before.misses == HOT + 2 * capacity and before.size == capacity and before.fallback == 0
    return simulator.run(array("Q", range(HOT))).misses - before.misses


@pytest.mark.long
@pytest.mark.parametrize("capacity", [1 << 21, 1 << 22])
def test_a_scan_does_not_push_out_what_is_read_often(capacity: int) -> None:
    assert misses_after_a_scan("lru", capacity) == HOT
    assert misses_after_a_scan("wtinylfu", capacity) < HOT / 50
