"""Runs in the machine (see guest.py): readers in a cgroup with a quota of cached pages, and beside it with memory.high.

Four readers read single pages of a file each, with a Zipf distribution, from a disk on the machine's clock. Arms:

- quota: `stdlib/quota`. A worker evicts; memory.max is far away.
- high, lru: memory.high as large as the quota and what else was charged there. `stdlib/lru` evicts as `quota` does.
- high: the same without a policy.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from bisect import bisect
from itertools import accumulate
from multiprocessing import Barrier, Process
from multiprocessing.synchronize import Barrier as BarrierType
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import cgroup, check, eventually, good, kernel_lines, main, no_complaint, nothing_left, obj, remove
from null_disk import make_timed_disk

PAGE = 4096
QUOTA = 4096
"""Pages: 16 MiB, half of what the readers read."""
READERS, FILE_PAGES = 4, 2048
WARM, READS = 8_000, 24_000
ALPHA = 0.8
LATENCY_NS, DEPTH = 200_000, 8
"""An SSD of the slower kind."""
LIMIT = 256 << 20
FOLDER = Path("/timed")


def pages_of(seed: int, number: int) -> list[int]:
    source = random.Random(seed)
    order = list(range(FILE_PAGES))
    source.shuffle(order)
    weights = list(accumulate(1 / (rank + 1) ** ALPHA for rank in range(FILE_PAGES)))
    return [order[bisect(weights, source.random() * weights[-1])] for _ in range(number)]


def stat(path: Path, name: str) -> int:
    return int(dict(line.split() for line in (path / "memory.stat").read_text().splitlines())[name])


def events(path: Path, name: str) -> int:
    return int(dict(line.split() for line in (path / "memory.events").read_text().splitlines())[name])


def stalled(path: Path) -> int:
    """Microseconds in which a task of the cgroup waited for memory."""
    some = (path / "memory.pressure").read_text().splitlines()[0]
    return int(some.rpartition("total=")[2])


def read_pages(path: Path, number: int, ready: BarrierType, done: BarrierType) -> None:
    (path / "cgroup.procs").write_text(str(os.getpid()))
    wanted = pages_of(number, WARM + READS)
    fd = os.open(FOLDER / f"f{number}", os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    for turn, page in enumerate(wanted):
        if turn == WARM:
            ready.wait()  # all are warm
            ready.wait()  # the parent has counted
        os.pread(fd, PAGE, page * PAGE)
    done.wait()
    os.close(fd)


def sectors(disk: Path) -> int:
    return int((Path("/sys/class/block") / disk.name / "stat").read_text().split()[2])


def work(path: Path, disk: Path) -> dict[str, float]:
    Path("/proc/sys/vm/drop_caches").write_text("3")
    ready, done = Barrier(READERS + 1), Barrier(READERS + 1)
    readers = [Process(target=read_pages, args=(path, number, ready, done)) for number in range(READERS)]
    for reader in readers:
        reader.start()
    ready.wait()
    before = (sectors(disk), events(path, "high"), stalled(path))
    begun = time.monotonic()
    ready.wait()
    done.wait()
    seconds = time.monotonic() - begun
    found = {
        "seconds": round(seconds, 4),
        "reads_per_second": round(READERS * READS / seconds, 1),
        "pages": (sectors(disk) - before[0]) // 8,
        "high": events(path, "high") - before[1],
        "stalled_us": stalled(path) - before[2],
        "file": stat(path, "file") // PAGE,
        "current": int((path / "memory.current").read_text()) // PAGE,
    }
    for reader in readers:
        reader.join()
        assert reader.exitcode == 0
    return found


def arm(name: str, policy: str, words: tuple[str, ...], high: int, disk: Path) -> dict[str, float]:
    path = cgroup(name, LIMIT)
    if high:
        (path / "memory.high").write_text(str(high * PAGE))
    if policy:
        good("attach", obj(policy), path, *words)
        eventually(lambda: kernel_lines(path)[0]["state"] == "attached", "it is not attached")
    found = work(path, disk)
    if policy:
        line = kernel_lines(path)[0]
        found |= {key: int(line[key]) for key in ("misses", "hits", "reclaim_done", "fallback")}
        good("detach", path)
        nothing_left(path)
    remove(path)
    print(name, found, file=sys.stderr, flush=True)
    return found


@check
def quota_and_high() -> dict[str, dict[str, float]]:
    disk = make_timed_disk("timed", 96, LATENCY_NS, 0, DEPTH)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(disk)], check=True)
    FOLDER.mkdir()
    subprocess.run(["mount", "-o", "noatime", str(disk), str(FOLDER)], check=True)
    for number in range(READERS):
        (FOLDER / f"f{number}").write_bytes(random.Random(number).randbytes(PAGE) * FILE_PAGES)
    subprocess.run(["sync"], check=True)
    found = {"quota": arm("quota", "quota", ("--set", f"limit={QUOTA}"), 0, disk)}
    beside = int(found["quota"]["current"] - found["quota"]["file"])
    found["high, lru"] = arm("highlru", "lru", (), QUOTA + beside, disk)
    found["high"] = arm("high", "", (), QUOTA + beside, disk)
    no_complaint()
    return found


main()
