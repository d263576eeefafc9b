"""Runs in the machine (see guest.py): a cgroup without a policy, beside one with a policy, good or hostile.

The neighbour (tests/bench/neighbour/neighbour.c) is measured alone, before anything is attached; and for each arm

- attached: when the policy is attached and has done nothing yet. That is what attaching any policy costs all others.
- beside: after the policy's load (load.c) has made a pass, and waits. What is more depends on what the policy did.
- work: reads beyond the limit while the load goes on. These figures are counts.

The first arm is the load without a policy. At the end the neighbour is measured alone again. Figures of instructions
mean something under QEMU's -icount only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import OBJECTS, PAIR, cgroup, check, eventually, good, main, no_complaint, obj, remove
from null_disk import make_null_disk

PLAN = json.loads((OBJECTS / "plan.json").read_text())
"""rounds, reads: of the neighbour. arms: each with name, loader (true: of cpolc), words (its options),
limit (MiB of the policy's cgroup) and unused (pages that it may leave unused)."""
NEAR, FAR = Path("/run/near"), Path("/run/far")
"""The files of the neighbour, and of the load."""
LIMIT = 8 << 20
"""Of the neighbour: 2,048 pages. Its largest file has four times as many."""
WORK_LIMIT = 6 << 20
"""Of the neighbour's workload, which has a file of 8,192 pages and an array of 2,048."""
STATISTICS = (Path("/proc/cache_ext/stat"), Path("/proc/prefetch_ext/stat"))
TOLD = (
    *(
        "state",
        "exit",
        "reason",
        "code",
        "added",
        "accessed",
        "owned",
        "evicted",
        "fallback",
        "offences",
        "overruns",
        "pinned",
        "pin_kept",
    ),
    *(
        "refused_admission",
        "ticks",
        "nr_lists",
        "asked",
        "prefetched",
        "ra_prefetched",
        "ra_used",
        "ra_wasted",
        "wasted",
    ),
    *("foreign", "ranges", "dropped", "flushed", "out_asked", "out_kept", "memory"),
)
NONE, NONE_AGAIN = "none", "none again"
"""The arm without a policy."""
KEYS_OFF = 12
"""Seconds until the kernel has switched the hooks off again. Else the next arm would be measured with them, too."""


def prepare() -> None:
    """Make the disks of both, and the swap device. They answer at once, without an interrupt."""
    for place, mib in ((NEAR, 96), (FAR, 32)):
        disk = make_null_disk(place.name, mib, 0, irqmode=0)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(disk)], check=True)
        place.mkdir()
        subprocess.run(["mount", "-o", "noatime", str(disk), str(place)], check=True)
    swap = make_null_disk("swap", 64, 0, irqmode=0)
    (Path("/sys/class/block") / swap.name / "queue/rotational").write_text("0")
    subprocess.run(["mkswap", str(swap)], check=True, capture_output=True)
    subprocess.run(["swapon", str(swap)], check=True)
    # Freed pages stay with their processor. When the allocator gives them back would depend on what was before.
    Path("/proc/sys/vm/percpu_pagelist_high_fraction").write_text("8")
    Path("/proc/sys/vm/page-cluster").write_text("0")  # the kernel's own swap readahead is no part of this
    making = cgroup("making", 1 << 30)
    neighbour(making, "make")
    remove(making)


def start(path: Path, *words: object) -> subprocess.Popen[str]:
    """Start a program of the plan's folder in the cgroup."""

    def enter() -> None:
        (path / "cgroup.procs").write_text(str(os.getpid()))

    command = [str(OBJECTS / str(words[0])), *map(str, words[1:])]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, preexec_fn=enter)


def neighbour(path: Path, what: str, *words: object) -> dict[str, float]:
    """Run the neighbour; return the figures that it prints."""
    program = start(path, "neighbour", what, NEAR, *words)
    told, _ = program.communicate()
    assert program.returncode == 0, (what, program.returncode)
    return {name: float(value) for name, _, value in (line.partition("\t") for line in told.splitlines())}


def measure(path: Path) -> dict[str, float]:
    return neighbour(path, "measure", PLAN["rounds"])


def work() -> dict[str, float]:
    """Counts of a workload beyond the limit, in a cgroup of its own."""
    path = cgroup(f"work{time.monotonic_ns()}", WORK_LIMIT)
    figures = neighbour(path, "work", PLAN["reads"])
    memory = dict(line.split() for line in (path / "memory.stat").read_text().splitlines())
    for key in ("workingset_refault_file", "workingset_refault_anon"):
        figures[key.removeprefix("workingset_").replace("_", ", ")] = int(memory[key])
    remove(path)
    return figures


