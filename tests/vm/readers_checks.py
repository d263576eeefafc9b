"""Runs in the machine (guest.py): how often files are open, ages of folios, and a log with a writer and two readers."""

from __future__ import annotations

import json
import mmap
import os
import random
import struct
import sys
import time
from multiprocessing import Process
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import DISK, cgroup, check, good, kernel_lines, main, no_complaint, nothing_left, obj, remove, run_in
from life_common import PAGE, small_file

ONCE, TWICE, BOTH_WAYS, AGAIN = 40, 50, 60, 70
"""Pages of files: open for reading once, twice, open for reading and writing only, and read again after a second."""

CHUNK = 16 * PAGE
LOG, ORDERS = 20 << 20, 512
"""Bytes of the log, more than the limit of 12 MiB; pages that the service reads."""
BEHIND = 16 * CHUNK
"""The writer waits for readers that are so far behind."""


def fresh(name: str, pages: int) -> Path:
    file = small_file(name, pages)
    Path("/proc/sys/vm/drop_caches").write_text("3")
    return file


def read_pages(handle: int, pages: int) -> None:
    for page in range(pages):
        os.pread(handle, PAGE, page * PAGE)


def lists(path: Path) -> dict[str, int]:
    stat = json.loads(good("stat", path, "--json"))
    return dict(zip(stat["list_names"], stat["lists"], strict=True))


def gone(path: Path) -> None:
    good("detach", path)
    nothing_left(path)
    remove(path)
    no_complaint()


@check
def readers_and_ages() -> dict[str, int]:
    path = cgroup("told")
    once, twice = fresh("once", ONCE), fresh("twice", TWICE)
    both, again = fresh("both", BOTH_WAYS), fresh("again", AGAIN)
    good("attach", obj("told"), path)
    before = lists(path)

    def work() -> None:
        read_pages(os.open(once, os.O_RDONLY), ONCE)
        os.open(twice, os.O_RDONLY)
        os.open(twice, os.O_WRONLY)
        read_pages(os.open(twice, os.O_RDONLY), TWICE)
        read_pages(os.open(both, os.O_RDWR), BOTH_WAYS)
        handle = os.open(again, os.O_RDONLY)
        read_pages(handle, AGAIN)
        time.sleep(1)
        read_pages(handle, AGAIN)

    run_in(path, work)
    found = {name: pages - before[name] for name, pages in lists(path).items()}
    print(found, file=sys.stderr, flush=True)
    assert found["old"] >= AGAIN and found["two"] >= TWICE, found
    assert ONCE <= found["one"] < ONCE + AGAIN, found  # Python's own files are so, too
    assert found["queue"] >= BOTH_WAYS, found
    gone(path)
    return found


class Positions:
    """How far two readers are, in memory that processes share."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, PAGE)

    def __getitem__(self, reader: int) -> int:
        return int(struct.unpack_from("Q", self._shared, 8 * reader)[0])

    def __setitem__(self, reader: int, position: int) -> None:
        struct.pack_into("Q", self._shared, 8 * reader, position)


def write_log(log: Path, orders: Path, positions: Positions) -> None:
    """Append to the log, and read orders at random beside that."""
    source, data = random.Random(1), bytes(range(256)) * (CHUNK // 256)
    handle, served = os.open(log, os.O_WRONLY | os.O_APPEND), os.open(orders, os.O_RDONLY)
    for done in range(CHUNK, LOG + CHUNK, CHUNK):
        os.write(handle, data)
        for _ in range(16):
            os.pread(served, PAGE, source.randrange(ORDERS) * PAGE)
        if done % (16 * CHUNK) == 0:
            os.fdatasync(handle)
        while done - min(positions[0], positions[1]) > BEHIND:
            time.sleep(0.002)


def read_log(log: Path, reader: int, positions: Positions) -> None:
    handle = os.open(log, os.O_RDONLY)
    while positions[reader] < LOG:
        if data := os.read(handle, CHUNK):
            positions[reader] += len(data)
        else:
            time.sleep(0.002)


def misses_of(orders: Path) -> int:
    """Pages of orders that are not cached."""
    with orders.open("rb") as file:
        before = pages_read()
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        read_pages(file.fileno(), ORDERS)
        return pages_read() - before


def pages_read() -> int:
    """Of the disk, since the machine began."""
    return int(Path("/sys/class/block/vda/stat").read_text().split()[2]) * 512 // PAGE


@check
def behind_the_last_reader() -> dict[str, int]:
    """The log goes, and what the service reads stays."""
    path, orders, log = cgroup("shipped"), fresh("orders", ORDERS), DISK / "log"
    log.write_bytes(b"")
    good("attach", obj("last_reader"), path)
    positions = Positions()
    works = (
        lambda: write_log(log, orders, positions),
        lambda: read_log(log, 0, positions),
        lambda: read_log(log, 1, positions),
    )
    processes = [Process(target=run_in, args=(path, work)) for work in works]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    line = kernel_lines(path)[0]
    found = {**lists(path), "missed": misses_of(orders), "evicted": int(line["evicted"])}
    found |= {name: int(line[name]) for name in ("fallback", "offences")}
    print(found, file=sys.stderr, flush=True)
    assert found["passed"] > found["coming"] and found["evicted"] > LOG // PAGE // 4, found
    assert found["missed"] < ORDERS // 10 and not found["offences"], found
    gone(path)
    return found


main()
