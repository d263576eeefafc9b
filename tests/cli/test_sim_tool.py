"""`cpolc sim` as a tool: jobs, rows as they come, Ctrl-C, options that stand twice, the warm-up."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.runtime.simulate.runs.jobs import Task, completed


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    keys = random.Random(1).choices(range(600), weights=[1 / (n + 1) for n in range(600)], k=20000)
    Path("keys.txt").write_text("".join(f"{key}\n" for key in keys), encoding="utf-8")
    Path("fixed.csv").write_text("".join(f"{n},{key},4096\n" for n, key in enumerate(keys)), encoding="utf-8")
    return tmp_path


def sim(*words: str) -> Result:
    return CliRunner().invoke(cli, ["sim", *words])


def objects(*words: str) -> list[dict[str, Any]]:
    done = sim(*words, "--json")
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    for row in rows:
        assert row["command_seconds"] > 0 and row["command_cpu_seconds"] > 0
    return [{name: value for name, value in row.items() if "seconds" not in name} for row in rows]


KEYS = ("--trace", "keys.txt", "--capacity")
MANY = (
    "lru",
    "s3fifo",
    "arc",
    "random",
    "lhd",
    "wtinylfu",
    *KEYS,
    "10,50,200",
    "--belady",
    "--set",
    "ghost_percent=20,90",
)


@pytest.mark.slow
def test_jobs_change_nothing_but_the_time() -> None:
    """JSON is in the order of the command line, however many runs there are at a time."""
    alone = objects(*MANY, "--jobs", "1")
    assert len(alone) == 3 * 8
    for jobs in ("2", "7", "99"):
        assert objects(*MANY, "--jobs", jobs) == alone
    assert objects(*MANY) == alone

    def table(*more: str) -> list[list[str]]:
        lines = sim(*MANY, *more).stdout.splitlines()
        return [line[: line.rindex(" ")].split() for line in lines]

    assert table("--jobs", "1") == table("--jobs", "3")


def test_tasks_run_beside_one_another_and_begin_in_order() -> None:
    barrier, began = threading.Barrier(3, timeout=30), list[int]()

    def task(number: int) -> int:
        began.append(number)
        barrier.wait()
        return number

    tasks = [Task(str(number), lambda number=number: task(number)) for number in range(9)]
    assert sorted(completed(tasks, 3, lambda _: None)) == [(number, number) for number in range(9)]
    assert [sorted(began[at : at + 3]) for at in (0, 3, 6)] == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def test_a_task_that_fails_ends_the_others_first() -> None:
    ended = list[int]()

    def fails() -> int:
        raise ValueError("no")

    def slow() -> int:
        time.sleep(0.3)
        ended.append(1)
        return 1

    with pytest.raises(ValueError, match="no"):
        list(completed([Task("slow", slow), Task("fails", fails), *[Task("late", slow)] * 50], 2, lambda _: None))
    assert 1 <= len(ended) <= 2


def wait_for_threads(pid: int, number: int) -> None:
    """Wait until a process has had so many threads for a second: the main one, and those that still run something."""
    deadline, since = time.monotonic() + 120, None
    while since is None or time.monotonic() < since + 1:
        assert time.monotonic() < deadline, "the runs have not ended"
        now = len([*Path(f"/proc/{pid}/task").iterdir()]) == number
        since = (since or time.monotonic()) if now else None
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("json_output", "number"), [(False, signal.SIGINT), (True, signal.SIGTERM), (True, signal.SIGHUP)]
)
def test_a_signal_keeps_what_has_ended(json_output: bool, number: signal.Signals, tmp_path: Path) -> None:
    """The last policy does not end within the test: it visits the whole queue for each page."""
    Path("slow.cpol").write_text(
        """policy slow {
  list queue
  folio { freq: u32 = 0 }
  score least(f) = f.freq
  on added(f) { place f at tail of queue }
  on evict { evict lowest least of up to 65536 from head of queue }
}
""",
        encoding="utf-8",
    )
    Path("loop.txt").write_text("".join(f"{n % 40000}\n" for n in range(400000)), encoding="utf-8")
    cpolc, trace = (
        [sys.executable, "-m", "cpol.cli.main"],
        ["--trace", "loop.txt", "--capacity", "30000", "--jobs", "2"],
    )
    subprocess.run([*cpolc, "sim", "fifo", "lru", *trace], capture_output=True, check=True)  # so they are compiled
    program = [*cpolc, "sim", "fifo", "lru", "./slow.cpol", *trace, *(["--json"] if json_output else [])]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as run:
        assert run.stdout is not None
        if json_output:  # rows come while others run
            assert json.loads(run.stdout.readline())["policy"] == "fifo"
            assert json.loads(run.stdout.readline())["policy"] == "lru"
        else:
            run.stdout.readline()
            wait_for_threads(run.pid, 2)
        assert run.poll() is None
        run.send_signal(number)
        # communicate() would lose what readline() has read ahead.
        stdout, stderr = run.stdout.read(), run.stderr.read() if run.stderr is not None else ""
    assert run.returncode == 128 + number
    assert "interrupted: 2 of 3 runs have ended; the others are left out" in stderr
    if not json_output:
        assert sorted(line.split()[0] for line in stdout.splitlines()) == ["fifo", "lru", "policy"]


def test_capacities_and_columns_add_up() -> None:
    both = objects("lru", *KEYS, "10", "--capacity", "20,30")
    assert [row["capacity"] for row in both] == [10, 20, 30]
    words = ("lru", "--trace", "fixed.csv", "--capacity", "10", "--columns", "time=0")
    assert objects(*words, "--columns", "object=1") == objects(
        "lru", "--trace", "fixed.csv", "--capacity", "10", "--columns", "time=0,object=1"
    )
    assert "object is given twice" in sim(*words, "--columns", "object=1", "--columns", "object=2").stderr


@pytest.mark.parametrize("warmup", ["1", "5000", "5e3", "0.25", "19999"])
def test_the_warm_up_does_not_count(warmup: str) -> None:
    """It is what a run of so many requests counts, taken from a run of all."""
    number = 5000 if warmup in ("5e3", "0.25") else int(warmup)
    lines = Path("keys.txt").read_text(encoding="utf-8").splitlines()
    Path("first.txt").write_text("\n".join(lines[:number]) + "\n", encoding="utf-8")
    policies = ("lru", "s3fifo", "random")
    rest = objects(*policies, *KEYS, "20,70", "--warmup", warmup)
    every = objects(*policies, *KEYS, "20,70")
    first = objects(*policies, "--trace", "first.txt", "--capacity", "20,70")
    for row, all_, begins in zip(rest, every, first, strict=True):
        assert row["warmup"] == number and all_["warmup"] == 0
        for name in ("requests", "hits", "misses", "fallback"):
            assert row[name] == all_[name] - begins[name]
    assert (
        sum(row["misses"] for row in objects("lru", *KEYS, "20", "--warmup", warmup, "--belady")[1:])
        <= rest[0]["misses"]
    )


def test_beladys_warm_up() -> None:
    (_, best) = objects("lru", *KEYS, "600", "--belady", "--warmup", "10000")
    keys = Path("keys.txt").read_text(encoding="utf-8").split()
    assert best["misses"] == len({*keys[10000:]} - {*keys[:10000]}) and best["requests"] == 10000


@pytest.mark.parametrize("warmup", ["20000", "1e9", "1.0", "-1", "4K", "x"])
def test_wrong_warm_ups(warmup: str) -> None:
    done = sim("lru", *KEYS, "20", "--warmup", warmup)
    assert done.exit_code == 2 and "--warmup" in done.stderr
