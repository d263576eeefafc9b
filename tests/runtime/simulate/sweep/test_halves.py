"""`cpolc tune` on the workers of a scheduler: the same params, from the same counts."""

from __future__ import annotations

import random
from array import array
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from clusters import dask_of_a_user

import cpol
from cpol.cli.main import cli
from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.errors import UserError
from cpol.runtime.simulate.advise.blocks import Blocks
from cpol.runtime.simulate.advise.choices import Choice, Runs
from cpol.runtime.simulate.sweep import here
from cpol.runtime.simulate.sweep.fetched import listed, local
from cpol.runtime.simulate.sweep.halves import halves
from cpol.runtime.simulate.sweep.unit import Generator, Reading, Unit
from cpol.runtime.simulate.traces import read


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    source = random.Random(1)
    keys = array("Q", (int(source.paretovariate(0.6)) % 3000 for _ in range(20_000)))
    path = tmp_path / "keys.txt"
    path.write_text("".join(f"{key}\n" for key in keys))
    return path


def in_process(units: list[Unit]) -> Generator:
    return here.execute(units, local=local, jobs=2, bound=1 << 30)


def test_a_unit_counts_what_a_search_counts_itself(trace: Path) -> None:
    made = compiled(resolve("s3fifo"))
    settings = [Choice("s3fifo", made, {}), Choice("s3fifo", made, {"small_percent": 40, "threshold": 1})]
    (found,) = listed(str(trace), {})
    told = halves(in_process, found, Reading(details=True), 150, 1, 1)(settings)
    blocks = Blocks.of(read(trace, details=True), None)
    runs = Runs(blocks, 150, 1, 1, 1)
    assert told == [sum(runs.reads(each, blocks=blocks.half)) for each in settings]
    assert told[0] != told[1]


def test_what_cannot_run_is_an_error(trace: Path) -> None:
    (found,) = listed(str(trace), {})
    trace.unlink()
    with pytest.raises(UserError, match=r"keys\.txt"):
        halves(in_process, found, Reading(), 150, 1, 1)([Choice("lru", compiled(resolve("lru")), {})])


def tune(*words: object) -> Result:
    return CliRunner().invoke(cli, ["tune", "s3fifo", *map(str, words)])


@pytest.mark.slow
def test_workers_change_nothing(trace: Path, tmp_path: Path) -> None:
    words = (trace, "--memory", 150, "--trials", 10)
    (folder := tmp_path / "dask").mkdir()
    with dask_of_a_user(folder) as dask:
        for _ in range(2):
            dask.worker()
        dask.joined()
        done = tune(*words, "--scheduler", dask.address)
        found = cpol.tune("s3fifo", trace, capacity=150, trials=10, scheduler=dask.address)
    assert done.exit_code == 0, done.output
    assert done.stdout == tune(*words).stdout
    assert repr(found) == repr(cpol.tune("s3fifo", trace, capacity=150, trials=10))
    notes = [line for line in done.stderr.splitlines() if line.startswith("note: the worker")]
    assert len(notes) == 2, done.stderr


def test_a_recording_is_tuned_where_it_is(tmp_path: Path) -> None:
    lines = [f"{number * 50_000_000},accessed,8:0:1,{number % 300},1,1,1,db" for number in range(1000)]
    path = tmp_path / "app.rec"
    head = ["cpol-record 3", "name,8:0:1,/srv/a", "room,0,100,100"]
    path.write_text("\n".join([*head, *lines, f"end,{len(lines)},0", ""]))
    done = tune(path, "--scheduler", "tcp://127.0.0.1:9")
    assert done.exit_code == 2 and "leave out the scheduler" in done.stderr
    wrong = tune(path, "--memory", 100, "--scheduler", "nowhere")
    assert wrong.exit_code == 2
