"""`cpolc sim` with one run: the trace is read while it runs. All is as if it were in memory."""

from __future__ import annotations

import json
import os
import random
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
import zstandard
from click.testing import CliRunner, Result

from cpol.cli.sim import command

REQUESTS = 200_000
"""Several pieces of each form, and a last one that is not full."""


@pytest.fixture(scope="module")
def keys() -> list[int]:
    rng = random.Random(5)
    return [int(rng.paretovariate(0.5)) % 30_000 for _ in range(REQUESTS)]


@pytest.fixture(scope="module")
def traces(keys: list[int], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("traces")
    records = b"".join(struct.pack("<IQIq", n // 100, key, 5000, -2) for n, key in enumerate(keys))
    contents = {
        "oraclegeneral": records,
        "compressed": zstandard.ZstdCompressor().compress(records),
        "text": "".join(f"{key}\n" for key in keys).encode(),
        "twitter": "".join(f"{n // 100},{key},3,40,{key % 5},get,0\n" for n, key in enumerate(keys)).encode(),
    }
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return {name: folder / name for name in contents}


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.stderr
    return result


@pytest.mark.slow
@pytest.mark.parametrize("name", ["oraclegeneral", "compressed", "text", "twitter"])
@pytest.mark.parametrize("more", [(), ("--batch", "32", "--steps")])
def test_one_run_counts_as_many_do(traces: dict[str, Path], keys: list[int], name: str, more: tuple[str, ...]) -> None:
    words = ("--trace", str(traces[name]), *more)
    for policy in ("arc", "lfu"):
        alone = json.loads(run(policy, *words, "--capacity", "2000", "--json").stdout)
        beside = json.loads(run(policy, *words, "--capacity", "2000,3000", "--json").stdout.splitlines()[0])
        for each in (alone, beside):
            assert each.pop("seconds") > 0 and each.pop("command_seconds") > 0 and each.pop("command_cpu_seconds") > 0
        assert alone == beside and alone["requests"] == len(keys)
    heading = run("arc", *words, "--capacity", "2000").stdout.splitlines()[0]
    assert heading.endswith(f" {len(keys):,} requests, {len(set(keys)):,} objects; batch {32 if more else 1}")
    assert heading == run("arc", "lfu", *words, "--capacity", "2000").stdout.splitlines()[0]


@pytest.mark.slow
def test_times_tasks_and_pages_go_on_over_parts(traces: dict[str, Path], tmp_path: Path) -> None:
    policy = tmp_path / "timed.cpol"
    policy.write_text(
        "policy timed {\n  list queue, other\n  state turns: u64 = 0\n"
        "  on added(f) { if task.thread == 3 { place f at head of other } else { place f at tail of queue } }\n"
        "  on accessed(f) { if (cache.time + turns) % 7000 < 3000 { move f to tail of queue } }\n"
        "  every 5000 ms { turns += 1 }\n"
        "  on evict { scan other from head as f { evict f }  scan queue from head as f { evict f } }\n}\n",
        encoding="utf-8",
    )
    for words in (("--trace", str(traces["twitter"])), ("--trace", str(traces["oraclegeneral"]), "--pages")):
        alone = json.loads(run(str(policy), *words, "--capacity", "900", "--json").stdout)
        beside = json.loads(run(str(policy), *words, "--capacity", "900,901", "--json").stdout.splitlines()[0])
        assert alone["misses"] == beside["misses"] and alone["requests"] == beside["requests"] >= REQUESTS


def test_deletions_are_counted(tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_text("".join(f"1,{n % 9},3,40,5,{'delete' if n % 4 == 0 else 'get'},0\n" for n in range(40)))
    heading = run("fifo", "--trace", str(trace), "--capacity", "3").stdout.splitlines()[0]
    assert heading == f"{trace}: twitter, 30 requests, 9 objects, 10 deletions left out; batch 1"


def test_an_error_late_in_the_trace_is_the_only_output(traces: dict[str, Path], tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_bytes(traces["twitter"].read_bytes() + b"7,1,3,40,5,got,0\n")
    result = CliRunner().invoke(command, ["fifo", "--trace", str(bad), "--capacity", "10"])
    assert result.exit_code == 1 and result.stdout == ""
    assert f"{bad}: line {REQUESTS + 1}: column 5 (from 0), the operation of twitter traces" in result.stderr


@pytest.mark.slow
def test_ctrl_c_ends_a_run_whose_pipe_says_nothing(traces: dict[str, Path], tmp_path: Path) -> None:
    """The thread that reads waits in `read`, which no signal ends: it is left behind."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    words = ["sim", "lru", "--trace", str(pipe), "--capacity", "100", "--format", "oraclegeneral"]
    program = [sys.executable, "-m", "cpol.cli.main", *words]
    with (
        subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run,
        pipe.open("wb") as writer,
    ):
        writer.write(traces["oraclegeneral"].read_bytes())
        writer.flush()
        time.sleep(1)
        assert run.poll() is None
        run.send_signal(signal.SIGINT)
        stdout, stderr = run.communicate(timeout=60)
    assert (run.returncode, stdout, stderr.strip()) == (130, b"", b"note: interrupted before a run ended")


@pytest.mark.parametrize("policies", [("lru",), ("lru", "fifo")])
def test_notes_on_the_order_of_a_trace(policies: tuple[str, ...], tmp_path: Path) -> None:
    """For a single run and for several, which read the trace in different ways."""
    path = tmp_path / "t.csv"
    for rows, said in (
        (
            ["9,1,1", "8,1,1", "9,1,1"],
            f"note: {path}: a request has a time before that of an earlier one, line 2, by 1,000",
        ),
        (
            ["9,1,1", "8,1,1", "7,1,1"],
            f"note: {path}: 2 requests have a time before that of an earlier one, the first is line",
        ),
        ([f"1,{n},1" for n in range(100)], f"note: {path}: each of the 100 requests is for another object"),
        ([f"1,{n % 99},1" for n in range(100)], ""),
    ):
        path.write_text("\n".join(rows), encoding="utf-8")
        result = CliRunner().invoke(command, [*policies, "--trace", str(path), "--capacity", "3"])
        assert result.exit_code == 0
        assert said in result.stderr and bool(result.stderr) == bool(said)
