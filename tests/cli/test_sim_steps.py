"""`cpolc sim --steps`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "keys.txt"
    path.write_text("".join(f"{n * n % 1009}\n" for n in range(3000)), encoding="utf-8")
    return path


def sim(trace: Path, *words: str) -> Result:
    result = CliRunner().invoke(cli, ["sim", *words, "--trace", str(trace), "--format", "text"])
    assert result.exit_code == 0, result.output
    return result


def test_steps_in_json(trace: Path) -> None:
    words = ("lru", "lfu", "--belady", "--capacity", "7,50", "--batch", "2", "--json")
    plain = [json.loads(line) for line in sim(trace, *words).stdout.splitlines()]
    runs = [json.loads(line) for line in sim(trace, *words, "--steps").stdout.splitlines()]
    for run, other in zip(runs, plain, strict=True):
        assert "steps" not in other and run["misses"] == other["misses"]
        if run["policy"] == "belady":
            assert "steps" not in run
            continue
        requests = -(-(run["misses"] - run["capacity"]) // 2)
        steps = 2 if run["policy"] == "lru" else min(run["capacity"], 16 * 2)  # a sample for each page wanted
        assert run["steps"]["evict_requests"] == requests
        assert (run["steps"]["p99"], run["steps"]["max"]) == (steps, steps) and run["steps"]["mean"] <= steps


def test_steps_in_the_table(trace: Path) -> None:
    words = ("fifo", "sieve", "--belady", "--capacity", "50", "--steps")
    lines = sim(trace, *words).stdout.splitlines()
    assert lines[1].endswith("Mreq/s mean steps p99 steps most steps")
    rows = {line.split()[0]: line.split()[8:] for line in lines[2:]}
    assert rows["belady"] == [] and rows["fifo"] == ["1.00", "1", "1"]
    steps = json.loads(sim(trace, *words, "--json").stdout.splitlines()[1])["steps"]
    assert rows["sieve"] == [f"{steps['mean']:.2f}", str(steps["p99"]), str(steps["max"])]
    assert len(set(rows["sieve"])) == 3
    assert sim(trace, "fifo", "--capacity", "50").stdout.splitlines()[1].endswith("Mreq/s")


def test_steps_with_state(trace: Path) -> None:
    words = ("sieve", "--capacity", "50", "--steps", "--json")
    whole = json.loads(sim(trace, *words).stdout)
    parts = json.loads(sim(trace, *words, "--state", "-", "--every", "100").stdout)
    assert parts["steps"] == whole["steps"] and len(parts["state"]) == 30
