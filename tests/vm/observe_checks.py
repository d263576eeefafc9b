"""Runs in the machine (see guest.py): `cpolc observe` on reads whose hits and misses are known (known_reads.c)."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import (
    CGROUPS,
    DISK,
    LOADER,
    OBJECTS,
    big_file,
    cgroup,
    check,
    eventually,
    main,
    no_bpf_left,
    no_complaint,
    refused,
    remove,
    run_in,
)

PAGES = 512
HALF = 200
PAGE = 4096
LIMIT = 64 << 20
OBSERVER = OBJECTS / "observe.bpf.o"
READER = OBJECTS / "known_reads"
PATTERNS = ("small", "large", "random", "mapping", "uring", "splice", "direct")
READAHEAD = ("small", "large", "uring", "splice")
"""Patterns of which all that is read ahead is used."""


class Observed:
    """The loader's `observe`, which tells counts when it is asked."""

    def __init__(self, group: Path, *options: str) -> None:
        words = [LOADER, "observe", *options, "--", str(OBSERVER), str(group)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert json.loads(self.line()) == {"observing": str(group)}
        self.names: dict[str, str] = {}

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def look(self) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        look: dict[str, Any] = json.loads(self.line())
        assert look["missed"] == look["untold_pages"] == look["untold_cells"] == 0, look
        self.names |= look["names"]
        return look

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait() == 0


FIELDS = (
    "hits", "misses", "faults", "refaults", "ahead", "ahead_used", "ahead_unused", "ahead_unknown", "dirtied",
    "written_back",
)  # fmt: skip


def number_of(path: Path) -> str:
    status = path.stat()
    return f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}:{status.st_ino}"


def of_file(look: dict[str, Any], path: Path) -> dict[str, int]:
    counts = dict(look["files"]).get(number_of(path), [0] * len(FIELDS))
    return dict(zip(FIELDS, counts, strict=True))


def of_all(look: dict[str, Any]) -> dict[str, int]:
    return dict(zip(FIELDS, look["all"], strict=True))


def grown(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in FIELDS}


@contextmanager
def observed(name: str, *options: str, limit: int = LIMIT) -> Iterator[tuple[Path, Observed]]:
    (CGROUPS / "cgroup.subtree_control").write_text("+memory")
    group = cgroup(name, limit)
    observer = Observed(group, *options)
    try:
        yield group, observer
    finally:
        observer.end()
    if group.exists():
        remove(group)


def known(group: Path, how: str, path: Path, pages: int = PAGES) -> tuple[int, int, int]:
    """Read in the cgroup. Returns the true hits and misses, and the pages that are cached then."""
    told = OBJECTS / "known.out"

    def work() -> None:
        with told.open("w") as out:
            subprocess.run([READER, how, path, str(pages)], stdout=out, check=True)

    run_in(group, work)
    hits, misses, cached = map(int, told.read_text().split())
    return hits, misses, cached


def drop() -> None:
    Path("/proc/sys/vm/drop_caches").write_text("1")


