"""Native random numbers, hashes, log2 and exp2 match the reference (function_reference.py)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cpol.compiler import compile_source
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.native import EventSimulator

VECTORS = json.loads((Path(__file__).parents[1] / "interp" / "function_vectors.json").read_text(encoding="utf-8"))
POLICY = compile_source(
    """/// Computes functions of what its inputs hold.
policy functions {
  list queue
  input x: map of thread to fix = 0.0
  input n: map of thread to u64 = 0
  state logarithm: fix = 0.0
  state power: fix = 0.0
  state drawn: u64 = 0
  state hashed: u64 = 0
  on added(f) {
    logarithm = log2(x.of(task.thread))
    power = exp2(x.of(task.thread))
    drawn = random(n.of(task.thread))
    hashed = hash(f, n.of(task.thread))
    place f at tail of queue
  }
  on evict { scan queue from head as f { evict f } }
  invariant logarithm + power == 0.0 or drawn + hashed >= 0 or true
}
""",
    "functions.cpol",
)


def states(simulator: EventSimulator, input: str, value: int, file: int = 0, index: int = 0) -> dict[str, int]:
    simulator.fill(input, (0,), value)
    simulator.event(Row(Op.ADDED, file, index, 1))
    simulator.event(Row(Op.REMOVED, file, index, 1))
    return simulator.dump().state


@pytest.mark.parametrize(("name", "state"), [("log2", "logarithm"), ("exp2", "power")])
def test_log2_and_exp2(name, state):
    simulator = EventSimulator(POLICY, 4)
    assert [[x, states(simulator, "x", x)[state]] for x, _ in VECTORS[name]] == VECTORS[name]


def test_random():
    for vector in VECTORS["random"]:
        simulator = EventSimulator(POLICY, 4, seed=vector["seed"])
        assert [states(simulator, "n", bound)["drawn"] for bound in vector["bounds"]] == vector["drawn"]


def test_hash():
    simulator = EventSimulator(POLICY, 4)
    for vector in VECTORS["hash"]:
        found = states(simulator, "n", vector["salt"], vector["file"], vector["index"])["hashed"]
        assert found == vector["hash"], vector