def lines_of(path: Path) -> list[dict[str, str]]:
    """What the kernel says of the cgroup's policies, the last ended ones too."""
    lines = [line for file in STATISTICS for line in file.read_text().splitlines()]
    told = [{key: words or word for key, words, word in PAIR.findall(line)} for line in lines]
    return [line for line in told if line["cgroup"] == str(path.stat().st_ino)]


def told_of(path: Path) -> dict[str, str | int]:
    """What is known of the policy; its numbers that are not 0."""
    found: dict[str, str | int] = {}
    for line in lines_of(path):
        for key in TOLD:
            if line.get(key, "0") != "0":
                found[key] = int(line[key]) if line[key].lstrip("-").isdigit() else line[key]
    return found


@contextmanager
def attached(arm: dict[str, Any], path: Path) -> Iterator[None]:
    """The policy of the arm on the cgroup, if it has one; it is gone at the end."""
    if arm["name"] in (NONE, NONE_AGAIN):
        yield
        return
    runner = None
    if arm["loader"]:
        good("attach", obj(arm["name"]), path, *arm["words"])
    else:
        runner = start(path.parent, "cxrun", obj(arm["name"]), path)
        assert runner.stdout is not None
        said = runner.stdout.readline()
        while said and said != "attached\n":
            print(said, end="", file=sys.stderr)
            said = runner.stdout.readline()
        assert said == "attached\n", f"{arm['name']} is not attached: exit code {runner.wait()}"
    try:
        eventually(lambda: any(line["state"] == "attached" for line in lines_of(path)), "it is not attached")
        yield
    finally:
        if runner is None:
            good("detach", path)
        else:
            runner.communicate()
        eventually(lambda: all(line["state"] == "ended" for line in lines_of(path)), "it is still there")


def with_load(arm: dict[str, Any], other: Path, mine: Path) -> dict[str, Any]:
    """The neighbour while the policy's load waits, and while it goes on."""
    found: dict[str, Any] = {}
    neighbour(mine, "hold")
    held = neighbour_cached(mine)
    load = start(other, "load", FAR, NEAR / "shared", arm["unused"])
    assert load.stdin is not None and load.stdout is not None
    try:
        assert load.stdout.readline() == "ready\n", f"the load ended: {load.wait()}"
        found["cached"] = {"before": held, "after": neighbour_cached(mine)}
        found["beside"] = measure(mine)
        found["idle"] = told_of(other)
        load.stdin.write("\n")
        load.stdin.flush()
        found["work"] = work()
        events = (other / "memory.events").read_text()
        assert load.poll() is None and "oom_kill 0\n" in events, f"the load ended with {load.returncode}: {events!r}"
        found["told"] = told_of(other)
    finally:
        load.kill()
        load.communicate()
    return found


def neighbour_cached(mine: Path) -> int:
    program = start(mine, "neighbour", "cached", NEAR)
    told, _ = program.communicate()
    assert program.returncode == 0
    return int(told)


def one(arm: dict[str, Any], mine: Path) -> dict[str, Any]:
    other = cgroup("other", arm["limit"] << 20)
    try:
        with attached(arm, other):
            return {"attached": measure(mine), **with_load(arm, other, mine)}
    finally:
        (other / "memory.max").write_text("max")
        remove(other)
        time.sleep(KEYS_OFF)


def alone(mine: Path) -> dict[str, float]:
    neighbour(mine, "hold")
    return measure(mine)


@check
def beside() -> dict[str, Any]:
    prepare()
    mine = cgroup("neighbour", LIMIT)
    alone(mine)  # the first swap slots cost less, and the first reads more
    work()
    found: dict[str, Any] = {"alone": alone(mine), "arms": {}}
    without = [{"name": name, "limit": 8, "unused": 0} for name in (NONE, NONE_AGAIN)]
    for arm in (without[0], *PLAN["arms"], without[1]):
        begun = time.monotonic()
        try:
            found["arms"][arm["name"]] = one(arm, mine)
        except Exception:
            found["arms"][arm["name"]] = {"failure": traceback.format_exc()}
        found["arms"][arm["name"]]["seconds"] = round(time.monotonic() - begun, 2)
        print(arm["name"], found["arms"][arm["name"]], file=sys.stderr, flush=True)
    found["alone again"] = alone(mine)
    no_complaint()
    return found


if __name__ == "__main__":
    main()