@check
def each_pattern_has_its_hits_and_misses() -> object:
    """Twice each: from the disk, then from the cache."""
    figures = {}
    with observed("known") as (group, observer):
        for how in PATTERNS:
            path = big_file(f"known_{how}", PAGES * PAGE)
            rounds = []
            for round_ in range(2):
                before = of_file(observer.look(), path)
                hits, misses, cached = known(group, how, path)
                counts = grown(before, of_file(observer.look(), path))
                rounds.append((counts, hits, misses, cached))
                assert (counts["hits"], counts["misses"]) == (hits, misses), (how, round_, counts, hits, misses)
            figures[how] = [(counts["hits"], counts["misses"], counts["ahead"]) for counts, *_ in rounds]
            (first, hits, misses, cached), (second, *_) = rounds
            if how == "direct":
                assert not any(first.values()) and not any(second.values()), rounds
                continue
            assert cached == PAGES and misses > 0 and rounds[1][2] == 0, (how, rounds)
            assert first["ahead"] == PAGES - misses and second["ahead"] == 0, (how, rounds)
            assert first["faults"] == (hits + misses if how == "mapping" else 0), (how, rounds)
            if how in READAHEAD:
                assert first["ahead_used"] == first["ahead"], (how, rounds)
        assert set(PATTERNS) - {"direct"} == {
            name.removeprefix("/known_") for name in observer.names.values() if name.startswith("/known_")
        }, observer.names
        look = observer.look()
        reads = {how: sum(hits + misses for hits, misses, _ in rounds) for how, rounds in figures.items()}
        tasks = [dict(zip(FIELDS, counts, strict=True)) for _, comm, counts in look["tasks"] if comm == "known_reads"]
        assert len(tasks) >= 2 * (len(PATTERNS) - 1)
        mine = [of_file(look, DISK / f"known_{how}") for how in PATTERNS]
        everything = of_all(look)
        for name in ("hits", "misses", "ahead"):
            files = sum(counts[FIELDS.index(name)] for _, counts in look["files"])
            assert files == everything[name], (name, files, everything)
            assert sum(counts[FIELDS.index(name)] for *_, counts in look["tasks"]) == everything[name], name
        assert sum(counts["hits"] + counts["misses"] for counts in mine) == sum(reads.values())
    return figures


@check
def unused_readahead_is_told_when_it_leaves() -> object:
    path = big_file("half", PAGES * PAGE)
    with observed("half") as (group, observer):
        _hits, misses, cached = known(group, "small", path, HALF)
        assert cached > HALF
        counts = of_file(observer.look(), path)
        assert counts["ahead_unused"] == 0 and counts["ahead"] == cached - misses, (counts, cached)
        drop()
        counts = of_file(observer.look(), path)
        assert counts["ahead_used"] == HALF - misses and counts["ahead_unused"] == cached - HALF, (counts, cached)
    return counts


@check
def mapped_readahead_is_unknown_or_used() -> object:
    """A page that a fault mapped along may have been used: unmapping tells, if the processor noted it."""
    path = big_file("mapped", PAGES * PAGE)
    with observed("mapped") as (group, observer):
        known(group, "mapping", path, HALF)
        drop()
        counts = of_file(observer.look(), path)
        assert counts["ahead"] == counts["ahead_used"] + counts["ahead_unused"] + counts["ahead_unknown"], counts
        assert counts["ahead_used"] > 0, counts
    return counts


@check
def only_this_cgroup_counts() -> object:
    path, below = big_file("other", PAGES * PAGE), big_file("below", PAGES * PAGE)
    with observed("mine") as (group, observer):
        (group / "cgroup.subtree_control").write_text("+memory")
        child, other = cgroup("mine/child", LIMIT), cgroup("another", LIMIT)
        known(other, "small", path)
        hits, misses, _ = known(child, "small", below)
        look = observer.look()
        assert not any(of_file(look, path).values()), of_file(look, path)
        counts = of_file(look, below)
        assert (counts["hits"], counts["misses"]) == (hits, misses), (counts, hits, misses)
        remove(child)
        remove(other)
    return counts


def stat_of(group: Path, name: str) -> int:
    found = re.search(rf"^{name} (\d+)$", (group / "memory.stat").read_text(), re.MULTILINE)
    assert found
    return int(found[1])


@check
def refaults_and_writes_are_those_of_the_kernel() -> object:
    """Twice over a file that does not fit; and a file that is written and synchronised."""
    large, written = big_file("large", 16 << 20), DISK / "written"
    with observed("small", limit=12 << 20) as (group, observer):
        before = stat_of(group, "workingset_refault_file")
        read = "import sys\nwith open(sys.argv[1], 'rb', buffering=0) as file:\n while file.read(1 << 17): pass"
        for _ in range(3):
            run_in(group, lambda: subprocess.run([sys.executable, "-I", "-c", read, large], check=True) and None)

        def write() -> None:
            with written.open("wb") as file:
                file.write(os.urandom(64 * PAGE))
                file.flush()
                os.fsync(file.fileno())

        run_in(group, write)
        look = observer.look()
        refaults = stat_of(group, "workingset_refault_file") - before
        assert of_all(look)["refaults"] == refaults > 0, (of_all(look), refaults)
        counts = of_file(look, written)
        assert counts["dirtied"] == counts["written_back"] == 64, counts
        counts = of_file(look, large)
        assert counts["hits"] + counts["misses"] == 3 * (16 << 20) // PAGE, counts
    return {"refaults": refaults, "large": counts}


