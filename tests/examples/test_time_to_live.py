"""examples/time-to-live: exact to the millisecond, in the interpreter and in native code."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli
from cpol.compiler import stages
from cpol.runtime.machine.interp import Given, Machine, run_trace
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Requests

POLICY = Path(__file__).resolve().parents[2] / "examples" / "time-to-live" / "ttl.cpol"
LIFE = 5000


@pytest.mark.long
@pytest.mark.parametrize("command", ["test", "check"])
def test_policy_passes(command: str) -> None:
    result = CliRunner().invoke(cli, [command, str(POLICY)])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(("late", "hits"), [(LIFE - 1, 2), (LIFE, 1)])
def test_life_ends_on_the_millisecond(late: int, hits: int) -> None:
    """Folio 1 is read again; 3 needs room when 1 is `late` ms old."""
    policy = stages.run_file(POLICY).policy
    ids, times = [1, 1, 2, 3, 1], [20, 21, 22, 20 + late, 20 + late]
    machine = Machine(policy, 2)
    run_trace(machine, Given(ids, times))
    assert machine.hits == hits
    assert Simulator(policy, 2).run(Requests(array("Q", ids), array("Q", times))).hits == hits
