"""Misses of groups of objects, which a simulator counts if it is given them."""

from __future__ import annotations

import pytest

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.simulator import SimulationError, Simulator

REQUESTS = [7, 8, 7, 9, 8, 7, 9, 9]
"""Their numbers are 0, 1 and 2. With two pages, FIFO misses at 7, 8, 9 and 7."""


def fifo() -> Simulator:
    return Simulator(compiled(resolve("fifo")).policy, 2)


def test_misses_are_counted_by_group() -> None:
    simulator = fifo()
    simulator.group(bytes([4, 0, 4]))
    counts = simulator.run(REQUESTS)
    assert counts.misses == 4
    assert [simulator.missed[0], simulator.missed[4]] == [1, 3]
    assert sum(simulator.missed) == counts.misses


def test_each_object_has_a_group() -> None:
    simulator = fifo()
    simulator.group(bytes([4, 0]))
    with pytest.raises(SimulationError, match="3 objects, but 2 have a group"):
        simulator.run(REQUESTS)
