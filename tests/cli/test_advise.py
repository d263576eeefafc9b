"""`cpolc advise`: the policy that saves most, the default where none does, and nothing where nothing is known."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
from array import array
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from recorded import Read, loop, points, points_beside_scans, recorded

from cpol.cli import advise as cli_advise
from cpol.cli.main import cli
from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Requests
from cpol.runtime.simulate.traces.formats.record import REQUEST, UNREAD


def advise(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["advise", *map(str, words)], prog_name="cpolc")


def told(*words: str | Path) -> dict[str, Any]:
    done = advise(*words, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def looping(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("advise") / "loop.rec", loop(150, 60), 100)


@pytest.mark.slow
def test_a_loop_over_more_than_fits_wants_another_policy(looping: Path) -> None:
    found = told(looping, "--trials", "0")
    best = found["policies"][0]
    assert found["verdict"] == "try" and found["model_off"] == 0 and found["recorded_reads"] == 4500
    assert found["default"]["policy"] == "linux_lru" and found["default"]["reads"] == 4500  # it misses all
    # Of a loop over 150 pages, 100 of which fit, Belady's MIN reads a third: the others stay.
    assert found["optimum_reads"] == pytest.approx(1500, rel=0.05)
    assert best["reads"] < 0.97 * 4500 and best["against_default"]["high"] <= 0.97
    by_name = {row["policy"]: row for row in found["policies"]}
    assert 1500 < by_name["mru"]["reads"] < 2250  # it evicts 32 at once, so half of them are not there on average
    assert found["memory_percent"] == 150  # then the loop fits
    (step,) = found["next"]
    assert step.startswith(f"cpolc attach {best['policy']} CGROUP ") and "--trial 10m" in step
    assert re.search(r"--keep-if 'refaults <= 0\.\d\d \* before'", step)


@pytest.mark.slow
def test_the_table_says_what_json_says(looping: Path) -> None:
    """Each number stands below its heading."""
    words = (looping, "--trials", "6", "--policy", "mru", "--policy", "s3fifo", "--policy", "lru")
    found = told(*words)
    lines = advise(*words).stdout.splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("policy "))
    ends = [lines[head].index(name) + len(name) for name in ("disk reads", "saves", "95 % interval", "cached read")]

    def columns(line: str) -> list[str]:
        name, reads = line[: ends[0]].split() if "machine" not in line else ("the machine", line[: ends[0]].split()[-1])
        return [name, reads, *(line[slice(*span)].strip() for span in (*pairwise(ends), (ends[-1], None)))]

    rows = [columns(line) for line in lines[head + 1 : lines.index("", head)]]
    assert rows[0] == ["the machine", f"{found['recorded_reads']:,}", "", "", "", "as recorded"]
    assert rows[1] == ["linux_lru", f"{found['default']['reads']:,}", "", "", "", "the default, modelled, off by +0.0%"]
    for row, json_row in zip(rows[2:-1], found["policies"], strict=True):
        against = json_row["against_default"]
        settings = " ".join(f"{name}={value}" for name, value in json_row["params"].items())
        interval = f"{1 - against['high']:.1%} to {1 - against['low']:.1%}"
        more = json_row["instructions_more"]
        cost = ", ".join(f"{more[kernel]['read']:+}" for kernel in ("patched", "module")) if more else "not measured"
        saves = f"{1 - against['ratio']:.1%}"
        less, reads = json_row["reads_with_less_room"], json_row["reads"]
        mark = "?" if abs(less - reads) > reads / 20 else ""
        assert row == [json_row["policy"], f"{reads:,}{mark}", saves, interval, cost, settings]
    assert {row[0]: row[4] == "not measured" for row in rows[2:-1]} == {"mru": True, "lru": True, "s3fifo": False}
    assert any(row[5] for row in rows[2:-1])  # some are tuned
    assert rows[-1][:2] == ["belady", f"{found['optimum_reads']:,}"]


def test_figures_that_hang_on_the_room_are_marked(tmp_path: Path) -> None:
    """A loop that just fits: with 3 % less room, the default misses all of it."""
    path = recorded(tmp_path / "app.rec", loop(97, 14), 98)
    found = told(path, "--trials", "0", "--policy", "fifo")
    assert found["default"]["reads"] == 0 and found["default"]["reads_with_less_room"] > 500
    (row,) = found["policies"]  # which has less room already, for its nodes
    assert row["reads"] > 500 and abs(row["reads_with_less_room"] / row["reads"] - 1) < 0.05
    assert "room" not in [doubt["name"] for doubt in found["doubts"]]  # which is of the first policy
    lines = advise(path, "--trials", "0", "--policy", "fifo").stdout.splitlines()
    assert [line.split()[:2] for line in lines if line.startswith("linux_lru")] == [["linux_lru", "0?"]]
    assert "?: with 3 % less room, the disk reads differ by more than 5 %." in lines


@pytest.mark.slow
def test_where_all_pages_are_alike_the_default_stays(tmp_path: Path) -> None:
    path = recorded(tmp_path / "app.rec", points(200, 40_000), 100)
    found = told(path, "--trials", "0")
    assert found["verdict"] == "keep" and found["text"] == "Keep the default: no policy saves 3% of the disk reads."
    done = advise(path, "--trials", "0", "--policy", "fifo")
    assert done.stdout.splitlines()[3] == found["text"] and "cpolc attach" not in done.stdout


@pytest.mark.slow
def test_scans_beside_points_are_seen_and_told(tmp_path: Path) -> None:
    path = recorded(tmp_path / "app.rec", points_beside_scans(100, 200), 150)
    found = told(path, "--trials", "0")
    rows = {row["policy"]: row for row in found["policies"]}
    assert rows["get_scan"]["input"]["keys"] == ["8"] and rows["backup"]["input"]["keys"] == ["scan"]
    assert found["verdict"] == "try"
    # The scan reads 8,000 pages, of which 4,000 in the half that judges; all else are hits under a policy that knows.
    assert rows["get_scan"]["reads"] < 4000 * 1.03 and rows["backup"]["reads"] < 4000 * 1.03
    assert found["default"]["reads"] > 4000 * 1.05


def events_of(path: Path, lines: list[str], room: int) -> Path:
    """A recording of lines without their times."""
    head = ["cpol-record 3", "name,8:0:1,/srv/base", f"room,0,{room},{room}"]
    timed = [f"{number * 50_000_000},{line}" for number, line in enumerate(lines)]
    path.write_text("\n".join([*head, *timed, f"end,{len(lines)},0", ""]))
    return path


@pytest.mark.slow
def test_a_file_that_is_read_at_random_wants_no_readahead(tmp_path: Path) -> None:
    """Some points bring the page behind them, too, which nobody reads, and which takes the room of another one."""
    source, made, lines = random.Random(1), compiled(resolve("linux_lru")), list[str]()
    kernel = Simulator(made.policy, 100, batch=32, code=made.code)
    for number in range(2400):
        page = 2 * source.randrange(100)
        for each, kind in ((page + 1, UNREAD), (page, REQUEST))[number % 2 :]:
            before = kernel.counts
            after = kernel.run(Requests(array("Q", [each]), ahead=bytes([kind])))
            missed = after.misses > before.misses if kind == REQUEST else after.size > before.size
            lines += [f"added,8:0:1,{each},1,1,1,db"] * missed
        lines.append(f"accessed,8:0:1,{page},1,1,1,db")
    path = events_of(tmp_path / "app.rec", lines, 100)
    found = told(path, "--trials", "0", "--policy", "random_access", "--policy", "fifo")
    rows = {row["policy"]: row for row in found["policies"]}
    assert rows["random_access"]["input"]["live"] == ["/srv/base"] and rows["random_access"]["reads"] < 150
    assert found["default"]["reads"] > 400 and found["verdict"] == "try"  # of 200 pages, 100 have room
    done = advise(path, "--trials", "0", "--policy", "random_access")
    assert "random_access would be told: /srv/base: nobody was seen to use " in done.stdout
    step = done.stdout.splitlines()[-1]
    assert "cpolc attach random_access CGROUP --input scattered=/srv/base" in step and "'reclaimed <= 0." in step


def test_what_streams_through_is_dropped_behind(tmp_path: Path) -> None:
    source = random.Random(1)
    reads = [
        Read(1, source.randrange(100), 7, "server") if place % 3 else Read(2, place, 8, "copy") for place in range(4800)
    ]
    for place, read in enumerate(reads):
        if read.file == 2:
            reads[place] = read._replace(page=place // 3)
    found = told(recorded(tmp_path / "app.rec", reads, 150), "--trials", "0", "--policy", "drop_behind")
    (row,) = found["policies"]
    assert row["input"] is None and found["verdict"] == "try"
    assert 800 <= row["reads"] < 800 * 1.03 and found["default"]["reads"] > 800 * 1.05
    assert found["next"][0].startswith("cpolc attach drop_behind CGROUP --trial")


@pytest.mark.slow
def test_policies_that_prefetch_have_a_table_of_their_own(tmp_path: Path) -> None:
    """Points of a file, far apart: nothing is to be read ahead, and the model reads as the machine did."""
    path = recorded(tmp_path / "app.rec", (each._replace(page=3 * each.page) for each in points(150, 1500)), 100)
    text = re.sub(r"(?m)^(.*),added,(.*)$", r"\1,missed,\2\n\1,added,\2", path.read_text())
    events = sum(line[0].isdigit() for line in text.splitlines())
    path.write_text(re.sub(r"end,\d+", f"end,{events}", text))
    words = (path, "--trials", "0", "--policy", "fifo", "--policy", "stride", "--policy", "leap")
    found = told(*words)
    ahead = found["prefetching"]
    assert [row["policy"] for row in ahead["policies"]] == ["stride"] and ahead["withheld"] is None
    assert ahead["recorded"]["waits"] == text.count(",missed,") and ahead["requests"] == 1500
    assert [each["name"] for each in found["left_out"]] == ["leap"]
    lines = advise(*words).stdout.splitlines()
    (row,) = (line.split() for line in lines if line.startswith("stride "))
    waits, usual = ahead["policies"][0]["waits"], ahead["default"]["waits"]
    assert row[1] == f"{waits:,}" and row[2] == f"{1 - waits / usual:.1%}"


def test_policies_that_prefetch_need_the_machine_beside_them(tmp_path: Path) -> None:
    path = recorded(tmp_path / "app.rec", points(150, 900), 100)
    words = (path, "--trials", "0", "--policy", "fifo", "--policy", "stride")
    assert told(*words, "--memory", "120")["prefetching"] is None
    assert "what requests asked for" in told(*words)["prefetching"]["withheld"]


def test_what_no_run_can_judge_has_no_figure(tmp_path: Path) -> None:
    """A program starts, and then reads a mapped file at random, whose uses nobody sees."""
    start = [f"added,8:0:{file},{page},1,9,9,db" for file in (2, 3) for page in range(60)]
    faults = [f"added,8:0:1,{first + page},1,9,9,db" for first in range(100_000, 0, -3000) for page in range(16)]
    rest = [f"{what},8:0:4,{page},1,8,8,app" for page in range(900) for what in ("added", "accessed")]
    path = events_of(tmp_path / "app.rec", [*start, *faults, *rest], 200)
    names = "name,8:0:2,/lib/ld.so.2\nname,8:0:3,/lib/libc.so.6\nroom"
    path.write_text(path.read_text().replace("room", names, 1))
    found = told(path, "--trials", "0", "--policy", "mru", "--policy", "replay", "--policy", "random_access")
    replay, scattered = sorted(found["suggested"], key=lambda each: each["policy"], reverse=True)
    assert replay["files"]["/lib/libc.so.6"] == [[0, 60]] and "no disk reads" in replay["why"]
    assert scattered["live"] == ["/srv/base"] and "in 34 places" in scattered["words"]
    assert [row["policy"] for row in found["policies"]] == ["mru"]
    assert {each["name"] for each in found["left_out"]} == {"replay", "random_access"}
    said = advise(path, "--trials", "0", "--policy", "mru", "--policy", "replay").stdout
    assert "- replay: db starts as the recording begins: 664 pages" in said and "random_access" not in said


@pytest.mark.slow
def test_params_are_tuned_by_the_first_half(looping: Path) -> None:
    plain, tuned = (told(looping, "--trials", trials) for trials in ("0", "6"))
    chosen = {row["policy"]: row["chosen_by_reads"] for row in plain["policies"]}
    better = [row for row in tuned["policies"] if row["params"]]
    assert better and all(row["chosen_by_reads"] < chosen[row["policy"]] for row in better)
    assert tuned == told(looping, "--trials", "6")  # by the same seed


@pytest.mark.slow
def test_only_the_policies_that_are_asked_for_are_judged(tmp_path: Path, looping: Path) -> None:
    own = tmp_path / "own.cpol"
    own.write_text(resolve("mru").read_text().replace("policy mru", "policy own"))
    found = told(looping, "--trials", "0", "--policy", "lfu", "--policy", own)
    assert [row["policy"] for row in found["policies"]] == [str(own), "lfu"] and found["left_out"] == []
    assert f"cpolc attach {own} CGROUP" in found["next"][0]
    own.write_text("policy own {")
    done = advise(looping, "--policy", own)
    assert done.exit_code == 1 and done.stdout == "" and "own.cpol:1" in done.stderr


@pytest.mark.slow
def test_a_model_that_is_off_gives_no_advice(tmp_path: Path) -> None:
    path = recorded(tmp_path / "app.rec", points(200, 8000), 100, off=3)
    found = told(path, "--trials", "0")
    assert found["verdict"] == "withheld" and found["model_off"] < -0.1
    done = advise(path, "--trials", "0")
    assert done.stdout.splitlines()[3].startswith("No advice: the model of the kernel's default reads ")
    assert "s3fifo" not in done.stdout and "cpolc record CGROUP" in done.stdout


@pytest.mark.slow
def test_pages_that_nobody_was_seen_to_use_give_no_advice(tmp_path: Path) -> None:
    """A mapped file: its pages come, and no use of two of three is seen."""
    path = recorded(tmp_path / "app.rec", loop(150, 40), 100)
    lines = [line for line in path.read_text().splitlines() if "accessed" not in line or int(line.split(",")[3]) < 50]
    events = sum("added" in line or "accessed" in line for line in lines[2:])
    path.write_text("\n".join([*lines[:-1], f"end,{events},0", ""]))
    found = told(path, "--trials", "0")
    assert found["verdict"] == "withheld"
    assert "of 6,000 pages that were read from the disk, nobody was seen to use 4,000" in found["text"]


@pytest.mark.slow
def test_writes_are_a_doubt(tmp_path: Path) -> None:
    reads = [each._replace(writes=number % 50 == 0) for number, each in enumerate(points(200, 4000))]
    found = told(recorded(tmp_path / "app.rec", reads, 100), "--trials", "0")
    (doubt,) = (each for each in found["doubts"] if each["name"] == "dirty")
    assert doubt["text"].startswith("80 requests write; ")


@pytest.mark.slow
def test_few_disk_reads_are_no_evidence(tmp_path: Path) -> None:
    found = told(recorded(tmp_path / "app.rec", loop(90, 50), 100), "--trials", "0")
    assert found["verdict"] == "longer" and "under 400" in found["text"]


@pytest.mark.slow
def test_other_memory_than_was_recorded(looping: Path) -> None:
    """What the machine read with its own memory is nothing to compare with."""
    found = told(looping, "--memory", "160", "--trials", "0")
    assert found["default"]["reads"] == 0 and found["verdict"] == "longer"
    assert all(row["against_default"]["ratio"] == 1 for row in found["policies"])  # 0 of 0 saves nothing
    found = told(looping, "--memory", "120", "--trials", "0", "--policy", "mru")
    assert found["verdict"] == "try" and found["recorded_reads"] is None and found["default"]["reads"] == 4500
    assert "memory" in [doubt["name"] for doubt in found["doubts"]]


@pytest.mark.slow
def test_pages_that_nobody_read_are_few_with_other_memory_too(tmp_path: Path, looping: Path) -> None:
    """They are a share of what the machine read, whatever memory is asked for."""
    path = tmp_path / "app.rec"
    lines = looping.read_text().splitlines()
    ahead = [f"{number},added,8:0:9,{number},1,1,1,app" for number in range(20)]
    events = int(lines[-1].split(",")[1]) + len(ahead)
    path.write_text("\n".join([*lines[:-1], *ahead, f"end,{events},0", ""]))
    for memory in ((), ("--memory", "120")):
        found = told(path, "--trials", "0", "--policy", "mru", *memory)
        assert found["verdict"] == "try", found["text"]
        assert "warm" not in [doubt["name"] for doubt in found["doubts"]]


@pytest.mark.slow
def test_a_policy_that_only_the_second_half_wants_is_not_advised(tmp_path: Path) -> None:
    path = recorded(tmp_path / "app.rec", [*loop(90, 60), *loop(150, 36)], 100)
    found = told(path, "--trials", "0", "--policy", "fifo", "--policy", "mru")
    assert (
        found["verdict"] == "longer" and "the first half chose fifo, and in the second mru saves most" in found["text"]
    )
    assert "phases" in [doubt["name"] for doubt in found["doubts"]]


@pytest.mark.slow
def test_inputs_are_chosen_by_the_first_half(tmp_path: Path) -> None:
    """A file that is hot in the second half only is not told to keep_files."""
    source = random.Random(1)
    reads = [
        Read(hot if place % 4 == 0 else 4, source.randrange(60 if place % 4 == 0 else 4000))
        for hot in (1, 2)
        for place in range(8000)
    ]
    found = told(recorded(tmp_path / "app.rec", reads, 400), "--trials", "0", "--policy", "keep_files")
    (row,) = found["policies"]
    assert row["input"]["live"] == ["/srv/index"] and len(row["input"]["keys"]) == 1


@pytest.mark.slow
def test_what_is_printed_can_be_pasted(tmp_path: Path, looping: Path) -> None:
    own = tmp_path / "a b; touch PWNED; \x1b[31m.cpol"
    own.write_text(resolve("mru").read_text().replace("policy mru", "policy own"))
    done = advise(looping, "--trials", "0", "--policy", own)
    assert done.exit_code == 0 and "\x1b" not in done.stdout
    words = shlex.split(done.stdout.splitlines()[-1])
    assert words[:2] == ["cpolc", "attach"] and "PWNED" in words[2] and words[3] == "CGROUP"


@pytest.mark.slow
def test_what_cannot_be_judged_is_said(looping: Path) -> None:
    done = advise(looping, "--trials", "0", "--policy", "mru", "--policy", "noop", "--policy", "readahead")
    assert "Not judged: noop (it leaves evicting to the kernel); readahead (it does not evict" in done.stdout
    none = advise(looping, "--policy", "noop")
    assert none.exit_code == 2 and "none of these can be judged beside the default (noop: " in none.stderr
    assert "mru is given twice" in advise(looping, "--policy", "mru", "--policy", "mru").stderr


def test_outputs_replace_nothing_that_is_read(tmp_path: Path, looping: Path) -> None:
    own = tmp_path / "own.cpol"
    own.write_text("policy own {")
    text = own.read_text()
    for words in (
        ("--record", "1s", "--policy", own, "--keep", own),
        ("--record", "1s", "--keep", tmp_path / "x.html", "--report", tmp_path / "x.html"),
        ("--record", "1s", "--keep", tmp_path / "no" / "x.rec"),
        ("--report", tmp_path / "no" / "x.html"),
    ):
        done = advise(looping if words[0] == "--report" else tmp_path, *words)
        assert done.exit_code == 1 and done.stdout == "" and done.stderr.count("\n") == 1, done.output
    assert own.read_text() == text


@pytest.mark.slow
def test_the_verdict_is_said_though_the_report_fails(tmp_path: Path, looping: Path) -> None:
    (tmp_path / "full.html").symlink_to("/dev/full")
    done = advise(looping, "--trials", "0", "--policy", "mru", "--report", tmp_path / "full.html")
    assert done.exit_code == 1 and "Try mru" in done.stdout and "No space left" in done.stderr


@pytest.mark.slow
def test_names_that_are_no_text(tmp_path: Path, looping: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.rec")
    path.write_bytes(looping.read_bytes().replace(b"8:0:1,/srv/index", b"8:0:2,/srv/caf\xe9"))
    done = advise(path, "--trials", "0", "--policy", "mru", "--report", tmp_path / "x.html")
    assert done.exit_code == 0, done.output
    text = (tmp_path / "x.html").read_text()
    assert "caf\\xe9" in done.stdout and "caf\\udce9" in text
    assert "Left out:" not in text, "the one policy that was asked for ran"


@pytest.mark.slow
def test_a_trace_that_is_no_recording_says_so(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    path.write_text("".join(f"{number % 150}\n" for number in range(6000)))
    done = advise(path)
    assert done.exit_code == 2 and "Missing option '--memory'" in done.stderr
    found = told(path, "--memory", "0.5", "--trials", "0")
    assert found["recorded_reads"] is None and found["verdict"] == "try" and found["capacity"] == 75
    assert "model" in [doubt["name"] for doubt in found["doubts"]]
    left = {each["name"]: each["why"] for each in found["left_out"]}
    assert left["get_scan"] == "the recording suggests nothing for its inputs" and "readahead" in left


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lost", "reads", "why"),
    ((500, 60, "500 events were lost beside 9,000 requests"), (0, 2, "it has 300 requests, which tell nothing")),
)
def test_recordings_that_tell_nothing_are_refused(tmp_path: Path, lost: int, reads: int, why: str) -> None:
    path = recorded(tmp_path / "app.rec", loop(150, reads), 100, lost=lost)
    done = advise(path)
    assert done.exit_code == 1 and done.stdout == ""
    assert why in done.stderr and done.stderr.count("\n") == 1


def test_a_recording_under_a_policy_is_refused(tmp_path: Path, looping: Path) -> None:
    path = tmp_path / "app.rec"
    path.write_text(looping.read_text().replace("room,0", "governed,lfu\nroom,0"))
    done = advise(path)
    assert done.exit_code == 1 and done.stdout == "" and done.stderr.count("\n") == 1
    assert "lfu evicted while it was recorded" in done.stderr


def test_cut_and_empty_recordings_are_refused(tmp_path: Path, looping: Path) -> None:
    path = tmp_path / "app.rec"
    path.write_text(looping.read_text()[:-30])
    done = advise(path)
    assert done.exit_code == 1 and "record" in done.stderr and done.stderr.count("\n") == 1
    path.write_text("")
    assert "the trace is empty" in advise(path).stderr


@pytest.mark.slow
def test_a_cgroup_is_recorded_first(tmp_path: Path, looping: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loader, group = tmp_path / "loader", tmp_path / "app"
    group.mkdir()
    attached = tmp_path / "attached"
    attached.write_text("[]")
    loader.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/words\n[ "$1" = list ] && cat {attached} || cat {looping}\n')
    loader.chmod(0o755)
    monkeypatch.setenv("CPOL_LOADER", str(loader))
    assert "add --record 10m" in advise(group).stderr
    found = told(group, "--record", "90s", "--trials", "0", "--keep", tmp_path / "kept.rec")
    assert f" {group} " in found["next"][0] and (tmp_path / "kept.rec").read_text() == looping.read_text()
    assert "record --seconds 90 -- " in (tmp_path / "words").read_text()
    statistics = tmp_path / "stat"
    statistics.touch()
    monkeypatch.setattr(cli_advise, "STATISTICS", statistics)  # the kernel has cache_ext
    row = {"cgroup": 1, "path": str(group), "kind": "evict", "policy": "lfu", "state": "attached"}
    attached.write_text(json.dumps([row]))
    done = advise(group, "--record", "90s")
    assert done.exit_code == 1 and f"lfu governs {group}" in done.stderr and "detach it first" in done.stderr


class Page(HTMLParser):
    """Whether each element is closed, and what a page would load."""

    VOID = ("meta", "link", "img", "br", "hr", "input")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [f"{name}={value}" for name, value in attrs if name in ("src", "href", "data", "action")]
        self.loads += [tag] if tag in ("script", "link", "img", "iframe", "object") else []
        if tag not in self.VOID and not (self.get_starttag_text() or "").endswith("/>"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [f"{name}={value}" for name, value in attrs if name in ("src", "href", "data", "action")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.mark.slow
def test_the_report_is_one_file_with_everything(tmp_path: Path, looping: Path) -> None:
    hostile = tmp_path / "app.rec"
    text = looping.read_text().replace("name,8:0:1,/srv/index", "name,8:0:2,/srv/<script>alert(1)</script>")
    hostile.write_text(text.replace(",app\n", ",<b>&\n"))
    report = tmp_path / "app.html"
    done = advise(hostile, "--trials", "0", "--report", report)
    assert done.exit_code == 0, done.output
    text = report.read_text()
    page = Page()
    page.feed(text)
    assert page.open == [] and page.loads == []
    assert "<script" not in text and "url(" not in text and "@import" not in text
    said = " ".join(" ".join(page.text).split())
    assert done.stdout.splitlines()[3] in said and "<b>&" in said
    assert "/srv/<script>alert(1)</script>" in said
    for heading in ("Disk reads of the second half", "Disk reads over memory", "Files over time", "Commands", "Next"):
        assert heading in said
    assert re.search(r"Left out: \w+ \(.*\)\. Next", said) and ". ." not in said and ";." not in said
    assert len(re.findall("SHA-256 [0-9a-f]{64}", said)) == 3
    assert len(re.findall("<polyline", text)) == len(re.findall("<polygon", text)) == 2


def test_a_report_is_checked_before_anything_runs(tmp_path: Path, looping: Path) -> None:
    done = advise(looping, "--report", tmp_path / "app.pdf")
    assert done.exit_code == 2 and "give .html" in done.stderr
    assert advise(looping, "--report", looping).exit_code == 2
