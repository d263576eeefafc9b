"""`cpolc sim --check`: invariants on a whole trace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli

POLICY = """policy counts {
  list queue
  state late: u64 = 0
  on added(f) { late = max(late, cache.time)  place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
  invariant queue.size <= cache.capacity
  invariant late < 7 and f_is_small
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "keys.txt").write_text("".join(f"{n % 40}\n" for n in range(1000)), encoding="utf-8")
    return tmp_path


def sim(folder: Path, invariant: str, *options: str) -> Result:
    text = POLICY.replace("late < 7 and f_is_small", invariant)
    (folder / "counts.cpol").write_text(text, encoding="utf-8")
    words = ["sim", "./counts.cpol", "--trace", "keys.txt", "--format", "lirs", "--capacity", "5", "--check", *options]
    return CliRunner().invoke(cli, words)


def test_broken_invariant_names_the_event_and_the_exit_code(folder: Path) -> None:
    """100 requests are a millisecond: request 701 (from 1) is the first at 7 ms; its key is 700 % 40 = 20."""
    result = sim(folder, "late < 7")
    assert result.exit_code == 1 and result.stdout.splitlines()[-1].startswith("counts ")
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("error")]
    assert line.startswith(
        "error: counts.cpol:7:3: the invariant `late < 7` does not hold at 5 pages, after request 701"
    )
    assert "of keys.txt (added (0, 20))" in line or "of keys.txt (added 20)" in line
    assert "    late = 7" in result.stderr.splitlines()


def test_step_of_time_and_capacities_reach_the_check(folder: Path) -> None:
    assert "after request 8 of" in sim(folder, "late < 7", "--assume", "time=1ms").stderr
    result = sim(folder, "queue.size < 8", "--capacity", "7,9,8")
    assert result.exit_code == 1
    told = [line for line in result.stderr.splitlines() if "queue.size < 8" in line]
    assert [("at 9 pages" in line, "at 8 pages" in line) for line in told] == [(True, False), (False, True)]
    assert all("after request 8 of" in line for line in told)


def test_invariants_that_hold(folder: Path) -> None:
    result = sim(folder, "late < 10")
    assert result.exit_code == 0
    assert "note: counts, 5 pages: its 2 invariants hold after every event of the trace" in result.stderr.splitlines()


def test_a_policy_without_invariants_is_told(folder: Path) -> None:
    plain = POLICY.replace("  invariant queue.size <= cache.capacity\n", "").replace(
        "  invariant late < 7 and f_is_small\n", ""
    )
    plain = plain.replace("  state late: u64 = 0\n", "").replace("late = max(late, cache.time)  ", "")
    (folder / "plain.cpol").write_text(plain, encoding="utf-8")
    words = ["sim", "./plain.cpol", "--trace", "keys.txt", "--capacity", "5", "--format", "lirs", "--check"]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0
    assert result.stderr.startswith("note: counts has no invariant: --check has nothing to hold")


def test_check_as_json(folder: Path) -> None:
    result = sim(folder, "late < 7", "--json")
    assert result.exit_code == 1 and json.loads(result.stdout)["policy"] == "counts"
    said = [json.loads(line) for line in result.stderr.splitlines()]
    (error,) = [one for one in said if one["severity"] == "error"]
    assert error["message"].startswith("counts.cpol:7:3: the invariant `late < 7` does not hold")


def test_files_and_tasks_of_the_trace_reach_the_check(folder: Path) -> None:
    (folder / "reads.csv").write_text("".join(f"{n},{n % 3},{n % 5}\n" for n in range(30)), encoding="utf-8")
    (folder / "named.cpol").write_text(
        "policy named {\n  list queue\n  state last: u64 = 0\n"
        "  on added(f) { last = f.file * 100 + task.thread * 10  place f at tail of queue }\n"
        "  on evict { scan queue from head as f { evict f } }\n  invariant last != 240\n}\n",
        encoding="utf-8",
    )
    words = ["sim", "./named.cpol", "--trace", "reads.csv", "--columns", "page=0,file=1,thread=2", "--capacity", "3"]
    result = CliRunner().invoke(cli, [*words, "--check"])
    assert result.exit_code == 1 and "after request 15 of reads.csv" in result.stderr
