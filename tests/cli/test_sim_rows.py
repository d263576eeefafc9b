"""The rows of `cpolc sim`: what each of them says that it is, whoever else is in the table."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler.policies import STDLIB, stdlib_names

POLICY = (STDLIB / "fifo.cpol").read_text(encoding="utf-8").replace("policy fifo", "policy same")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    keys = random.Random(1).choices(range(60), weights=[1 / (n + 1) for n in range(60)], k=3000)
    Path("keys.txt").write_text("".join(f"{key}\n" for key in keys), encoding="utf-8")
    rows = "".join(f"{n},{key % 3},{key}\n" for n, key in enumerate(keys))
    Path("pages.csv").write_text(rows, encoding="utf-8")
    for name in ("a.cpol", "b.cpol"):
        Path(name).write_text(POLICY, encoding="utf-8")
    return tmp_path


def sim(*words: str) -> Result:
    return CliRunner().invoke(cli, ["sim", *words])


def objects(*words: str) -> list[dict[str, Any]]:
    done = sim(*words, "--json")
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def labels(done: Result) -> list[str]:
    """The first word of each row."""
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("policy "))
    return [line.split("  ")[0].strip() for line in lines[head + 1 :]]


KEYS = ("--trace", "keys.txt", "--capacity")


def test_policies_of_one_name_are_told_apart_by_their_files() -> None:
    done = sim("./a.cpol", "./b.cpol", "lru", *KEYS, "20")
    assert sorted(labels(done)) == ["./a.cpol", "./b.cpol", "lru"]
    a, b = objects("./a.cpol", "./b.cpol", *KEYS, "20")
    assert a["policy"] == b["policy"] == "same" and (a["label"], b["label"]) == ("./a.cpol", "./b.cpol")
    assert (a["path"], b["path"]) == ("a.cpol", "b.cpol")
    assert labels(sim("./a.cpol", *KEYS, "20")) == ["same"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lru", "lru"], "lru is given twice; name each policy once"),
        (["all", "lru", "lru"], "lru is given twice"),
        (["all", "all"], "all is given twice"),
        (["leap", "none", "none"], "none is given twice"),
        (["lru", str(STDLIB / "lru.cpol")], "lru.cpol are the same file with the same settings"),
        (["./a.cpol", "a.cpol"], "./a.cpol and a.cpol are the same file"),
        (["s3fifo", "--set", "small_percent=5,5"], "twice; give each value once"),
        (["s3fifo", "--set", "small_percent=5,05"], "small_percent=05 are the same; give each value once"),
        (["lru", "--capacity", "20"], "20 and 20 are the same capacity"),
        (["lru", "--capacity", "2e1"], "20 and 2e1 are the same capacity"),
        (["lru", "--capacity", "80K"], "20 and 80K are the same capacity"),
        (["lru", "--capacity", "0.5,0.50"], "0.5 and 0.50 are the same capacity"),
        (["lru", "--capacity", "0.334"], "the capacities 20 and 0.334 are the same number of this trace's 60 objects"),
        (["leap", "none", "--capacity", "0.334"], "are the same number of this trace's 60 objects"),
    ],
)
def test_no_row_stands_twice(words: list[str], said: str) -> None:
    done = sim(*KEYS, "20", *words)
    assert done.exit_code in (1, 2) and said in done.stderr and not done.stdout, done.output


@pytest.mark.parametrize("name", ["belady", "none", "default"])
def test_a_policy_does_not_pass_for_a_row_that_no_policy_makes(name: str) -> None:
    Path("own.cpol").write_text(POLICY.replace("policy same", f"policy {name}"), encoding="utf-8")
    rows = objects("lru", "./own.cpol", *KEYS, "20", "--belady")
    assert [(row["label"], row["path"]) for row in rows[1:]] == [("./own.cpol", "own.cpol"), ("belady", None)]
    assert "./own.cpol" in labels(sim("lru", "./own.cpol", *KEYS, "20"))


def test_json_has_all_params_and_inputs() -> None:
    (row,) = objects("s3fifo", *KEYS, "20", "--set", "small_percent=30")
    assert row["params"] == {"small_percent": 30, "ghost_percent": 90, "threshold": 2} and row["inputs"] == {}
    (row,) = objects("keep_files", *KEYS, "20", "--input", "kept=0", "--input", "kept=7,8", "--assume", "file=7")
    assert row["inputs"] == {"kept": ["0", "7,8"]} and row["path"].endswith("/keep_files.cpol")
    *_, best = objects("lru", *KEYS, "20", "--belady")
    assert (best["policy"], best["path"], best["params"]) == ("belady", None, {})


def test_several_values_of_a_param_are_several_rows() -> None:
    done = sim("s3fifo", "lru", *KEYS, "20", "--set", "small_percent=5,50", "--set", "threshold=1")
    assert sorted(labels(done)) == ["lru", "s3fifo small_percent=5", "s3fifo small_percent=50"]
    words = ("s3fifo", *KEYS, "10,20")
    both = objects(*words, "--set", "small_percent=5,50", "--set", "threshold=1,3")
    assert [row["params"]["small_percent"] for row in both] == [5] * 4 + [50] * 4
    assert len({row["label"] for row in both}) == 4
    for row in both:
        settings = [
            word for name in ("small_percent", "threshold") for word in ("--set", f"{name}={row['params'][name]}")
        ]
        alone = objects(*words, *settings)
        assert row["misses"] in [each["misses"] for each in alone if each["capacity"] == row["capacity"]]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["small_percent=5", "small_percent=6"], "small_percent is given twice; several values stand in one: --set"),
        (["small_percent=5,5"], "small_percent has the value 5 twice"),
        (["small_percent=5,99"], "99 is out of range"),
        (["small=5,9"], "no policy here has a param 'small'"),
        (["small_percent=5,"], "small_percent"),
    ],
)
def test_wrong_lists_of_values(settings: list[str], said: str) -> None:
    done = sim("s3fifo", *KEYS, "20", *(word for each in settings for word in ("--set", each)))
    assert done.exit_code == 2 and said in done.stderr


@pytest.mark.parametrize(("policy", "name"), [("keep_files", "kept"), ("query", ""), ("graph", "")])
def test_a_policy_that_is_told_nothing_may_be_lru(policy: str, name: str) -> None:
    words = ("--trace", "pages.csv", "--columns", "time_ms=0,file=1,page=2", "--capacity", "5,20")
    done = sim(policy, "lru", *words)
    rows = objects(policy, "lru", *words)
    equal = [row["misses"] for row in rows if row["label"] == policy] == [
        row["misses"] for row in rows if row["label"] == "lru"
    ]
    assert equal == (f"note: {policy}: its input" in done.stderr)
    assert f"note: {policy}: its input" in sim(policy, *words).stderr or not equal, "also alone"
    if name:
        assert equal and f"its input {name} is empty, and so it misses what lru misses; fill with" in done.stderr
        assert "its input" not in sim(policy, *words, "--input", f"{name}=1").stderr


@pytest.mark.slow
def test_all_is_all_that_evict() -> None:
    listed = [json.loads(line) for line in CliRunner().invoke(cli, ["stdlib", "list", "--json"]).stdout.splitlines()]
    evicting = [each["name"] for each in listed if "evicts" in each["kinds"]]
    rows = objects("all", *KEYS, "20")
    assert [row["label"] for row in rows] == evicting and len(evicting) > 20
    again = objects("lru", "all", *KEYS, "20")
    assert [row["label"] for row in again] == ["lru", *(name for name in evicting if name != "lru")]
    assert set(evicting) <= set(stdlib_names())


@pytest.mark.slow
def test_policies_of_both_kinds_stand_in_one_table() -> None:
    words = ("--trace", "pages.csv", "--columns", "time_ms=0,file=1,page=2", "--capacity", "10,20")
    done = sim("lru", "drop_behind", "none", "s3fifo", *words)
    assert done.exit_code == 0, done.output
    rows = [line.split() for line in done.stdout.splitlines()[2:]]
    assert sorted({row[0] for row in rows}) == ["drop_behind", "lru", "none", "s3fifo"] and len(rows) == 8
    assert [row[1] for row in rows] == ["10"] * 4 + ["20"] * 4
    objects_ = objects("lru", "drop_behind", "none", "s3fifo", *words)
    by_name = {(row["label"], row["capacity"]): row["misses"] for row in objects_}
    assert {(row[0], int(row[1])): int(row[3].replace(",", "")) for row in rows} == by_name
    assert all(row["requests"] == 3000 and row["miss_ratio"] == row["misses"] / 3000 for row in objects_)
    assert {row[-1] for row in rows} == {"evicts", "prefetches"}
