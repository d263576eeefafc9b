"""Checks in the machine: two workloads, recorded under the kernel's default, then run under policies.

- search: several greps look through their parts of a tree at once, again and again (examples/file-search, in parallel).
- database: SQLite looks up rows by a Zipf distribution, while tar reads other files from end to end.

The recording is in the exchange folder; the host simulates it (foretold.py). What a policy missed is the
kernel's count, and `pages` is what the workload's processes made the disk read: unread readahead is in it, too.
"""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import time
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from guest import DISK, OBJECTS, cgroup, check, good, kernel_lines, no_bpf_left, nothing_left, obj, remove
from recorder import Recorder

PAGE = 4096
SHOWN = ("misses", "hits", "evicted", "fallback", "refaults", "owned", "offences", "nomem", "memory")
SAMPLE_SECONDS = 0.2
LRU_GEN = Path("/sys/kernel/mm/lru_gen/enabled")
OUT = Path(os.environ["CPOL_EXCHANGE"])
SMALL_FOLDER = DISK / "small"
LOOKUP = "select data from rows where id = ?"

Counts = dict[str, int | list[int]]


@dataclass(frozen=True)
class Work:
    """A workload: how much of it, and the cgroup's limit in bytes."""

    kind: str
    limit: int
    parts: int = 4
    files: int = 150
    """Of each part of the tree, or that tar reads."""
    most_pages: int = 10
    """Of a file: 1 to so many in the tree, so many in what tar reads."""
    passes: int = 6
    rows: int = 4000
    lookups: int = 6000

    def make(self) -> None:
        """Make its files, on the disk alone."""
        make_tree(self) if self.kind == "search" else make_database(self)
        SMALL_FOLDER.mkdir(exist_ok=True)
        (SMALL_FOLDER / "file").write_text("nothing\n")

    def run(self) -> None:
        search(self) if self.kind == "search" else look_up_beside_tar(self)


def make_tree(work: Work) -> None:
    source = random.Random(1)
    for part in range(work.parts):
        folder = DISK / f"tree-{work.files}" / str(part)
        folder.mkdir(parents=True)
        for number in range(work.files):
            line = f"{part} {number} {source.random()} the same again\n"
            size = PAGE * source.randint(1, work.most_pages)
            (folder / f"{number}.txt").write_text((line * (size // len(line) + 1))[:size])


def make_database(work: Work) -> None:
    source = random.Random(2)
    with sqlite3.connect(DISK / "rows.db") as base:
        base.execute("create table rows (id integer primary key, data blob)")
        rows = ((number, source.randbytes(PAGE - 300)) for number in range(work.rows))
        base.executemany("insert into rows values (?, ?)", rows)
    base.close()
    folder = DISK / "archived"
    folder.mkdir()
    for number in range(work.files):
        (folder / str(number)).write_bytes(source.randbytes(PAGE) * work.most_pages)


def commands(work: Work, folders: Sequence[Path]) -> list[list[str | Path]]:
    """The programs of a pass, one for each folder."""
    if work.kind == "search":
        return [["grep", "-rcF", "never there", folder] for folder in folders]
    # tar reads nothing if its archive is /dev/null.
    return [["sh", "-c", 'tar -cf - "$0" 2>/dev/null | cat >/dev/null', folder] for folder in folders]


def search(work: Work) -> None:
    tree = DISK / f"tree-{work.files}"
    for _ in range(work.passes):
        running = [
            subprocess.Popen(words, stdout=subprocess.DEVNULL)
            for words in commands(work, [tree / str(part) for part in range(work.parts)])
        ]
        assert [one.wait() for one in running] == [1] * work.parts, "grep finds nothing"


def look_up_beside_tar(work: Work) -> None:
    if (beside := os.fork()) == 0:
        for _ in range(work.passes):
            subprocess.run(commands(work, [DISK / "archived"])[0], check=True)
        os._exit(0)
    source = random.Random(3)
    order = list(range(work.rows))
    source.shuffle(order)
    bounds = list(accumulate((rank + 1) ** -0.9 for rank in range(work.rows)))
    base = sqlite3.connect(DISK / "rows.db", isolation_level=None)
    base.execute("pragma cache_size = 16")
    for _ in range(work.lookups):
        base.execute(LOOKUP, (order[bisect(bounds, source.random() * bounds[-1])],)).fetchone()
    assert os.waitpid(beside, 0)[1] == 0


def empty_caches(work: Work) -> None:
    """Leave nothing of the files in memory, nor their inodes: a cgroup is charged for those that it brings in.

    Programs are cached outside of it.
    """
    subprocess.run(["umount", DISK], check=True)
    subprocess.run(["mount", "/dev/vda", DISK], check=True)
    Path("/proc/sys/vm/drop_caches").write_text("3")
    for words in commands(work, [SMALL_FOLDER]):
        subprocess.run(words, stdout=subprocess.DEVNULL, check=False)


def one_run(work: Work, policy: str | None, record: Path | None = None) -> Counts:
    """Run it in a new cgroup, with an empty cache, under a policy or the kernel's default."""
    path = cgroup("foretold", work.limit)
    empty_caches(work)
    if policy:
        good("attach", obj(policy), path)
    recorder = Recorder(["cpolc", "record", path, "-o", record], OBJECTS / "recorder") if record else None
    begun = time.monotonic()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            (path / "cgroup.procs").write_text(str(os.getpid()))
            work.run()
            status = 0
        finally:
            os._exit(status)
    capacities = []
    while not (ended := os.wait4(pid, os.WNOHANG))[0]:
        time.sleep(SAMPLE_SECONDS)
        capacities += [int(line["capacity"]) for line in kernel_lines(path)]
    assert ended[1] == 0, "the workload failed"
    counts: Counts = {"pages": ended[2].ru_inblock * 512 // PAGE, "seconds": round(time.monotonic() - begun)}
    if recorder:
        counts["lost"] = int("were lost" in recorder.end())
    if policy:
        (line,) = kernel_lines(path)
        assert line["state"] == "attached", line
        counts |= {name: int(line[name]) for name in SHOWN}
        counts["capacity"] = capacities
        good("detach", path)
        nothing_left(path)
    remove(path)
    return counts


def measure(work: Work, policies: Sequence[str], record: Path) -> dict[str, Counts]:
    """Record the workload, then run it under each policy. `default`, the kernel's LRU, is the run that was recorded."""
    work.make()
    multi_generational = LRU_GEN.read_text()
    LRU_GEN.write_text("n")
    try:
        found = {"default": one_run(work, None, record)}
        found |= {policy: one_run(work, policy) for policy in policies}
    finally:
        LRU_GEN.write_text(multi_generational)
    no_bpf_left()
    return found


FEW = ("s3fifo", "arc", "lirs")
"""The best, one between, and one that is foretold as the best if readahead is left out."""


@check
def what_a_recording_foretells() -> dict[str, Counts]:
    """The host compares what the simulator says of the recording (test_foretold.py)."""
    work = Work("database", limit=16 << 20, files=16, most_pages=256, passes=4, lookups=8000)
    return measure(work, FEW, OUT / "foretold.rec")
