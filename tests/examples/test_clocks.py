"""Policies of the literature in examples/ decide as models of them do that know nothing of cpol, request by request."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from clock_models import car, clock_pro, mq

from cpol.compiler import compile_file, ir
from cpol.compiler.backend import bpf
from cpol.runtime.machine.interp import Given, Machine, run_trace
from cpol.runtime.simulate.simulator import Simulator

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MODELS: dict[str, Callable[[list[int], int], list[bool]]] = {
    "car/car": car,
    "clock-pro/clock_pro": clock_pro,
    "mq/mq": mq,
}

each = pytest.mark.parametrize("name", MODELS)


@cache
def policy(name: str) -> ir.Policy:
    return compile_file(EXAMPLES / f"{name}.cpol")


def decided(name: str, keys: list[int], capacity: int) -> list[bool]:
    """Whether each request was a hit, in native code."""
    simulator = Simulator(policy(name), capacity)
    hits = [0, *(simulator.run([key]).hits for key in keys)]
    assert simulator.run([]).fallback == 0
    return [after > before for before, after in itertools.pairwise(hits)]


def phases(seed: int, length: int) -> list[int]:
    """Skewed requests that change their place, with loops and scans in between."""
    rng = random.Random(seed)
    keys: list[int] = []
    while len(keys) < length:
        base = rng.randrange(4) * 400
        keys += [base + int(rng.paretovariate(0.7)) % 400 for _ in range(rng.randint(1, 300))]
        start, width = 10_000 + rng.randrange(500), rng.randint(1, 150)
        keys += list(range(start, start + width)) * rng.randint(0, 3)
        keys += [rng.randrange(1 << 40) for _ in range(rng.randint(0, 100))]
    return keys[:length]


@each
@pytest.mark.parametrize("capacity", [1, 2, 3, 5, 16, 61, 250])
def test_decides_as_the_model(name: str, capacity: int) -> None:
    keys = phases(capacity, 3000)
    expected = MODELS[name](keys, capacity)
    assert decided(name, keys, capacity) == expected
    assert len(set(expected)) == 2 or capacity < 2


@each
def test_decides_as_the_model_on_random_traces(name: str) -> None:
    rng = random.Random(f"{name} 1")
    for _ in range(80):
        capacity = rng.randint(1, 30)
        keys = rng.choices(range(rng.randint(1, 70)), k=250)
        assert decided(name, keys, capacity) == MODELS[name](keys, capacity), (capacity, keys)


@each
def test_interpreter_and_native_code_agree(name: str) -> None:
    keys = phases(7, 600)
    machine = Machine(policy(name), 40)
    run_trace(machine, Given(keys))
    assert machine.hits == sum(decided(name, keys, 40))


@each
def test_compiles_to_bpf(name: str, tmp_path: Path) -> None:
    bpf.compile_policy(policy(name), tmp_path / "policy.bpf.o")
