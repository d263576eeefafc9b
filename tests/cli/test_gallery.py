"""`cpolc gallery`: each problem wants the policy that its file names, or the default."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cpol.cli import gallery
from cpol.cli.main import cli
from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve, stdlib_names
from cpol.runtime.simulate.advise.advise import GAIN, Advice, Request, advise
from cpol.runtime.simulate.advise.charge import with_nodes
from cpol.runtime.simulate.advise.wanted import of_advice, on_model, reads_ahead
from cpol.runtime.simulate.runs.capacity import PAGE
from cpol.runtime.simulate.traces import Trace, TraceError
from cpol.runtime.simulate.traces.workload import Workload, play, read_workload

NEAR = 0.6
"""The policy that a problem names saves so large a share of what the best one does: a name may serve better than a
thread's number, which changes."""


def cpolc(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["gallery", *map(str, words)], prog_name="cpolc")


def told(*words: str | Path) -> Any:
    done = cpolc(*words)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


QUOTAS = ("active",)
"""Problems that want a smaller cache, and not fewer disk reads."""

READ_AHEAD = ("records", "start")
"""Problems whose policy only reads ahead, so that advice does not judge it."""


def found_of(workload: Workload, policies: Sequence[str]) -> Advice:
    return advise(Request(play(workload), None, workload.memory, 32, workload.seed, 2, 0, policies), lambda _: None)


SHARES = {
    "backup": 0.9,
    "code": 0.9,
    "compaction": 0.97,
    "epochs": 0.8,
    "index": 0.95,
    "loads": 0.7,
    "logs": 0.6,
    "records": 0.4,
    "scans": 0.94,
    "shippers": 0.55,
    "start": 0.4,
    "weights": 0.7,
}
"""The policy reads at most so much of what the default does; not of problems that want the default."""


FAST = ("backfill", "backup", "records", "start", "weights")
"""One of each kind: no policy, one that is told commands, two that read ahead, one that is told nothing."""


@pytest.mark.parametrize(
    "name",
    [
        name if name in FAST else pytest.param(name, marks=pytest.mark.slow)
        for name in gallery.names()
        if name not in QUOTAS
    ],
)
def test_before_and_after(name: str) -> None:
    workload = gallery.find(name)
    if (wanted := reads_ahead(workload)) is not None:
        pair = on_model(workload, play(workload), wanted)
        assert pair.before.policy == "default" and name in READ_AHEAD
        assert pair.after and pair.after.waits < pair.before.waits and pair.after.waited_ns < pair.before.waited_ns
    else:
        pair = of_advice(workload, found_of(workload, [workload.advice if name in SHARES else "lru"]))
        assert pair.before.policy == "linux_lru"
    if name not in SHARES:
        assert workload.advice == "keep" and pair.after is None and pair.share is None
        return
    assert pair.after and pair.after.policy == workload.advice
    assert pair.share == pair.after.pages / pair.before.pages
    assert pair.share <= SHARES[name], pair


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in gallery.names() if name not in (*READ_AHEAD, *QUOTAS)])
def test_a_problem_wants_what_its_file_names(name: str) -> None:
    workload = gallery.find(name)
    assert workload.advice == "keep" or workload.advice in stdlib_names()
    asked = ["lru", "fifo", "mru", "s3fifo", "lruk", "get_scan", "backup", "last_reader"]
    found = found_of(workload, asked)
    if workload.advice == "keep":
        assert found.kind == "keep" and all(row.against.low > 1 - GAIN for row in found.rows), found.verdict
        return
    saves = {row.choice.name: 1 - row.against.ratio for row in found.rows}
    assert found.kind == "try", found.verdict
    assert saves[workload.advice] >= NEAR * max(saves.values()) and saves[workload.advice] > GAIN, saves


def test_the_list_has_all_of_them() -> None:
    rows = told("list", "--json")
    assert [row["name"] for row in rows] == gallery.names() and len(rows) == 14
    assert all(row["reported"] and row["title"] for row in rows)
    lines = cpolc("list").stdout.splitlines()
    assert lines[1].split()[:2] == ["backfill", "keep"] and len(lines) == len(rows)


@pytest.mark.slow
def test_a_problem_is_shown_with_its_advice() -> None:
    done = cpolc("run", "weights")
    assert done.exit_code == 0, done.output
    assert (
        done.stdout.startswith("Weights that are read in a loop") and "Reported: ggml-org/llama.cpp#711" in done.stdout
    )
    assert "Try mru: " in done.stdout and "cpolc attach mru CGROUP" in done.stdout


@pytest.mark.slow
def test_a_problem_is_shown_before_and_after() -> None:
    lines = cpolc("run", "weights").stdout.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("before:"))
    assert re.fullmatch(r"before: linux_lru +[\d,]+ disk reads", lines[place])
    assert re.fullmatch(r"after:  mru +[\d,]+ disk reads  0\.\d\d of the default's", lines[place + 1])
    (facts,) = told("run", "weights", "--json")
    assert facts["model"] == "advise" and facts["share"] == facts["after"]["pages"] / facts["before"]["pages"] < 0.7
    assert facts["before"]["pages"] == facts["default"]["reads"] + facts["default"]["chosen_by_reads"]