@check
def a_read_larger_than_the_memory_misses_all() -> object:
    """Its first pages are evicted before it ends."""
    path = big_file("huge", 16 << 20)

    def work() -> None:
        buffer = bytearray(1 << 17)
        with path.open("rb", buffering=0) as file:
            assert os.preadv(file.fileno(), [buffer] * 128, 0) == 16 << 20

    with observed("huge", limit=12 << 20) as (group, observer):
        run_in(group, work)
        counts = of_file(observer.look(), path)
        assert counts["misses"] == (16 << 20) // PAGE and counts["hits"] == 0, counts
    return counts


@check
def cells_are_the_uses() -> object:
    path = big_file("cells", PAGES * PAGE)
    with observed("cells", "--heat", "4") as (group, observer):
        known(group, "small", path, 256)
        known(group, "small", path, 128)
        look = observer.look()
        cells = {run: (h, m) for file, run, h, m in look["cells"] if file == number_of(path)}
        assert set(cells) == set(range(16)), cells
        assert [sum(cells[run]) for run in range(16)] == [32] * 8 + [16] * 8, cells
        counts = of_file(look, path)
        assert sum(hits for hits, _ in cells.values()) == counts["hits"]
        # The set of bits: 256 pages of this file, and those of what else ran.
        assert 256 <= look["used_bits"] <= 256 + sum(sum(counts[:2]) for _, counts in look["files"]), look["used_bits"]
        assert observer.look()["used_bits"] == 0
    return cells


@check
def the_command_shows_it() -> object:
    path = big_file("shown", PAGES * PAGE)
    (CGROUPS / "cgroup.subtree_control").write_text("+memory")
    group = cgroup("shown", LIMIT)
    svg = OBJECTS / "shown.svg"
    words = ["cpolc", "observe", group, "--once", "--interval", "1", "--json", "--svg", svg]
    process = subprocess.Popen([*map(str, words), "--seconds", "600"], stdout=subprocess.PIPE, text=True)
    eventually(lambda: "observe_read" in programs(), "the programs are not attached", 120)
    time.sleep(2)
    hits, misses, _ = known(group, "small", path)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate()
    assert process.returncode == 0, out
    facts = json.loads(out)
    (file,) = [file for file in facts["files"] if file["path"] == "/shown"]
    assert (file["hits"], file["misses"]) == (hits, misses), file
    (command,) = [command for command in facts["commands"] if command["command"] == "known_reads"]
    assert command["misses"] >= misses
    # Of one interval or of two: each page was used once.
    assert sum(one["pages"] for one in facts["working_set"]) >= 0.99 * PAGES, facts["working_set"]
    assert "/shown: " in svg.read_text()
    remove(group)
    return file


def programs() -> str:
    done = subprocess.run(["bpftool", "prog", "list"], capture_output=True, text=True, check=False)
    return done.stdout


@check
def what_cannot_be_observed() -> object:
    (CGROUPS / "cgroup.subtree_control").write_text("+memory")
    refused("cgroup", "observe", OBSERVER, "/proc/self")
    refused("there is no cgroup", "observe", OBSERVER, CGROUPS / "absent")
    group = cgroup("refused")
    caps = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
    words = [*caps, LOADER, "observe", str(OBSERVER), str(group)]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 1 and "CAP_BPF and CAP_PERFMON" in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    remove(group)
    return done.stderr


@check
def nothing_is_left() -> None:
    no_bpf_left()
    no_complaint()


main()
