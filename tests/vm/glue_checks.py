"""Runs in the machine (see guest.py): policies under the workloads of glue_workloads.py.

    glue_checks.py LOADER OBJECTS

Each policy in OBJECTS is a check; replay_reads and the traces are there, too. The figures are the pages that a workload
made the disk read, and some of the policy's statistics. CPOL_MODULE names a module to load first.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from glue_workloads import CAPACITY, FILE_PAGES, PAGE, WORKLOADS, told
from guest import CHECKS, OBJECTS, big_file, cgroup, good, kernel_lines, main, nothing_left, obj, remove

SCANNERS = {"get_scan": "scanners", "admit": "bypass"}
"""Inputs that hold the scanning thread, by policy."""
RUNS = {"admit": 5, "noop": 5}
"""How often a policy's workloads run, if not once; the run in the middle counts. The kernel's own LRU evicts for these,
which varies between runs."""
SHOWN = ("misses", "hits", "evicted", "owned", "capacity", "fallback", "offences", "nomem")

Counts = dict[str, int]


def attach(policy: str, path: Path, scanner: str, words: list[str]) -> None:
    good("attach", obj(policy), path, *words)
    if policy in SCANNERS:
        good("input", path, SCANNERS[policy], "add", scanner)


def run(policy: str, workload: str) -> Counts:
    """Run a workload in a new cgroup, with an empty page cache.

    The reader's own memory is charged to the root: it is allocated before the reader joins the cgroup.
    """
    path, file = cgroup("glue", CAPACITY * PAGE), big_file("whole", FILE_PAGES * PAGE)
    words = (OBJECTS / "replay_reads", file, OBJECTS / workload)
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdin and reader.stdout
        scanner = reader.stdout.readline().strip()
        Path("/proc/sys/vm/drop_caches").write_text("3")
        attach(policy, path, scanner, told(policy, workload, file, OBJECTS))
        (path / "cgroup.procs").write_text(str(reader.pid))
        reader.stdin.write("go\n")
        reader.stdin.flush()
        pages = int(reader.stdout.readline())
    assert reader.returncode == 0
    (line,) = kernel_lines(path)
    assert line["name"] == policy[:15] and line["state"] == "attached", line  # the kernel keeps no more of a name
    good("detach", path)
    nothing_left(path)
    remove(path)
    return {"pages": pages, **{item: int(line[item]) for item in SHOWN}}


def works(policy: str) -> dict[str, Counts]:
    return {workload: middle([run(policy, workload) for _ in range(RUNS.get(policy, 1))]) for workload in WORKLOADS}


def middle(runs: list[Counts]) -> Counts:
    """Return the run with the median of the pages; of an even number the upper one."""
    return sorted(runs, key=lambda one: one["pages"])[len(runs) // 2]


for policy in sorted(found.name.removesuffix(".bpf.o") for found in OBJECTS.glob("*.bpf.o")):
    CHECKS[policy] = partial(works, policy)

if __name__ == "__main__":
    Path("/sys/kernel/mm/lru_gen/enabled").write_text("n")
    main()
