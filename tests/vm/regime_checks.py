"""Runs in the machine (see guest.py): an array beyond its cgroup's limit, in several orders, under several policies.

FetchBPF, section 5.3. The orders come from the host, as files NAME.filled and NAME.read; touch_array reads them. The
plan says what the swap device is: the second disk, compressed memory, or memory that answers after a time as a device
in the network does. Each figure is a count but `seconds` and `latency_us`, which the plan may ask for.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import LOADER, OBJECTS, cgroup, check, eventually, good, main, no_complaint, obj, remove
from null_disk import make_null_disk

PLAN = json.loads((OBJECTS / "plan.json").read_text())
"""share: of the array's pages, those that the limit leaves. runs: regime, pages, arms in order. repeats: of each.
medium: the swap device. latency_ns: of null_blk. latencies: whether to take the time of each fault."""
SWAP_RA = Path("/sys/kernel/mm/swap/vma_ra_enabled")
CLUSTER = Path("/proc/sys/vm/page-cluster")
SLACK = 128
"""Pages more than that: those under writeback, page tables, what processors charge in advance."""
LATENCIES = ("mean", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p99.9")
"""What touch_array prints of the faults' times."""
KERNEL_ARMS = {"none": ("1", "0"), "vma": ("1", "3"), "cluster": ("0", "3")}
"""The kernel alone: no readahead, around the virtual page, around the slot. Values: vma_ra_enabled, page-cluster."""


@cache
def swap_device() -> Path:
    """Set the swap device up. A disk is said not to rotate, else vma_ra_enabled counts for nothing."""
    match PLAN["medium"]:
        case "null_blk":
            device = make_null_disk("swap", 256, PLAN["latency_ns"])
        case "zram":
            device = Path("/dev/zram0")
            if not device.exists():
                subprocess.run(["modprobe", "zram"], check=True)
            Path("/sys/block/zram0/disksize").write_text("256M")
        case _:
            device = Path("/dev/vdb")
    (Path("/sys/class/block") / device.name / "queue/rotational").write_text("0")
    return device


def vmstat() -> dict[str, int]:
    return {name: int(value) for name, value in map(str.split, Path("/proc/vmstat").read_text().splitlines())}


def sectors_read() -> int:
    return int(Path("/sys/class/block", swap_device().name, "stat").read_text().split()[2])


@contextmanager
def swap() -> Iterator[None]:
    """A fresh swap device, so that slots are given out alike in each run."""
    subprocess.run(["mkswap", str(swap_device())], check=True, capture_output=True)
    subprocess.run(["swapon", str(swap_device())], check=True)
    try:
        yield
    finally:
        subprocess.run(["swapoff", str(swap_device())], check=True)


def limit_of(path: Path, pages: int) -> int:
    """The limit in bytes: the share of the array, and what the program takes besides."""
    (path / "memory.max").write_text("max")
    program = start(path, "least", pages, *program_words())
    program.communicate("\n")
    peak = int((path / "memory.peak").read_text())
    return peak + (int(PLAN["share"] * pages) + SLACK) * 4096


def start(path: Path, regime: str, pages: int, *more: str, name: str = "touch_array") -> subprocess.Popen[str]:
    """Start the program, or a copy with another name, in the cgroup, and wait until it has filled its array.

    `more` are further words of the program.
    """
    words = [str(OBJECTS / name), str(pages), f"{OBJECTS}/{regime}.filled", f"{OBJECTS}/{regime}.read", *more]

    def enter() -> None:
        (path / "cgroup.procs").write_text(str(os.getpid()))

    program = subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=enter,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "filled\n", program.wait()
    return program


def program_words() -> tuple[str, ...]:
    return ("latencies",) if PLAN.get("latencies") else ()


def shrink(path: Path, limit: int) -> None:
    """Swap the cgroup out down to the limit, then set it.

    With a limit while the array is filled, a slow disk could mean OOM.
    """

    def is_below() -> bool:
        above = int((path / "memory.current").read_text()) - limit
        if above > 0:
            with suppress(OSError):  # EAGAIN: it was less
                (path / "memory.reclaim").write_text(str(above))
        return above <= 0

    eventually(is_below, f"{path} is not swapped out", 300)
    (path / "memory.max").write_text(str(limit))


def one_run(regime: str, arm: str, pages: int, limit: int) -> dict[str, Any]:
    by_vma, window = KERNEL_ARMS.get(arm, KERNEL_ARMS["vma"])
    SWAP_RA.write_text(by_vma)
    CLUSTER.write_text(window)
    path = cgroup(f"r{time.monotonic_ns()}")
    (path / "memory.max").write_text("max")
    with swap():
        if arm not in KERNEL_ARMS:
            good("attach", obj(arm), path)
        program = start(path, regime, pages, *program_words())
        shrink(path, limit)
        before, sectors = vmstat(), sectors_read()
        told, _ = program.communicate("\n")
        assert program.returncode == 0
        after = vmstat()
        major, minor, seconds, *latencies = told.split()
        figures: dict[str, Any] = {"major": int(major), "minor": int(minor), "seconds": float(seconds)}
        if latencies:
            figures["latency_us"] = {name: int(ns) / 1000 for name, ns in zip(LATENCIES, latencies, strict=True)}
        figures |= {key: after[key] - before[key] for key in ("swap_ra", "swap_ra_hit", "pswpin")}
        figures["sectors"] = sectors_read() - sectors
        if arm not in KERNEL_ARMS:
            figures |= policy_figures(path, arm)
    events = dict(line.split() for line in (path / "memory.events").read_text().splitlines())
    assert events["oom"] == "0", events
    remove(path)
    return figures


def policy_figures(path: Path, arm: str) -> dict[str, float]:
    """What the kernel counted. `stopped`: the percentage that was wasted, for which the policy was stopped, or 0."""
    told = json.loads(good("stat", "--json", path))
    assert told["kind"] == "prefetch" and told["name"] == arm, told
    assert told["state"] == "attached" or told["exit"] == "watchdog", told
    good("detach", path)
    eventually(lambda: not attached(path), "the policy is still there")
    keys = ("faults", "cached", "asked", "prefetched", "used", "late", "wasted", "out_of_range", "absent", "foreign")
    return {key: told[key] for key in keys} | {"stopped": told.get("code", 0)}


def attached(path: Path) -> list[str]:
    lines = Path("/proc/prefetch_ext/stat").read_text().splitlines()
    number = f"cgroup={path.stat().st_ino} "
    return [line for line in lines if line.startswith(number) and " state=ended " not in line]


@check
def regimes() -> dict[str, dict[str, list[dict[str, Any]]]]:
    assert Path(LOADER).exists()
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for regime, pages, arms in PLAN["runs"]:
        probe = cgroup("probe")
        limit = limit_of(probe, pages)
        remove(probe)
        found[regime] = {}
        for arm in arms:
            runs = found[regime].setdefault(arm, [])
            runs += [one_run(regime, arm, pages, limit) for _ in range(PLAN["repeats"])]
            print(regime, arm, runs, file=sys.stderr, flush=True)
    no_complaint()
    return found


if __name__ == "__main__":
    main()
