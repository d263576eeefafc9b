"""Runs in the machine (see guest.py): LevelDB under YCSB, and a file search, on one disk (tests/bench/store.cc).

FOLDER/plan.json names the arm. The disk holds `store` and `tree`, copied from the second disk. Each workload has a
cgroup. The store's limit leaves `cache_mib` beside the memory that the program itself takes. Libraries are charged to
others. Seconds are the machine's, on a disk that waits by its clock (null_disk.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import OBJECTS, cgroup, check, eventually, good, kernel_lines, main, no_complaint, obj, remove
from null_disk import make_timed_disk
from resident import in_memory, mapped

KERNELS_OWN = {"default": "n", "mglru": "y"}
"""Arms without a policy: the value of lru_gen/enabled."""
MOUNT = Path("/run/store")
PROGRAMS = ("usr/bin", "lib", "lib64", "usr/lib")
"""Folders of the disk, which has ripgrep and its libraries."""


class Plan(TypedDict):
    """What tests/bench/store asks for."""

    policies: dict[str, str]
    """By workload: `store`, `search`, or both."""
    words: list[str]
    """Of `store run FOLDER`."""
    pattern: str
    passes: int
    cache_mib: dict[str, float]
    dispatch: bool
    disk_mib: int
    latency_ns: int
    mib_per_second: int
    depth: int


PLAN: Plan = json.loads((OBJECTS / "plan.json").read_text())


def make_disk() -> None:
    device = make_timed_disk("store", PLAN["disk_mib"], PLAN["latency_ns"], PLAN["mib_per_second"], PLAN["depth"])
    words = ["if=/dev/vdb", f"of={device}", "bs=1M", "iflag=direct", "oflag=direct", "conv=sparse", "status=none"]
    subprocess.run(["dd", *words], check=True)
    MOUNT.mkdir()
    subprocess.run(["mount", "-o", "noatime", device, MOUNT], check=True)


def programs() -> list[Path]:
    return [file for folder in PROGRAMS for file in (MOUNT / folder).rglob("*") if file.is_file()]


class Work:
    """A process in a cgroup, that waits for a line before its work begins."""

    def __init__(self, name: str, words: list[str | Path], policy: str) -> None:
        self.policy = policy
        self.path = cgroup(name)
        (self.path / "memory.max").write_text("max")
        self.process = subprocess.Popen(
            [str(word) for word in words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: (self.path / "cgroup.procs").write_text(str(os.getpid())),
        )
        self.name = name

    def line(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, f"{self.name} has ended: {self.process.wait()}"
        return line

    def govern(self, scanners: list[str]) -> None:
        """Set the limit, and attach the policy."""
        stat = dict(line.split() for line in (self.path / "memory.stat").read_text().splitlines())
        self.own = int(stat["anon"]) + int(stat["kernel"])
        (self.path / "memory.max").write_text(str(self.own + int(PLAN["cache_mib"][self.name] * 2**20)))
        if self.policy not in KERNELS_OWN:
            good("attach", obj(self.policy), self.path)
            for thread in scanners if self.policy == "get_scan" else []:
                good("input", self.path, "scanners", "add", thread)

    def go(self) -> None:
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self) -> dict[str, Any]:
        """Wait for the process; return what it printed, and what the kernel counted."""
        figures: dict[str, Any] = json.loads(self.line())
        assert self.process.wait() == 0
        events = dict(line.split() for line in (self.path / "memory.events").read_text().splitlines())
        assert events["oom"] == "0", events
        figures["own_mib"] = self.own / 2**20
        stat = dict(line.split() for line in (self.path / "memory.stat").read_text().splitlines())
        figures["cached_mib"] = int(stat["file"]) / 2**20
        if self.policy not in KERNELS_OWN:
            (line,) = kernel_lines(self.path)
            assert line["name"] == self.policy and line["state"] == "attached", line
            figures |= {key: int(line[key]) for key in ("evicted", "fallback", "owned", "offences")}
            good("detach", self.path)
            eventually(lambda: not kernel_lines(self.path), "the policy is still there")
        remove(self.path)
        return figures


@contextmanager
def dispatch(wanted: bool) -> Iterator[dict[str, int]]:
    """Tell user space of each event meanwhile; the yielded figures are there afterwards."""
    figures: dict[str, int] = {}
    if not wanted:
        yield figures
        return
    words = [str(OBJECTS / "dispatch"), str(OBJECTS / "dispatch.bpf.o")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as drain:
        assert drain.stdout and drain.stdout.readline() == "attached\n"
        yield figures
        drain.terminate()
        figures |= json.loads(drain.stdout.readline())


def store_of(policy: str) -> tuple[Work, list[str]]:
    """Start the store; also return the threads that scan."""
    work = Work("store", [OBJECTS / "store", "run", MOUNT / "store", *PLAN["words"]], policy)
    ready, *scanners = work.line().split()
    assert ready == "ready"
    return work, scanners


def search_of(policy: str) -> Work:
    """Start the search: passes through the tree, after one that is not counted; its own process counts its reads."""
    words = [sys.executable, "-I", Path(__file__).with_name("search_passes.py"), MOUNT, PLAN["pattern"]]
    work = Work("search", [*words, str(PLAN["passes"])], policy)
    assert work.line() == "ready\n"
    return work


@check
def store() -> dict[str, dict[str, Any]]:
    make_disk()
    policies = PLAN["policies"]
    (enabled,) = {KERNELS_OWN.get(policy, "n") for policy in policies.values()}
    Path("/sys/kernel/mm/lru_gen/enabled").write_text(enabled)
    with in_memory(OBJECTS / "store", Path(sys.executable)), mapped(programs()):
        works, scanners = {}, list[str]()
        if "store" in policies:
            works["store"], scanners = store_of(policies["store"])
        if "search" in policies:
            works["search"] = search_of(policies["search"])
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3")
        for work in works.values():
            work.govern(scanners)
        with dispatch(PLAN["dispatch"]) as events:
            for work in works.values():
                work.go()
            found: dict[str, dict[str, Any]] = {name: work.end() for name, work in works.items()}
        if PLAN["dispatch"]:
            found["dispatch"] = dict(events)
    no_complaint()
    return found


if __name__ == "__main__":
    main()
