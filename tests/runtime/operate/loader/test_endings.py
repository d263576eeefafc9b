"""Statistics of policies that have ended, as `stat` and `list` show them. The lines are made up."""

from __future__ import annotations

import json
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from loader_types import Build

LIVE = 'cgroup=7 name=lfu state=attached added=5 lists=1,2 of_the_future=9 words_of_it="a b" owned=3\n'
REPLACED = 'cgroup=7 name=mru state=ended exit=replaced code=0 message="another policy took its place" ended_ms=1000\n'
WATCHDOG = (
    "cgroup=7 name=held state=overruled reason=rotates exit=watchdog code=64 "
    'message="rotates: 64 offences" ended_ms=500 added=9 more=1\n'
)
"""Its link exists, so it is what `stat` shows, although another one ended later."""
ERROR = 'cgroup=8 name=own state=ended exit=error code=-22 message="" ended_ms=3000\n'
REMOVED = 'cgroup=800 name=gone state=ended exit=cgroup code=0 message="the cgroup was removed" ended_ms=3100\n'
UNKNOWN = "cgroup=9 name=odd state=ended exit=eclipse code=9223372036854775807 ended_ms=99999\n"
INIT = 'cgroup=9 name=none state=ended exit=init code=-12 message="init failed" ended_ms=3200\n'
ALL = LIVE + REPLACED + WATCHDOG + ERROR + REMOVED + UNKNOWN + INIT


@pytest.fixture(scope="module")
def show(build: Build) -> Path:
    return build("show_stat")


def shown(show: Path, text: str | bytes, *words: str | int) -> tuple[int, str]:
    """Return the exit code and the output."""
    given = show.with_name("stat")
    given.write_bytes(text.encode() if isinstance(text, str) else text)
    done = subprocess.run([str(show), str(given), *map(str, words)], capture_output=True, check=False)
    assert done.returncode in (0, 1) and not done.stderr, done.stderr
    return done.returncode, done.stdout.decode()


def stat(show: Path, text: str, cgroup: int) -> dict[str, str]:
    """Return what `stat` prints, by key."""
    code, out = shown(show, text, "stat", cgroup, "text")
    assert code == 0
    return {line[:18].rstrip(): line[19:] for line in out.splitlines()}


def stat_json(show: Path, text: str, cgroup: int) -> dict[str, Any]:
    code, out = shown(show, text, "stat", cgroup, "json")
    assert code == 0
    return dict(json.loads(out))


def test_stat_shows_how_a_policy_ended(show: Path) -> None:
    assert stat(show, REPLACED + ERROR, 8) == {
        "path": "/cg", "cgroup": "8", "name": "own", "state": "ended", "exit": "error", "code": "-22",
        "message": "", "ended_ms": "3000",
    }  # fmt: skip
    assert stat_json(show, ERROR + REPLACED, 7) == {
        "path": "/cg", "kind": "evict", "cgroup": 7, "name": "mru", "state": "ended", "exit": "replaced", "code": 0,
        "held": False,
        "message": "another policy took its place", "ended_ms": 1000, "list_names": [],
    }  # fmt: skip
    for text in (WATCHDOG + REPLACED, REPLACED + WATCHDOG):
        told = stat_json(show, text, 7)
        del told["list_names"]
        assert {key: value for key, value in told.items() if value is not None} == {
            "path": "/cg", "kind": "evict", "cgroup": 7, "name": "held", "state": "overruled", "reason": "rotates",
            "exit": "watchdog",
            "code": 64, "message": "rotates: 64 offences", "ended_ms": 500, "added": 9, "more": 1, "held": True,
        }  # fmt: skip
        assert told["evicted"] is None
    assert stat_json(show, ALL, 8)["code"] == -22 and stat_json(show, ALL, 8)["message"] == ""
    assert stat_json(show, ALL, 9)["code"] == 2**63 - 1, "the one that ended last"


def test_stat_prefers_the_policy_that_governs(show: Path) -> None:
    for text in (LIVE + REPLACED + ERROR, REPLACED + LIVE, REPLACED + REPLACED + LIVE):
        told = stat(show, text, 7)
        assert (told["name"], told["state"], told["added"], told["evicted"]) == ("lfu", "attached", "5", "n/a")
        assert told["of_the_future"] == "9" and told["words_of_it"] == "a b"
        assert not {"exit", "code", "message", "ended_ms", "reason"} & told.keys()
    made = stat_json(show, LIVE + REPLACED, 7)
    assert made["lists"] == [1, 2] and made["evicted"] is None and "exit" not in made and "held" not in made


def test_sizes_of_lists_have_names(show: Path) -> None:
    for lists, sizes, told in (
        ("small,main", "10,20", "small 10, main 20"),
        ("old,many[int:9]", "1,2,3,4", "old 1, many[0] 2, many[1] 3, many[2] 4"),
        ("old,a[int:2],b[int:1],c[int:9]", "1,2,3,4,5,6", "old 1, a[0] 2, a[1] 3, b[0] 4, c[0] 5, c[1] 6"),
        ("a[int:1],b[int:2]", "1,2,3", "a[0] 1, b[0] 2, b[1] 3"),
        ("many[capacity]", "7", "many[0] 7"),
        ("only", "1,2", "only 1, 2"),
        ("a,b,c", "1", "a 1"),
    ):
        assert shown(show, f"cpol 1 p\nlists {lists}\n", "lists", 0, sizes) == (0, f"{'lists':18} {told}\n")
    assert shown(show, "", "lists", 0, "5,6") == (0, f"{'lists':18} 5, 6\n"), "another program attached it"


