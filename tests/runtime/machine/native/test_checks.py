"""Invariants in native code: a trace ends at the request after which, or in which, the interpreter says so."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from cpol.compiler import ir
from cpol.compiler.policies import STDLIB
from cpol.compiler.stages import run, run_file
from cpol.runtime.machine.errors import InvariantError
from cpol.runtime.machine.interp import Machine, run_trace
from cpol.runtime.machine.interp.trace import Given
from cpol.runtime.simulate.simulator import Simulator

CAPACITY = 20
REQUESTS = 1500


def trace(seed: int) -> list[int]:
    source = Random(seed)
    return [source.randrange(60) if source.random() < 0.7 else 100 + number for number in range(REQUESTS)]


def broken_in_interpreter(policy: ir.Policy, requests: list[int]) -> tuple[int, str] | None:
    """The request, from 1, and the invariant."""
    machine = Machine(policy, CAPACITY, {}, 4, 1)
    for number, id in enumerate(requests):
        try:
            run_trace(machine, Given([id]), number)
        except InvariantError as error:
            return number + 1, error.text
    return None


def broken_in_native_code(policy: ir.Policy, requests: list[int]) -> tuple[int, str] | None:
    simulator = Simulator(policy, CAPACITY, {}, 4, 1, checks=True)
    counts = simulator.run(requests)
    return None if simulator.broken is None else (counts.requests, simulator.broken.text)


def limits(policy: ir.Policy, source: Random) -> str:
    """What holds for a while: sizes of lists and ghosts, the clock and the cache's size below a number."""
    read = ["cache.size", "cache.clock", *(f"{name}.size" for name in policy.lists)]
    read += [f"{ghost.name}.size" for ghost in policy.ghosts]
    chosen = source.sample(read, 3)
    return "".join(f"  invariant {what} <= {source.choice([3, CAPACITY - 1, CAPACITY, 700])}\n" for what in chosen)


@pytest.mark.parametrize("name", ["arc", "lhd", "mglru", "random", "s3fifo", "wtinylfu"])
def test_executors_agree_on_what_does_not_hold(name: str) -> None:
    path = STDLIB / f"{name}.cpol"
    text, source = path.read_text(), Random(name)
    policy = run(text.rstrip().removesuffix("}") + limits(run_file(path).policy, source) + "}", str(path)).policy
    for seed in range(4):
        requests = trace(seed)
        native = broken_in_native_code(policy, requests)
        assert native is not None, f"seed {seed}: a limit that holds tells nothing"
        assert native == broken_in_interpreter(policy, requests), f"seed {seed}"


def test_parts_of_a_trace() -> None:
    text = """policy p {
      list q
      on added(f) { place f at tail of q }
      on evict    { scan q from head as f { evict f } }
      invariant cache.clock < 700
    }"""
    policy = run(text, "p.cpol").policy
    simulator = Simulator(policy, CAPACITY, checks=True)
    assert simulator.run(range(400)).requests == 400 and simulator.broken is None
    assert simulator.run(range(400)).requests == 700
    assert simulator.broken is not None and simulator.broken.text == "cache.clock < 700"


def test_policy_without_invariants() -> None:
    policy = replace(run_file(STDLIB / "lru.cpol").policy, invariants=())
    simulator = Simulator(policy, CAPACITY, checks=True)
    assert simulator.run(range(100)).requests == 100 and simulator.broken is None
