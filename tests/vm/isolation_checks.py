"""Runs in the machine (see guest.py): two cgroups with a workload each, alone and together, under several policies.

- points: reads single pages with a Zipf distribution; lfu suits it.
- scan: reads a file repeatedly; mru suits it.

Each cgroup's limit is a quarter or half of what its workload reads. This is a small version of cachebpf's Figure 10
(section 5.2). The figures are the pages that each process made the disk read.
"""

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
import sys
import time
from array import array
from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import DISK, LIMIT, big_file, cgroup, check, good, kernel_lines, main, no_bpf_left, nothing_left, obj, remove

SEED = 10
PAGE = 4096
POINTS, SCAN = 32 << 20, 24 << 20
READS = 25_000  # after as many that are not counted
PASSES = 4  # after one that is not counted
ALPHA = 0.8

Counts = dict[str, float]
"""Pages read from disk, reads of the application, seconds; and the policy's statistics, if there is one."""
TOLD = [
    "added",
    "accessed",
    "requests",
    "calls",
    "wanted",
    "proposed",
    "evicted",
    "refused_busy",
    "refused_referenced",
    "refused_other",
    "fallback",
    "stalled",
    "near_oom",
    "owned",
]


def zipf_pages() -> array[int]:
    """Return the pages to read: Zipf-distributed ranks, spread over the file."""
    source = random.Random(SEED)
    pages = list(range(POINTS // PAGE))
    source.shuffle(pages)
    bounds = list(accumulate((rank + 1) ** -ALPHA for rank in range(len(pages))))
    return array("I", (pages[bisect(bounds, source.random() * bounds[-1])] for _ in range(2 * READS)))


def points(file: Path) -> Iterator[int]:
    fd = os.open(file, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    for half in (ORDER[:READS], ORDER[READS:]):
        for page in half:
            os.pread(fd, 100, page * PAGE)
        yield READS


def scan(file: Path) -> Iterator[int]:
    fd = os.open(file, os.O_RDONLY)
    for passes in (1, PASSES):
        reads = 0
        for _ in range(passes):
            os.lseek(fd, 0, os.SEEK_SET)
            while os.read(fd, 1 << 16):
                reads += 1
        yield reads


def disk_pages() -> int:
    """Return the pages that this process has read from disk so far."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["read_bytes"]) // PAGE


class Running:
    """A workload in a child process in a cgroup. Its first part fills the cache; the rest waits for go()."""

    def __init__(self, path: Path, work: Iterator[int]) -> None:
        ours, self._go = os.pipe()
        self._told, theirs = os.pipe()
        self._pid = os.fork()
        if self._pid:
            os.close(ours)
            os.close(theirs)
            return
        status = 1
        try:
            (path / "cgroup.procs").write_text(str(os.getpid()))
            os.read(ours, 1)
            next(work)
            before, begun = disk_pages(), time.monotonic()
            reads = next(work)
            seconds = time.monotonic() - begun
            os.write(theirs, json.dumps({"pages": disk_pages() - before, "reads": reads, "seconds": seconds}).encode())
            status = 0
        finally:
            os._exit(status)

    def go(self) -> None:
        os.write(self._go, b"x")

    def wait(self) -> Counts:
        told = os.read(self._told, 4096)
        assert os.waitpid(self._pid, 0)[1] == 0, "the workload failed"
        os.close(self._go)
        os.close(self._told)
        counts: Counts = json.loads(told)
        return counts


ORDER = zipf_pages()
gc.disable()  # a collection in a forked child would copy its parent's memory, which is charged to the cgroup
gc.freeze()


def run(policies: dict[str, str | None]) -> dict[str, Counts]:
    """Run the workloads at the same time, each under its policy; None is the kernel's own."""
    second = DISK / "second"
    files = {
        "points": big_file("points", POINTS),
        "scan": big_file("second/scan" if second.is_mount() else "scan", SCAN),
    }
    works = {"points": points(files["points"]), "scan": scan(files["scan"])}
    groups = {name: cgroup(name, LIMIT) for name in policies}
    for name, policy in policies.items():
        if policy:
            good("attach", obj(policy), groups[name])
    running = {name: Running(groups[name], works[name]) for name in policies}
    for one in running.values():
        one.go()
    counts = {name: one.wait() for name, one in running.items()}
    for name, policy in policies.items():
        events = dict(line.split() for line in (groups[name] / "memory.events").read_text().splitlines())
        assert events["oom"] == "0", (name, events)
        if policy:
            (line,) = kernel_lines(groups[name])
            assert line["name"] == policy and line["state"] == "attached" and line["offences"] == "0", line
            assert int(line["evicted"]) > 1000, line
            counts[name] |= {item: int(line[item]) for item in TOLD}
            good("detach", groups[name])
            nothing_left(groups[name])
        remove(groups[name])
    no_bpf_left()
    return counts


@check
def isolation() -> dict[str, dict[str, Counts]]:
    second = DISK / "second"
    if Path("/dev/vdb").exists():  # separate disks, where the disk's speed matters
        second.mkdir(exist_ok=True)
        subprocess.run(["mount", "/dev/vdb", str(second)], check=True)
    found: dict[str, dict[str, Counts]] = {}
    found["alone, default"] = {**run({"points": None}), **run({"scan": None})}
    found["alone, each its own"] = {**run({"points": "lfu"}), **run({"scan": "mru"})}
    for policy in (None, "lfu", "mru"):
        found[f"together, {policy or 'default'}"] = run({"points": policy, "scan": policy})
    found["together, each its own"] = run({"points": "lfu", "scan": "mru"})
    return found


if __name__ == "__main__":
    main()
