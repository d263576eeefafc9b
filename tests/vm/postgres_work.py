"""PostgreSQL, and pgbench that asks it: postgres_work.py CLUSTER read|write SEED.

`read` looks up rows by their key; `write` is pgbench's simple-update, and a checkpoint at the end. Counted are what
the server asked to read and to write, what the disk did, and the seconds. All go to /run/program.json.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from disk_counts import SECTOR, counted
from postgres_cluster import pgbench, served, statement

READS, WRITES, WRITERS = 2000, 1200, 4
RUN = Path("/run/postgres")
CGROUP = Path("/sys/fs/cgroup") / Path("/proc/self/cgroup").read_text().strip().removeprefix("0::/")


def moved() -> dict[str, int]:
    """Bytes that the server's processes have asked to read and to write; those that have ended count as the first's."""
    asked = {"rchar": 0, "wchar": 0}
    for pid in (CGROUP / "cgroup.procs").read_text().split():
        if Path(f"/proc/{pid}/comm").read_text() != "postgres\n":
            continue
        for line in Path(f"/proc/{pid}/io").read_text().splitlines():
            name, value = line.split(": ")
            if name in asked:
                asked[name] += int(value)
    return {"asked_read": asked["rchar"], "asked_written": asked["wchar"]}


def done(place: Path) -> dict[str, int]:
    """What the disk that holds `place` has done; in bytes."""
    reads, read, writes, written = counted(place)
    return {"reads": reads, "read": read * SECTOR, "writes": writes, "written": written * SECTOR}


def work(part: str, seed: str) -> float:
    """Return the seconds, without those that clients take to connect."""
    options = ["-M", "prepared", f"--random-seed={seed}"]
    if part == "read":
        return pgbench(RUN, *options, "-S", "-t", str(READS))
    seconds = pgbench(RUN, *options, "-N", f"--client={WRITERS}", "-t", str(WRITES // WRITERS))
    return seconds + statement(RUN, "checkpoint;")


def main() -> None:
    data, part, seed = Path(sys.argv[1]), *sys.argv[2:]
    RUN.mkdir(exist_ok=True)
    shutil.chown(RUN, "postgres", "postgres")
    with served(data, RUN):
        before = {**moved(), **done(data)}
        seconds = work(part, seed)
        after = {**moved(), **done(data)}
        memory = dict(line.split() for line in (CGROUP / "memory.stat").read_text().splitlines())
    result = {
        "seconds": seconds,
        "transactions": READS if part == "read" else WRITES,
        **{name: after[name] - before[name] for name in after},
        "needs": sum(int(memory[name]) for name in ("anon", "kernel", "shmem")),
        "cache": int(memory["file"]) - int(memory["shmem"]),
    }
    Path("/run/program.json").write_text(json.dumps(result))


main()
