"""Steps of scans in evict requests, compared with those of the interpreter."""

from __future__ import annotations

import random
import sys
from array import array
from pathlib import Path

import pytest

from cpol.compiler import compile_file
from cpol.runtime.machine.interp import Folio, Given, Machine, run_trace
from cpol.runtime.machine.interp import run as statements
from cpol.runtime.machine.interp.scope import Scope
from cpol.runtime.simulate.simulator import Simulator, Steps

ROOT = Path(__file__).parents[4]
NESTED = """policy nested {
  list queue, other
  on added(f) {
    scan queue from head up to 1 as first { move first to tail of queue }
    place f at tail of queue
  }
  on accessed(f) { move f to tail of other }
  on removed(f) { scan other from tail up to 1 as last { move last to head of other } }
  on evict {
    scan queue from head up to 5 as f {
      scan other from tail up to 3 as g { when g.index % 3 == 0 { move g to head of queue } otherwise { keep } }
      when f.index % 2 == 0 { evict f } otherwise { move f to tail of other }
    }
    scan other from head up to 2 as f { evict f }
  }
}
"""
GROWING = """policy growing {
  list queue
  state looks: u64 = 0
  state seen: u64 = 0
  on added(f) { place f at tail of queue }
  on evict {
    looks += 1
    scan queue from tail up to looks as f { seen += 1 }
    scan queue from head as f { evict f }
  }
}
"""


def counted(machine: Machine, ids: array[int], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The steps of each evict request in the interpreter: rounds of scans, and folios whose score it took."""
    requests: list[int] = []
    steps = 0
    inner, score, make_room = Scope.inner, statements.score_of, machine.make_room

    def count_inner(self: Scope, name: str | None = None, folio: Folio | None = None) -> Scope:
        nonlocal steps
        steps += sys._getframe(1).f_code is statements.scan.__code__
        return inner(self, name, folio)

    def count_score(*arguments: object) -> int:
        nonlocal steps
        steps += 1
        return score(*arguments)  # type: ignore[arg-type]

    def count_room(wanted: int) -> int:
        nonlocal steps
        steps = 0
        fallbacks = make_room(wanted)
        requests.append(steps)
        return fallbacks

    monkeypatch.setattr(Scope, "inner", count_inner)
    monkeypatch.setattr(statements, "score_of", count_score)
    monkeypatch.setattr(machine, "make_room", count_room)
    run_trace(machine, Given(ids))
    return requests


def hold(path: Path, batch: int, monkeypatch: pytest.MonkeyPatch) -> Steps:
    policy = compile_file(path)
    rng = random.Random(batch)
    ids = array("Q", (int(rng.paretovariate(0.5)) % 300 for _ in range(900)))
    simulator = Simulator(policy, 40, batch=batch, steps=True)
    counts = simulator.run(ids)
    requests = sorted(counted(Machine(policy, 40, batch=batch), ids, monkeypatch))
    found = simulator.steps
    assert found is not None and counts == Simulator(policy, 40, batch=batch).run(ids)
    p99 = requests[len(requests) - len(requests) // 100 - 1]
    assert found == Steps(len(requests), sum(requests), p99, requests[-1])
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    "name", sorted(path.stem for path in (ROOT / "stdlib").glob("*.cpol") if "on evict" in path.read_text())
)
def test_steps_of_stdlib_policies_are_the_interpreters(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = hold(ROOT / f"stdlib/{name}.cpol", 4, monkeypatch)
    assert steps.requests > 20 and (steps.total > 0) == (name not in ("admit", "noop"))


@pytest.mark.slow
@pytest.mark.parametrize("batch", [1, 3])
def test_steps_of_scans_in_scans_and_in_removed(batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "nested.cpol"
    path.write_text(NESTED, encoding="utf-8")
    steps = hold(path, batch, monkeypatch)
    assert steps.max > steps.mean > 4


@pytest.mark.slow
@pytest.mark.parametrize("requests", [1, 99, 100, 101, 2000, 2047, 2048, 2049, 5000, 20000])
def test_percentile_of_many_steps(requests: int, tmp_path: Path) -> None:
    """The n-th evict request takes n + 1 steps."""
    path = tmp_path / "growing.cpol"
    path.write_text(GROWING, encoding="utf-8")
    simulator = Simulator(compile_file(path), 20000, steps=True)
    simulator.run(range(20000 + requests))
    steps = simulator.steps
    assert steps is not None and (steps.requests, steps.max) == (requests, requests + 1)
    assert steps.total == sum(range(2, requests + 2))
    exact = requests - requests // 100 + 1
    assert exact <= steps.p99 <= (exact if exact < 2048 else exact + exact // 1024) and steps.p99 <= steps.max


def test_no_eviction_has_no_steps() -> None:
    simulator = Simulator(compile_file(ROOT / "stdlib/fifo.cpol"), 10, steps=True)
    simulator.run(range(10))
    assert simulator.steps == Steps(0, 0, 0, 0) and simulator.steps.mean == 0
    assert Simulator(compile_file(ROOT / "stdlib/fifo.cpol"), 10).steps is None