def test_another_cgroup_has_no_line(show: Path) -> None:
    assert shown(show, ALL, "stat", 70, "text") == (1, "")
    assert shown(show, "", "stat", 7, "text") == (1, "")


def test_list_tells_in_words(show: Path) -> None:
    assert shown(show, ALL, "list", 3500, "text")[1].splitlines() == [
        "mru              /cg (ended: another policy replaced it (another policy took its place), 2.5 s ago)",
        "held             /cg (does not govern: the kernel detached it for its offences, code 64 "
        "(rotates: 64 offences), 3.0 s ago; run cpolc attach --replace or detach)",
        "own              /cg (ended: its program reported an error, code -22, 0.5 s ago)",
        "gone             (a removed cgroup) (ended: its cgroup was removed (the cgroup was removed), 0.4 s ago)",
        "odd              /cg (ended: it ended: eclipse, code 9223372036854775807)",
        "none             /cg (ended: its init failed, code -12 (init failed), 0.3 s ago)",
    ]


def test_list_as_json(show: Path) -> None:
    found = json.loads(f"[{shown(show, ALL, 'list', 3500, 'json')[1]}]")
    assert found[1] == {
        "cgroup": 7, "path": "/cg", "kind": "evict", "policy": "held", "state": "overruled", "exit": "watchdog",
        "code": 64,
        "message": "rotates: 64 offences", "ended_ms": 500, "held": True,
    }  # fmt: skip
    assert [entry["exit"] for entry in found] == ["replaced", "watchdog", "error", "cgroup", "eclipse", "init"]


def test_overruled_of_an_older_kernel(show: Path) -> None:
    text = "cgroup=7 name=held state=overruled reason=rotates added=5\n"
    assert "the kernel detached it for its offences (rotates); run" in shown(show, text, "list", 1, "text")[1]
    told = stat(show, text, 7)
    assert (told["reason"], told["added"], told["removed"]) == ("rotates", "5", "n/a")


def test_text_from_the_kernel_does_not_drive_a_terminal(show: Path) -> None:
    text = 'cgroup=7 name=p state=ended exit=\x1b[2J code=1 message="\x1b]0;t\x07 \\x" ended_ms=1\n'
    for words in (("stat", 7, "text"), ("list", 9, "text"), ("stat", 7, "json"), ("list", 9, "json")):
        assert all(line.isprintable() for line in shown(show, text, *words)[1].splitlines())
    assert stat_json(show, text, 7)["message"] == "\x1b]0;t\x07 \\x"


@pytest.mark.long
def test_damaged_lines_do_not_crash(show: Path) -> None:
    """Under sanitizers. What can be read of a line is shown."""
    assert stat_json(show, 'cgroup=7 name=p state=ended message="not closed ended_ms=3', 7)["message"] == (
        "not closed ended_ms=3"
    )
    rng = random.Random(11)
    whole = ALL.encode()
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(rng.randrange(1, 9)):
            damaged[rng.randrange(len(damaged))] = rng.choice(b' ="\n\0a9-,')
        for words in (("stat", 7, "json"), ("stat", 7, "text"), ("list", 1, "json")):
            out = shown(show, bytes(damaged), *words)[1]
            if words[-1] == "json":
                json.loads(f"[{out}]")
    long = f'cgroup=7 name={"n" * 300} state=ended exit={"e" * 300} code={"9" * 300} message="{"m" * 900}" ended_ms=7\n'
    assert len(stat_json(show, long, 7)["message"]) == 900
    shown(show, long, "list", 1, "json")


PREFETCHES = "cgroup=7 name=leap state=attached faults=100 cached=60 prefetched=80 used=60 latency=0,4,36\n"


def test_stat_of_a_policy_that_prefetches(show: Path) -> None:
    """Accuracy is 60 of 80 pages; coverage is 60 of 60 and the 40 faults that had to read."""
    told = json.loads(shown(show, PREFETCHES, "prefetch", 7, "json")[1])
    assert (told["kind"], told["accuracy"], told["coverage"], told["latency"]) == ("prefetch", 0.75, 0.6, [0, 4, 36])
    assert "hits" not in told
    text = shown(show, PREFETCHES, "prefetch", 7, "text")[1]
    assert re.search(r"^accuracy +0\.750$", text, re.M) and re.search(r"^wasted +n/a$", text, re.M)


def test_no_share_of_nothing(show: Path) -> None:
    told = json.loads(shown(show, "cgroup=7 name=p faults=0 cached=0 prefetched=0 used=0\n", "prefetch", 7, "json")[1])
    assert (told["accuracy"], told["coverage"]) == (None, None)
