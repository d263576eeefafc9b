"""How a problem of the gallery becomes a work of the machine, and how both are compared (gallery_works.py)."""

from __future__ import annotations

import subprocess
from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from gallery_works import OTHER, WRITES, Played, plan_of, policy_of, requests_of, table
from vm_types import CHECKOUT

from cpol.cli.gallery import find
from cpol.runtime.simulate.advise.wanted import Pair, Reads
from cpol.runtime.simulate.traces.workload import Workload, play

FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread")


def small(name: str) -> Workload:
    return replace(find(name), requests=2000)


def test_a_plan_tells_commands() -> None:
    plan = plan_of(small("backup"), play(small("backup")))
    assert (plan["policy"], plan["input"], plan["values"], plan["parts"]) == ("backup", "commands", ["restic"], [])
    assert plan["readers"] == [{"command": "shop", "file": 0}, {"command": "restic", "file": 1}]
    assert plan["memory"] == 1000 and plan["requests"] == 2000 and not plan["replays"]


def test_a_plan_tells_threads_and_files_by_their_numbers() -> None:
    assert plan_of(small("scans"), play(small("scans")))["parts"] == ["1"]
    plan = plan_of(small("records"), play(small("records")))
    assert (plan["input"], plan["values"]) == ("scattered", ["0"])
    plan = plan_of(small("logs"), play(small("logs")))
    assert [each["file"] for each in plan["readers"]] == [0, 1, 1] and not plan["parts"]


def test_a_plan_has_the_pages_that_are_read() -> None:
    trace = play(small("logs"))
    sizes = plan_of(small("logs"), trace)["sizes"]
    assert trace.names and len(sizes) == 2 and sum(sizes) < 2000 + 2000
    assert max(trace.names.indices) + 1 in sizes


def test_a_start_is_recorded_and_replayed() -> None:
    plan = plan_of(small("start"), play(small("start")))
    assert plan["replays"] and not plan["input"] and plan["policy"] == "replay"


def test_where_the_default_stays_another_policy_runs_beside_it() -> None:
    assert policy_of(find("backfill")) == OTHER and policy_of(find("weights")) == "mru"


def test_requests_are_in_order() -> None:
    trace = play(small("logs"))
    assert trace.names and trace.writes
    found = requests_of(trace)
    assert len(found) == 2 * 2000
    for at in (0, 1, 2, 1999):
        assert found[2 * at + 1] == trace.names.indices[trace.ids[at]]
    assert {*found[::2]} == {0, 1 | WRITES, 2}


def test_the_reader_plays_them_all(tmp_path: Path) -> None:
    """Here without a policy: threads take turns, and writes go into the file."""
    program = tmp_path / "reads"
    subprocess.run(["cc", *FLAGS, CHECKOUT / "tests" / "vm" / "gallery_reads.c", "-o", program], check=True)
    requests = array("I")
    for number in range(100):
        requests.extend((number % 2 | (WRITES if number % 2 else 0), number // 2 % 8))
    (tmp_path / "trace").write_bytes(requests.tobytes())
    (tmp_path / "one").write_bytes(b"x" * 8 * 4096)
    (tmp_path / "other").write_bytes(b"x" * 8 * 4096)
    words = [program, tmp_path / "trace", "one", tmp_path / "one", "other", tmp_path / "other"]
    done = subprocess.run(words, input="go\n", capture_output=True, text=True, check=True, timeout=60)
    ids, played = done.stdout.splitlines()
    assert len({*ids.split()}) == 2 and played == "100"
    assert (tmp_path / "one").read_bytes() == b"x" * 8 * 4096 and not any((tmp_path / "other").read_bytes())


def test_a_reader_that_is_not_given_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "reads"
    subprocess.run(["cc", *FLAGS, CHECKOUT / "tests" / "vm" / "gallery_reads.c", "-o", program], check=True)
    (tmp_path / "trace").write_bytes(array("I", (1, 0)).tobytes())
    done = subprocess.run([program, tmp_path / "trace", "one", "/dev/null"], capture_output=True, check=False)
    assert done.returncode == 2 and b"a reader that is not given" in done.stderr


def test_table() -> None:
    figures = {"before": {"pages": 2000, "room": 990}, "after": {"pages": 1500, "room": 990}}
    played = Played(find("weights"), figures, Pair(Reads("linux_lru", 2100), Reads("mru", 1050)))
    assert played.ratio == pytest.approx(0.75)
    unjudged = replace(played, simulated=None)
    assert table([played, unjudged]).splitlines()[2:] == [
        "| `weights` | `mru` | 990 | 2,000 | 1,500 | 0.75 | 2,100 | 0.50 |",
        "| `weights` | `mru` | 990 | 2,000 | 1,500 | 0.75 |  |  |",
    ]
