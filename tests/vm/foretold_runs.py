"""Workloads recorded under the kernel's default, then run under policies (foretold_works.py has them).

The recording is in the exchange folder; the host simulates it (foretold.py). What a policy missed is the
kernel's count, and `pages` is what the workload's processes made the disk read: unread readahead is in it, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from foretold_works import PAGE, SMALL_FOLDER, Work, commands, programs
from guest import DISK, OBJECTS, cgroup, check, good, kernel_lines, no_bpf_left, nothing_left, obj, remove
from recorder import Recorder

SHOWN = ("misses", "hits", "evicted", "fallback", "refaults", "owned", "offences", "nomem", "memory", "dropped", "left")
SAMPLE_SECONDS = 0.2
PREFETCHING = Path("/proc/prefetch_ext/stat")
LRU_GEN = Path("/sys/kernel/mm/lru_gen/enabled")
OUT = Path(os.environ["CPOL_EXCHANGE"])

Counts = dict[str, int | list[int]]


@dataclass(frozen=True)
class Attached:
    """A policy, with what it is told: settings as `--set` takes them, and an input's values."""

    policy: str
    settings: tuple[str, ...] = ()
    input: str = ""
    values: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    """Parts of the workload, whose threads' ids are values, too."""

    def attach(self, path: Path, threads: dict[str, int]) -> None:
        words = [word for setting in self.settings for word in ("--set", setting)]
        if self.input:
            values = [*self.values, *(str(threads[part]) for part in self.parts)]
            words += ["--input", f"{self.input}={','.join(values)}"]
        good("attach", obj(self.policy), path, *words)


def empty_caches(work: Work) -> None:
    """Leave nothing of the files in memory, nor their inodes: a cgroup is charged for those that it brings in.

    Programs are cached outside of it.
    """
    work.remove_logs()
    subprocess.run(["umount", DISK], check=True)
    subprocess.run(["mount", "/dev/vda", DISK], check=True)
    Path("/proc/sys/vm/drop_caches").write_text("3")
    for words in commands(work, [SMALL_FOLDER]):
        subprocess.run(words, stdout=subprocess.DEVNULL, check=False)
    for path in programs(work):
        path.read_bytes()


class Child:
    """The workload in a process of the cgroup. It waits until `begin`; `threads` are its parts'."""

    def __init__(self, work: Work, path: Path) -> None:
        told, tell = os.pipe()
        wait, go = os.pipe()
        self._go = go
        self.pid = os.fork()
        if self.pid == 0:

            def meet(threads: dict[str, int]) -> None:
                os.write(tell, json.dumps(threads).encode() + b"\n")
                os.read(wait, 1)

            status = 1
            os.close(told)
            try:
                (path / "cgroup.procs").write_text(str(os.getpid()))
                work.run(meet)
                status = 0
            finally:
                os._exit(status)
        for each in (tell, wait):
            os.close(each)
        with os.fdopen(told) as lines:
            self.threads: dict[str, int] = json.loads(lines.readline())

    def begin(self) -> None:
        os.write(self._go, b"g")
        os.close(self._go)


def one_run(
    work: Work, attached: Attached | None, record: Path | None = None, threads: dict[str, int] | None = None
) -> Counts:
    """Run it in a new cgroup, with an empty cache, under a policy or the kernel's default.

    `threads` gets the ids of the threads that took part.
    """
    path = cgroup("foretold", work.limit)
    empty_caches(work)
    recorder = Recorder(["cpolc", "record", path, "-o", record], OBJECTS / "recorder") if record else None
    child = Child(work, path)
    if threads is not None:
        threads.update(child.threads)
    if attached:
        attached.attach(path, child.threads)
    begun = time.monotonic()
    child.begin()
    capacities = []
    while not (ended := os.wait4(child.pid, os.WNOHANG))[0]:
        time.sleep(SAMPLE_SECONDS)
        capacities += [int(line["capacity"]) for line in kernel_lines(path) if "capacity" in line]
    assert ended[1] == 0, "the workload failed"
    counts: Counts = {"pages": ended[2].ru_inblock * 512 // PAGE, "seconds": round(time.monotonic() - begun)}
    if recorder:
        counts["lost"] = int("were lost" in recorder.end())
    if attached:
        (line,) = kernel_lines(path) or kernel_lines(path, PREFETCHING)
        assert line["state"] == "attached", line
        counts |= {name: int(line[name]) for name in SHOWN if name in line}
        counts["capacity"] = capacities
        good("detach", path)
        nothing_left(path)
    remove(path)
    return counts


@contextmanager
def without_generations() -> Iterator[None]:
    """The kernel's default is its LRU of two lists."""
    before = LRU_GEN.read_text()
    LRU_GEN.write_text("n")
    try:
        yield
    finally:
        LRU_GEN.write_text(before)
    no_bpf_left()


def measure(work: Work, policies: Iterable[str], record: Path) -> dict[str, Counts]:
    """Record the workload, then run it under each policy. `default`, the kernel's LRU, is the run that was recorded."""
    work.make()
    with without_generations():
        found = {"default": one_run(work, None, record)}
        return found | {policy: one_run(work, Attached(policy)) for policy in policies}


FEW = ("s3fifo", "arc", "lirs")
"""The best, one between, and one that is foretold as the best if readahead is left out."""


@check
def what_a_recording_foretells() -> dict[str, Counts]:
    """The host compares what the simulator says of the recording (test_foretold.py)."""
    work = Work("database", limit=16 << 20, files=16, most_pages=256, passes=4, lookups=8000)
    return measure(work, FEW, OUT / "foretold.rec")
