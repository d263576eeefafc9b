"""`cpolc record` on the patched kernel, and on the stock one without the module (record_checks.py)."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from checks import Results, names_of, passed, run_checks
from click.testing import CliRunner
from kernels import ON_STOCK

from cpol.cli import sim
from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.compiler.policies import resolve
from cpol.kernel.vm.image import stock
from cpol.runtime.operate import loader, record

pytestmark = pytest.mark.vm

SCRIPT = Path(__file__).parent / "record_checks.py"


@pytest.fixture(scope="module", params=ON_STOCK)
def recorded(
    request: pytest.FixtureRequest, kernel: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Results, Path]:
    """The result of each check, and the exchange folder."""
    folder = tmp_path_factory.mktemp("record")
    shutil.copy(record.PROGRAM.find(), folder / "record.bpf.o")
    bpf.compile_policy(compile_file(resolve("noop")), folder / "noop.bpf.o")
    environment = {"CPOL_CACHE": os.environ["CPOL_CACHE"]} if "CPOL_CACHE" in os.environ else {}
    image = kernel if request.param == "patched" else stock()
    return run_checks(image, SCRIPT, folder, str(loader.find()), str(folder), environment=environment), folder


@pytest.mark.parametrize("name", names_of(SCRIPT))
def test_in_the_machine(recorded: tuple[Results, Path], name: str) -> None:
    passed(recorded[0], name)


def test_recording_is_a_trace(recorded: tuple[Results, Path]) -> None:
    """Each read of the recording is a request for the simulator. What is written comes without a miss."""
    results, folder = recorded
    passed(results, "reads_and_writes_of_the_cgroup")
    words = ["lru", "--trace", str(folder / "app.rec"), "--capacity", "10000", "--json"]
    done = CliRunner().invoke(sim.command, words, catch_exceptions=False)
    (row,) = map(json.loads, done.stdout.splitlines())
    figures = results["reads_and_writes_of_the_cgroup"]["figures"]
    assert row["requests"] == figures["requests"]
    assert 2 * 512 <= row["misses"] < row["requests"]
