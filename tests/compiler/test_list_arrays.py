"""Several arrays of lists in one policy: their lists, sizes and numbers, in all executors and in logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpol.compiler import compile_file, ir
from cpol.compiler.backend import manifest
from cpol.runtime.explore.check.policy_test import run_test
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.events import read, write
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.replay import replay
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.simulate.simulator import Simulator

PATH = Path(__file__).with_name("whole") / "several_arrays.cpol"


@pytest.fixture(scope="module")
def policy() -> ir.Policy:
    return compile_file(PATH)


def test_each_array_has_lists_of_its_own(policy: ir.Policy) -> None:
    assert [run_test(policy, test) for test in policy.tests] == [None]
    assert list(Machine(policy, 9).lists) == [
        "queue", "cold.0", "cold.1", "cold.2", *(f"hot.{n}" for n in range(6)), "tiny.0",
    ]  # fmt: skip


def test_the_simulator_tells_the_pages_of_each(policy: ir.Policy) -> None:
    simulator = Simulator(policy, 8)
    simulator.run([0, 1, 2, 3, 4, 0, 0, 1, 2])
    assert simulator.state.lists == {"queue": 0, "cold": 2, "hot": 3, "tiny": 0}


@pytest.mark.parametrize(("rows", "array", "room"), [(16384, "hot", 0), (5462, "hot", 10922), (5461, "tiny", 1)])
def test_together_they_have_at_most_so_many_lists(policy: ir.Policy, rows: int, array: str, room: int) -> None:
    """The last of the rows is taken: 5461 + 2 * 5461 + 1 lists are as many as there may be."""
    if array == "tiny":
        assert len(Machine(policy, 4, {"rows": rows}).lists) == 16385 and Simulator(policy, 4, {"rows": rows})
        return
    said = []
    for make, error in ((Machine, ParamError), (Simulator, (SimulationError, ParamError))):
        with pytest.raises(error) as caught:
            make(policy, 4, {"rows": rows})
        said.append(str(caught.value))
    assert said[0] == said[1]
    if room:
        assert f"{array} has 1 to {room} lists, beside the {rows} of other arrays" in said[0]
    else:
        assert f"{array} has no room beside the {rows} lists of the arrays above" in said[0]


def test_logs_name_the_lists(policy: ir.Policy, tmp_path: Path) -> None:
    machine = Machine(policy, 4)
    for index in (0, 1, 5):
        machine.added(0, index)
        machine.first_accessed(0, index)
        machine.accessed(0, index)
    path = tmp_path / "log"
    with path.open("w", encoding="utf-8") as out:
        write(out, machine.header, machine.records)
    text = path.read_text(encoding="utf-8")
    assert "lists\tqueue\tcold[3]\thot[6]\ttiny[1]\n" in text and "\tcold.1\t" in text and "\thot.1\t" in text
    log = read(path)
    assert log.header == machine.header
    assert replay(log, policy, path).lists.keys() == machine.lists.keys()


def test_the_manifest_names_them(policy: ir.Policy) -> None:
    assert manifest.lists(policy) == "queue,cold[param:rows],hot[int:2,param:rows,int:8192,min,mul],tiny[int:1]"
