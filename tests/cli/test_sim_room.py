"""`cpolc sim` takes capacity and batch from a recording, follows its room, and says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.sim import command

HEAD = "# time_ns,event,file,page,pages,thread,process,comm[,first,last]\n"
CHANGES = {0: 100, 2000: 10, 4000: 60}
"""Room by request: a third of the loop of 40 pages does not fit."""
REQUESTS = 6000


def run(*words: str) -> Result:
    return CliRunner().invoke(command, [*words])


def lines(version: int, *, unread: bool = False) -> str:
    out = [f"cpol-record {version}\n", HEAD]
    events = 0
    for number in range(REQUESTS):
        if number in CHANGES and version == 3:
            out.append(f"room,{number},100,{CHANGES[number]}\n")
        out.append(f"{number},accessed,8:0:2,{number % 40},1,1,1,x\n")
        events += 1
        if unread and number % 10 == 0:
            out.append(f"{number},added,8:0:3,{number},1,1,1,x\n")
            events += 1
    return "".join([*out, f"end,{events},0\n"])


@pytest.fixture
def recording(tmp_path: Path) -> str:
    path = tmp_path / "app.rec"
    path.write_text(lines(3))
    return str(path)


def test_capacity_and_batch_are_the_recordings(recording: str) -> None:
    done = run("lru", "mru", "--trace", recording, "--belady")
    assert done.exit_code == 0, done.output
    heading = done.stdout.splitlines()[0]
    said = "capacity from the recording, the room of file pages: 10 to 100 pages under a limit of 100; batch 32, as the"
    assert said in heading and "note:" not in done.stderr
    lru, mru = map(json.loads, run("lru", "mru", "--trace", recording, "--json").stdout.splitlines())
    assert lru["room"] == {"first": 100, "mean": 56, "least": 10, "most": 100, "limit": 100, "changes": 3}
    assert (lru["batch"], lru["capacity"]) == (32, 56)
    # With 10 pages LRU misses all of the loop; with 100 and 60 it misses each page once.
    assert 2000 <= lru["misses"] <= 2000 + 40 + 40 and mru["misses"] < lru["misses"]


def test_room_of_one_size_is_a_capacity(recording: str, tmp_path: Path) -> None:
    flat = tmp_path / "flat.rec"
    flat.write_text(lines(2).replace("cpol-record 2\n", "cpol-record 3\n").replace(HEAD, f"{HEAD}room,0,100,30\n"))
    for policy in ("s3fifo", "mru"):
        followed, given = (
            json.loads(run(policy, "--trace", str(flat), *words, "--json").stdout)
            for words in ((), ("--capacity", "30"))
        )
        assert followed["misses"] == given["misses"] and followed["batch"] == given["batch"] == 32
        assert "room" not in given


def test_warmup_ends_between_rooms(recording: str) -> None:
    warm, cold = (
        json.loads(run("lru", "--trace", recording, *words, "--json").stdout) for words in (("--warmup", "3000"), ())
    )
    assert warm["requests"] == 3000 and cold["misses"] - warm["misses"] == 40 + 1000
    at_a_change = json.loads(run("lru", "--trace", recording, "--warmup", "2000", "--json").stdout)
    assert cold["misses"] - at_a_change["misses"] == 40


def test_what_is_not_the_machines_is_said(recording: str, tmp_path: Path) -> None:
    limit = run("lru", "--trace", recording, "--capacity", "100")
    assert "file pages had 10 to 100 pages under a limit of 100, 56 on average; with more" in " ".join(
        limit.stderr.split()
    )
    one = run("lru", "--trace", recording, "--batch", "1")
    assert "the kernel asks for 32 pages at once; with --batch 1" in " ".join(one.stderr.split())
    unread = tmp_path / "unread.rec"
    unread.write_text(lines(3, unread=True))
    said = " ".join(run("lru", "--trace", str(unread)).stderr.split())
    assert "readahead brought 600 pages that nobody read" in said


def doubts(*words: str) -> list[str]:
    return list(json.loads(run(*words, "--json").stdout)["doubts"])


@pytest.mark.slow
def test_rows_tell_why_they_may_not_be_the_machines(recording: str, tmp_path: Path) -> None:
    assert doubts("lru", "--trace", recording) == []
    assert doubts("lru", "--trace", recording, "--capacity", "100", "--batch", "1") == ["capacity", "batch"]
    unread, lost = tmp_path / "unread.rec", tmp_path / "lost.rec"
    unread.write_text(lines(3, unread=True))
    lost.write_text(lines(3).replace(f"end,{REQUESTS},0", f"end,{REQUESTS},7"))
    assert doubts("lru", "--trace", str(unread)) == ["readahead"]
    assert doubts("lru", "--trace", str(lost)) == ["lost"]
    idle = tmp_path / "idle.cpol"
    idle.write_text(
        "/// Falls back.\npolicy idle {\n  list q\n  on added(f) { place f at tail of q }\n"
        "  on evict { scan q from head as f { when f.dirty { evict f } } }\n}\n"
    )
    assert doubts(str(idle), "--trace", recording) == ["fallback"]
    row = next(line for line in run("lru", "--trace", str(unread)).stdout.splitlines() if line.startswith("lru"))
    assert row.split()[3].endswith("?")
    assert "?" not in run("lru", "--trace", recording).stdout


def test_processors_tell_in_their_own_order(recording: str, tmp_path: Path) -> None:
    """A recording needs no sorting if an event has the time of one before."""
    crossed = tmp_path / "crossed.rec"
    crossed.write_text(lines(3).replace("\n3000,acc", "\n7000000,acc"))
    done = run("lru", "--trace", str(crossed))
    assert done.exit_code == 0 and "go back" not in done.stderr and "before that" not in done.stderr, done.stderr


def test_row_that_a_little_room_changes_is_marked(tmp_path: Path) -> None:
    """A loop just fits: LRU misses each page once, and with a little less room each time."""
    fits = tmp_path / "fits.rec"
    fits.write_text(lines(2).replace("cpol-record 2\n", "cpol-record 3\n").replace(HEAD, f"{HEAD}room,0,100,40\n"))
    (lru,) = map(json.loads, run("lru", "--trace", str(fits), "--batch", "1", "--json").stdout.splitlines())
    assert lru["misses"] == 40 and lru["misses_by_percent_of_room"] == {"97": REQUESTS, "103": 40}
    assert lru["doubts"] == ["batch", "room"]
    tight = tmp_path / "tight.rec"
    tight.write_text(fits.read_text().replace("room,0,100,40", "room,0,100,30"))
    assert doubts("lru", "--trace", str(tight)) == []


@pytest.mark.parametrize("option", ["--state", "--log"])
def test_one_capacity_is_asked_for(option: str, recording: str, tmp_path: Path) -> None:
    done = run("lru", "--trace", recording, option, str(tmp_path / "out"))
    assert done.exit_code == 2 and "add --capacity 56" in done.stderr, done.stderr


def test_recordings_without_room_and_other_traces(tmp_path: Path) -> None:
    old, keys = tmp_path / "old.rec", tmp_path / "keys.txt"
    old.write_text(lines(2))
    done = run("lru", "--trace", str(old))
    assert done.exit_code == 1 and "an older cpolc record made it" in str(done.exception) + done.output
    assert json.loads(run("lru", "--trace", str(old), "--capacity", "30", "--json").stdout)["batch"] == 32
    keys.write_text("".join(f"a{number % 40}\n" for number in range(4000)))
    missing = run("lru", "--trace", str(keys))
    assert missing.exit_code == 2 and "Missing option '--capacity'. Give it: pages" in missing.stderr
    plain, like = (
        run("lru", "--trace", str(keys), "--capacity", "30"),
        run("lru", "--trace", str(keys), "--capacity", "30", "--like", "kernel"),
    )
    assert plain.stdout.splitlines()[0].endswith("batch 1")
    assert like.stdout.splitlines()[0].endswith("batch 32, as the kernel asks")
