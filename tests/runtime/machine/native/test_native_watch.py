"""The state between requests of a trace, compared with the interpreter's."""

from __future__ import annotations

import random
from array import array
from pathlib import Path

import pytest

from cpol.compiler import compile_file
from cpol.runtime.machine.interp import Given, Machine, run_trace
from cpol.runtime.simulate.simulator import Simulator, State
from cpol.runtime.simulate.traces import Requests

ROOT = Path(__file__).parents[4]
POLICY = """policy kinds {
  enum Phase { calm, busy, done }
  list queue, other
  ghost old { capacity: 8 }
  state phase: Phase = busy
  state balance: s32 = -3
  state deep: s64 = -9000000000000000000
  state share: fix = -0.5
  state odd: bool = false
  state ticks: u32 = 0
  on missed(f) { balance -= 1  deep += 1 }
  on added(f) {
    odd = f.index % 2 == 1
    if task.thread == 3 { leave f } else if odd { place f at tail of other } else { place f at tail of queue }
  }
  on accessed(f) { balance += 5  share -= 0.25  phase = done }
  on removed(f) { old.add(f) }
  on evict {
    scan queue from head as f { evict f }
    scan other from head as f { evict f }
  }
  every 10 ms { ticks += 1  phase = calm }
}
"""


def seen(machine: Machine) -> State:
    """The interpreter's state, in the form of the simulator's."""
    policy = machine.policy
    lists = dict.fromkeys(policy.lists, 0)
    for label, folios in machine.lists.items():
        lists[label.partition(".")[0]] += sum(folio.pages for folio in folios)
    ghosts = {name: len(ghost.entries) for name, ghost in machine.ghosts.items()}
    return State(sum(folio.pages for folio in machine.left.values()), lists, ghosts, dict(machine.state))


def hold(path: Path, capacity: int, batch: int) -> set[str]:
    """Compare after parts of several lengths. Returns what was not 0 at some time."""
    policy = compile_file(path)
    rng = random.Random(capacity)
    ids = array("Q", (int(rng.paretovariate(0.6)) % 200 for _ in range(1200)))
    tasks = array("Q", (rng.randrange(5) for _ in ids))
    times = array("Q", (3 * number for number in range(len(ids))))
    simulator = Simulator(policy, capacity, batch=batch)
    machine = Machine(policy, capacity, batch=batch)
    simulator.reserve(len(ids))
    start, nonzero = 0, set[str]()
    for length in (0, 1, 2, 397, 100, 700):
        part = slice(start, start + length)
        simulator.run(Requests(ids[part], times[part], tasks[part]))
        run_trace(machine, Given(ids[part], times[part], tasks[part]))
        state = simulator.state
        assert state == seen(machine), part
        parts = (("left", {"": state.left}), *((name, getattr(state, name)) for name in ("lists", "ghosts", "states")))
        nonzero |= {name for name, numbers in parts if any(numbers.values())}
        start += length
    assert start == len(ids)
    return nonzero


@pytest.mark.parametrize(
    "name", sorted(path.stem for path in (ROOT / "stdlib").glob("*.cpol") if "on evict" in path.read_text())
)
def test_state_of_stdlib_policies_is_the_interpreters(name: str) -> None:
    assert ("left" if name in ("admit", "noop") else "lists") in hold(ROOT / f"stdlib/{name}.cpol", 40, 4)


@pytest.mark.slow
def test_every_kind_of_state_is_the_interpreters(tmp_path: Path) -> None:
    path = tmp_path / "kinds.cpol"
    path.write_text(POLICY, encoding="utf-8")
    assert hold(path, 30, 1) == {"left", "lists", "ghosts", "states"}


@pytest.mark.parametrize("name", ["s3fifo", "lirs", "mglru"])
def test_memory_taken_at_once_changes_nothing(name: str) -> None:
    policy = compile_file(ROOT / f"stdlib/{name}.cpol")
    rng = random.Random(5)
    ids = array("Q", (int(rng.paretovariate(0.5)) % 4000 for _ in range(30000)))
    whole, parts = Simulator(policy, 700), Simulator(policy, 700)
    parts.reserve(10**6)
    for start in range(0, len(ids), 777):
        parts.run(ids[start : start + 777])
    assert parts.counts == whole.run(ids) and parts.state == whole.state
