"""`cpolc gallery`: each problem wants the policy that its file names, or the default."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cpol.cli import gallery
from cpol.cli.main import cli
from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve, stdlib_names
from cpol.runtime.simulate.advise.advise import GAIN, Request, advise
from cpol.runtime.simulate.advise.charge import with_nodes
from cpol.runtime.simulate.runs.capacity import PAGE
from cpol.runtime.simulate.traces import TraceError
from cpol.runtime.simulate.traces.workload import play, read_workload

NEAR = 0.65
"""The policy that a problem names saves so large a share of what the best one does: a name may serve better than a
thread's number, which changes."""


def cpolc(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["gallery", *map(str, words)], prog_name="cpolc")


def told(*words: str | Path) -> Any:
    done = cpolc(*words)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("name", gallery.names())
def test_a_problem_wants_what_its_file_names(name: str) -> None:
    workload = gallery.find(name)
    assert workload.advice == "keep" or workload.advice in stdlib_names()
    asked = ["lru", "fifo", "mru", "s3fifo", "lruk", "get_scan", "backup"]
    request = Request(play(workload), None, workload.memory, 32, workload.seed, 2, 0, asked)
    found = advise(request, lambda _: None)
    if workload.advice == "keep":
        assert found.kind == "keep" and all(row.against.low > 1 - GAIN for row in found.rows), found.verdict
        return
    saves = {row.choice.name: 1 - row.against.ratio for row in found.rows}
    assert found.kind == "try", found.verdict
    assert saves[workload.advice] >= NEAR * max(saves.values()) and saves[workload.advice] > GAIN, saves


def test_the_list_has_all_of_them() -> None:
    rows = told("list", "--json")
    assert [row["name"] for row in rows] == gallery.names() and len(rows) >= 9
    assert all(row["reported"] and row["title"] for row in rows)
    lines = cpolc("list").stdout.splitlines()
    assert lines[0].split()[:2] == ["backfill", "keep"] and len(lines) == len(rows)


def test_a_problem_is_shown_with_its_advice() -> None:
    done = cpolc("run", "weights")
    assert done.exit_code == 0, done.output
    assert (
        done.stdout.startswith("Weights that are read in a loop") and "Reported: ggml-org/llama.cpp#711" in done.stdout
    )
    assert "Try mru: " in done.stdout and "cpolc attach mru CGROUP" in done.stdout


@pytest.mark.slow
def test_its_trace_is_what_the_advice_was_of(tmp_path: Path) -> None:
    path = tmp_path / "weights.csv"
    done = cpolc("trace", "weights", "-o", path)
    assert done.exit_code == 0 and "read it with --columns time=time,file=file,page=page" in done.stderr
    workload = gallery.find("weights")
    words = ["sim", "mru", "linux_lru", "--trace", str(path), "--columns", "time=time,file=file,page=page"]
    # A policy has less room than the kernel: the cgroup is charged for its nodes.
    rooms = {"linux_lru": 1000, "mru": int(with_nodes(1000, compiled(resolve("mru")).policy, PAGE))}
    misses = {}
    for policy, room in rooms.items():
        done = CliRunner().invoke(cli, [*words, "--capacity", str(room), "--batch", "32", "--json"])
        rows = {row["policy"]: row for row in map(json.loads, done.stdout.splitlines())}
        misses[policy] = rows[policy]["misses"]
    request = Request(play(workload), None, workload.memory, 32, 1, 1, 0, ["mru"])
    found = advise(request, lambda _: None)
    assert misses["linux_lru"] == found.default.reads + found.default.chosen_by
    assert misses["mru"] == found.best.reads + found.best.chosen_by


def test_an_unknown_problem_is_one_error() -> None:
    done = cpolc("run", "bakup")
    assert done.exit_code == 1 and done.stderr.endswith("`bakup` is not in the gallery; did you mean `backup`?\n")


GOOD = """
title = "t"
text = "x"
reported = ["y"]
advice = "keep"
memory = 10
requests = 100
seed = 1

[[reader]]
file = "/a"
order = "loop"
pages = 9
"""


@pytest.mark.parametrize(
    ("old", "new", "why"),
    (
        ("memory = 10", "", "'memory' is missing or unknown"),
        ("seed = 1", "seed = 1\nfoo = 2", "'foo' is missing or unknown"),
        ('order = "loop"', 'order = "spiral"', "there is no order 'spiral'; write zipf, uniform"),
        ("pages = 9", "pages = 0", "1 page or more"),
        ('file = "/a"', "", "not no file"),
        ("pages = 9", "sides = 9", "not sides"),
        ("requests = 100", "requests = 100000000", "1 to 10000000 requests"),
        ("memory = 10", "memory = ", "Invalid value"),
    ),
)
def test_a_wrong_description_is_refused(tmp_path: Path, old: str, new: str, why: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(GOOD)
    assert len(play(read_workload(path)).ids) == 100
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(TraceError, match=why) as error:
        read_workload(path)
    assert str(error.value).startswith(str(path))


def test_the_same_seed_makes_the_same_requests() -> None:
    workload = gallery.find("scans")
    assert play(workload).ids == play(workload).ids
