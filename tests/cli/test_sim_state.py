"""`cpolc sim --state` and `--every`."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.runtime.machine.native import Counts, SimulationError
from cpol.runtime.simulate.simulator import Simulator

POLICY = """policy tally {
  enum Mode { quiet, loud }
  list queue, large
  ghost old { capacity: 4 }
  state requests: u32 = 0
  state balance: s32 = 0
  state share: fix = 0
  state mode: Mode = quiet
  state even: bool = true
  state late: u64 = 0
  state thread: u64 = 0
  on added(f) {
    requests += 1
    balance -= 2
    share += 0.25
    mode = loud
    even = f.index % 2 == 0
    late = cache.time
    thread = task.thread
    if f.index > 7 { place f at tail of large } else { place f at tail of queue }
  }
  on removed(f) { old.add(f) }
  on evict {
    scan queue from head as f { evict f }
    scan large from head as f { evict f }
  }
}
"""
COLUMNS = (
    "requests,window_misses,misses,cache,list.queue,list.large,ghost.old,state.requests,state.balance,state.share,"
    "state.mode,state.even,state.late,state.thread"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ten requests, two of which ask for the page of the one before."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tally.cpol").write_text(POLICY, encoding="utf-8")
    keys = [0, 1, 2, 2, 4, 5, 5, 7, 8, 9]
    (tmp_path / "reads.csv").write_text("".join(f"{n},{key},{n % 3}\n" for n, key in enumerate(keys)), encoding="utf-8")
    return tmp_path


def sim(*options: str, policy: str = "./tally.cpol", capacity: str = "6") -> Result:
    words = ["sim", policy, "--trace", "reads.csv", "--columns", "time_ms=0,page=1,thread=2", "--capacity", capacity]
    return CliRunner().invoke(cli, [*words, *options])


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def test_csv_has_a_row_every_n_requests_and_one_for_the_rest(folder: Path) -> None:
    result = sim("--state", "out.csv", "--every", "4")
    assert result.exit_code == 0, result.output
    assert (folder / "out.csv").read_text(encoding="utf-8") == (
        f"{COLUMNS}\n"
        "4,3,3,3,3,0,0,3,-6,0.75,loud,true,2,2\n"
        "8,3,6,6,6,0,0,6,-12,1.5,loud,false,7,1\n"
        "10,2,8,6,4,2,2,8,-16,2,loud,false,9,0\n"
    )
    assert [line.split()[0] for line in result.stdout.splitlines()[1:]] == ["policy", "tally"]


def test_table_on_standard_output(folder: Path) -> None:
    result = sim("--state", "-", "--every", "5")
    lines = result.stdout.splitlines()
    assert lines[3:5] == ["", "every 5 requests: pages on lists, entries of ghosts, states"]
    assert ",".join(lines[5].split()) == COLUMNS
    assert [line.split()[:7] for line in lines[6:]] == [list("5444400"), ["10", *"486422"]]
    assert len({len(line) for line in lines[5:]}) == 1
    assert not list(folder.glob("*-*"))


def test_json_has_the_rows_in_the_object_of_the_run(folder: Path) -> None:
    result = sim("--state", "-", "--every", "9", "--json")
    run = json.loads(result.stdout)
    assert (run["policy"], run["misses"], run["every"], len(run["state"])) == ("tally", 8, 9, 2)
    assert run["state"][1] == {
        "requests": 10,
        "window_misses": 1,
        "misses": 8,
        "cache": 6,
        "left": 0,
        "lists": {"queue": 4, "large": 2},
        "ghosts": {"old": 2},
        "states": {
            "requests": 8, "balance": -16, "share": 2.0, "mode": "loud", "even": False, "late": 9, "thread": 0,
        },
    }  # fmt: skip
    in_a_file = json.loads(sim("--state", "out.csv", "--json").stdout)
    assert "state" not in in_a_file and in_a_file["misses"] == 8


def test_default_is_a_20th_of_the_trace(folder: Path) -> None:
    for requests, rows in ((400, 20), (401, 20), (41, 14), (7, 7)):
        (folder / "reads.csv").write_text("".join(f"{n},{n % 50},0\n" for n in range(requests)), encoding="utf-8")
        assert sim("--state", "out.csv").exit_code == 0
        found = rows_of(folder / "out.csv")
        assert len(found) == rows and int(found[-1]["requests"]) == requests


@pytest.mark.parametrize("policy", ["s3fifo", "mglru", "lhd", "admit"])
def test_windows_add_up_to_the_plain_run(policy: str, folder: Path) -> None:
    keys = [n * n % 101 for n in range(3000)]
    (folder / "keys.txt").write_text("".join(f"{key}\n" for key in keys), encoding="utf-8")
    words = ["sim", policy, "--trace", "keys.txt", "--format", "text", "--capacity", "20", "--json"]
    plain = json.loads(CliRunner().invoke(cli, words).stdout)
    run = json.loads(CliRunner().invoke(cli, [*words, "--state", "-", "--every", "170"]).stdout)
    assert run["misses"] == plain["misses"] == sum(row["window_misses"] for row in run["state"])
    assert [row["requests"] for row in run["state"]] == [*range(170, 3000, 170), 3000]
    for row in run["state"]:
        assert row["cache"] == row["left"] + sum(row["lists"].values()) <= 20


def test_pages_left_to_the_kernel_have_a_column(folder: Path) -> None:
    leaving = POLICY.replace("if f.index > 7 { place f", "if f.index > 7 { leave f } else if f.index > 90 { place f")
    (folder / "tally.cpol").write_text(leaving, encoding="utf-8")
    assert sim("--state", "out.csv", "--every", "10").exit_code == 0
    (row,) = rows_of(folder / "out.csv")
    assert (row["left"], row["list.large"], row["list.queue"], row["cache"]) == ("2", "0", "4", "6")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--every", "5"], 2, "'--every': is for --state; add --state FILE for CSV or --state - for a table"),
        (["--state", "-", "--every", "0"], 2, "0 is not in the range x>=1"),
        (["--state", "reads.csv"], 1, "--state reads.csv would write over reads.csv, which is read; give another file"),
        (["--state", "./tally.cpol"], 1, "would write over tally.cpol, which is read"),
        (["--state", "none/out.csv"], 1, "cannot write none/out.csv: No such file or directory"),
        (["--state", "."], 1, "cannot write .: Is a directory"),
        (["--state", "/dev/full"], 1, "cannot write /dev/full: No space left on device"),
    ],
)
def test_errors(options: list[str], code: int, message: str, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = sim(*options)
    assert result.exit_code == code and message in result.stderr and "Traceback" not in result.output
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_one_policy_with_one_capacity(folder: Path) -> None:
    for result in (sim("fifo", "--state", "-"), sim("--state", "-", capacity="5,6")):
        assert result.exit_code == 2
        assert "'--state': is for one policy with one capacity" in result.stderr
        assert "run cpolc sim once for each" in " ".join(result.stderr.split())
    assert "policies" not in result.stdout and not list(folder.glob("*-*"))


def test_a_run_that_fails_leaves_the_file_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = Simulator.run, []

    def fail_in_the_third_part(self: Simulator, *facts: Any, **more: Any) -> Counts:
        parts.append(facts)
        if len(parts) % 3 == 0:
            raise SimulationError("out of memory")
        return whole(self, *facts, **more)

    monkeypatch.setattr(Simulator, "run", fail_in_the_third_part)
    files = {path.name for path in folder.iterdir()}
    for known in (files, files | {"out.csv"}):
        result = sim("--state", "out.csv", "--every", "4")
        assert result.exit_code == 1 and "out of memory" in result.stderr
        assert {path.name for path in folder.iterdir()} == known
        (folder / "out.csv").write_text("before\n", encoding="utf-8")
    assert (folder / "out.csv").read_text(encoding="utf-8") == "before\n"