@pytest.mark.slow
def test_a_problem_that_wants_the_default_has_no_other_line() -> None:
    lines = cpolc("run", "backfill").stdout.splitlines()
    assert "after:  the same, since no policy saves enough" in lines
    (facts,) = told("run", "backfill", "--json")
    assert facts["after"] is None and facts["share"] is None and facts["before"]["policy"] == "linux_lru"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    (
        ("records", ["cpolc attach random_access CGROUP --input scattered=/store/records"]),
        ("start", ["cpolc attach replay CGROUP", "cpolc input CGROUP start load start.start"]),
    ),
)
def test_what_only_reads_ahead_runs_on_the_model_of_prefetching(name: str, words: list[str]) -> None:
    lines = cpolc("run", name).stdout.splitlines()
    assert [line.strip() for line in lines if line.startswith("    cpolc")][-len(words) :] == words
    assert any(line.startswith("(by the model of prefetching") for line in lines)
    (facts,) = told("run", name, "--json")
    assert facts["model"] == "prefetch" and "policies" not in facts and "verdict" not in facts
    assert facts["after"]["policy"] == gallery.find(name).advice and facts["share"] < 0.4
    shown = next(line for line in lines if line.startswith("before:"))
    assert f" {facts['before']['pages']:,} disk reads " in shown and f" {facts['before']['waits']:,} waits" in shown


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


@pytest.mark.slow
def test_a_quota_trades_reads_for_a_smaller_cache() -> None:
    (facts,) = told("run", "active", "--json")
    workload = gallery.find("active")
    assert facts["model"] == "sim" and facts["quota"] == workload.quota == facts["after"]["cached"]
    assert facts["before"]["cached"] > 0.95 * workload.memory and 1 < facts["share"] < 1.2
    lines = cpolc("run", "active").stdout.splitlines()
    assert lines[-1].startswith(f"    cpolc quota CGROUP {workload.quota} ")
    assert any(line.startswith("after:  quota") and "2,500 pages cached" in line for line in lines)


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
        ("pages = 9", "pages = 9\nblock = 10", "a block of 1 to so many"),
        ("pages = 9", "pages = 9\nshare = 0", "a share above 0"),
        ("pages = 9", "pages = 9\nbegins = 0.5\nends = 0.5", "begins before it ends"),
        ("pages = 9", "pages = 9\nends = 0.5", "from 0.5 on, no reader is at work"),
        ("pages = 9", "pages = 9\nbegins = 0.5", "from 0.0 on, no reader is at work"),
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


def of_file(text: str, folder: Path) -> Workload:
    path = folder / "own.toml"
    path.write_text(text)
    return read_workload(path)


def pages_of(trace: Trace) -> list[int]:
    assert trace.names
    return [trace.names.indices[id] for id in trace.ids]


def test_a_block_is_read_page_after_page(tmp_path: Path) -> None:
    pages = pages_of(play(of_file(GOOD.replace("pages = 9", "pages = 9\nblock = 4"), tmp_path)))
    assert pages == [*range(8)] * 12 + [*range(4)], "the ninth page is in no block"


def test_a_reader_is_at_work_in_its_part_only(tmp_path: Path) -> None:
    more = '\n[[reader]]\nfile = "/b"\norder = "once"\nbegins = 0.4\nends = 0.6\nshare = 9\n'
    trace = play(of_file(GOOD + more, tmp_path))
    assert trace.tasks
    assert {*trace.tasks[:40]} == {*trace.tasks[60:]} == {101} and trace.tasks[40:60].count(102) > 10


def test_a_log_is_read_up_to_what_was_written(tmp_path: Path) -> None:
    more = '\n[[reader]]\nfile = "/a"\norder = "once"\nshare = 9\n'
    text = GOOD.replace('order = "loop"', 'order = "once"\nwrites = true').replace("pages = 9", "")
    trace = play(of_file(text + more, tmp_path))
    assert trace.writes
    there = set[int]()
    for id, writes in zip(trace.ids, trace.writes, strict=True):
        assert writes != (id in there), "each page is written once, and read after that"
        there.add(id)
    assert trace.writes.count(0) in range(45, 51), "who reads faster waits"


def test_a_start_is_the_same_each_time(tmp_path: Path) -> None:
    text = GOOD.replace('"loop"', '"start"').replace("pages = 9", "pages = 300").replace("100", "1000")
    pages = pages_of(play(of_file(text, tmp_path)))
    once = len({*pages})
    assert 50 < once < 200 and pages[:once] == pages[once : 2 * once] and sorted({*pages}) != pages[:once]
    runs = sum(after != before + 1 for before, after in pairwise(pages[:once]))
    assert once / 5 < runs < once / 2, "runs of 1 to 6 pages"


def test_the_same_seed_makes_the_same_requests() -> None:
    workload = gallery.find("scans")
    assert play(workload).ids == play(workload).ids
