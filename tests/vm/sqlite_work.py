"""A program that uses SQLite: sqlite_work.py BASE read|read-each|write.

`read` looks up rows at random, a hundred in a transaction; `read-each`, one in a transaction; `write` replaces rows at
random, in transactions that are on the disk when they end. SQLite's own cache is small, and it maps nothing, so that it
reads and writes by system calls. What it did goes to /run/program.json.
"""

import json
import random
import sqlite3
import sys
import time
from pathlib import Path

ROWS_READ, TRANSACTIONS, ROWS_WRITTEN = 1200, 60, 5
PAGE, CACHE_PAGES = 4096, 256
ARM = Path("/sys/fs/cgroup/arm/memory.stat")


def moved() -> tuple[int, int]:
    """Bytes that this process has asked to read and to write."""
    lines = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(lines["rchar"]), int(lines["wchar"])


def work(base: sqlite3.Connection, part: str) -> None:
    source = random.Random(7)
    rows = base.execute("select max(id) from rows").fetchone()[0]
    if part.startswith("read"):
        together = 1 if part == "read-each" else 100
        for _ in range(ROWS_READ // together):
            base.execute("begin")
            for _ in range(together):
                base.execute("select data from rows where id = ?", (source.randint(1, rows),)).fetchone()
            base.execute("commit")
        return
    for _ in range(TRANSACTIONS):
        base.execute("begin")
        for _ in range(ROWS_WRITTEN):
            row = source.randint(1, rows)
            base.execute("update rows set data = ? where id = ?", (source.randbytes(PAGE - 300), row))
        base.execute("commit")


def main() -> None:
    base = sqlite3.connect(sys.argv[1], isolation_level=None)
    for name, value in {"cache_size": CACHE_PAGES, "mmap_size": 0, "synchronous": "full"}.items():
        base.execute(f"pragma {name} = {value}")
    base.execute("select count(*) from sqlite_schema").fetchone()
    before, begun = moved(), time.monotonic()
    work(base, sys.argv[2])
    seconds, after = time.monotonic() - begun, moved()
    told = {}
    if ARM.exists():
        told = dict(line.split() for line in ARM.read_text().splitlines())
    result = {
        "seconds": seconds,
        "asked_read": after[0] - before[0],
        "asked_written": after[1] - before[1],
        "needs": int(told.get("anon", 0)) + int(told.get("kernel", 0)),
    }
    Path("/run/program.json").write_text(json.dumps(result))


main()
