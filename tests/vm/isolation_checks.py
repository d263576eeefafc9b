"""Runs in the machine (guest.py says how): two cgroups, a workload each, alone and side by side, with several policies.

points: single pages by a Zipf distribution, which wants to keep what is read often (lfu). scan: a file read whole, over
and over, which wants to keep any part of it (mru). Each has a limit of its own, a quarter or half of what it reads. The
set-up is that of cache_ext (SOSP '25), section 5.2, in small. What is counted is what a process had the disk read.
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

sys.path.insert(0, str(Path(__file__).parent))  # python -I leaves it out

from guest import DISK, LIMIT, big_file, cgroup, check, good, kernel_lines, main, no_bpf_left, nothing_left, obj, remove

SEED = 10
PAGE = 4096
POINTS, SCAN = 32 << 20, 24 << 20
READS = 25_000  # and as many before, which are not counted
PASSES = 4  # after one that is not counted
ALPHA = 0.8

Counts = dict[str, float]
"""Pages that the disk was read for, reads of the application, seconds; and what the policy did, if there is one."""
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
    """The pages to read: ranks by Zipf, spread over the file."""
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
    """What this process had the disk read until now."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["read_bytes"]) // PAGE


class Running:
    """A workload in a process of its own in a cgroup; it waits for go(). Its first part only fills the cache."""

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
gc.disable()  # a forked child that collects copies its parent's memory, which counts against its limit
gc.freeze()


def run(policies: dict[str, str | None]) -> dict[str, Counts]:
    """The named workloads at the same time, each under its policy (None: the kernel's own)."""
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
    if Path("/dev/vdb").exists():  # a disk each, where the disk's speed matters
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
