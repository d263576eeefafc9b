"""Runs in the machine (see guest.py): a cgroup without a policy swaps beside one whose policy prefetches, or attacks.

The other cgroup reads all the time while the neighbour reads its array once. Each figure is a count.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import cgroup, check, eventually, good, main, no_complaint, obj, remove
from regime_checks import PLAN, attached, limit_of, shrink, start, swap

NEIGHBOUR, OTHER = 4096, 2048
"""Pages of the arrays. One fifth of each fits into its cgroup."""
ORDERS = ("sequential-sequential", "random-stride")
"""Of the neighbour: the kernel's own readahead suits the first, and nothing suits the second."""
ARMS = ("none", *PLAN["policies"])
"""Of the other."""


def prepare() -> tuple[int, int]:
    """Return the limits of the neighbour and the other."""
    Path("/sys/class/block/vdb/queue/rotational").write_text("0")
    limits = []
    for pages in (NEIGHBOUR, OTHER):
        probe = cgroup("probe")
        limits.append(limit_of(probe, pages))
        remove(probe)
    return limits[0], limits[1]


def group(name: str) -> Path:
    path = cgroup(f"{name}{time.monotonic_ns()}")
    (path / "memory.max").write_text("max")
    return path


def swapped_out(path: Path, order: str, pages: int, limit: int, *more: str) -> subprocess.Popen[str]:
    """A program in the cgroup whose array is beyond the limit; it waits before it reads."""
    program = start(path, order, pages, *more)
    shrink(path, limit)
    return program


@contextmanager
def the_other(arm: str, limit: int) -> Iterator[Path]:
    """A cgroup that reads its array at random, again and again, under its policy."""
    path = group("other")
    if arm != "none":
        good("attach", obj(arm), path)
    program = swapped_out(path, "other", OTHER, limit, "for-ever")
    assert program.stdin is not None
    program.stdin.write("\n")
    program.stdin.flush()
    try:
        yield path
        assert program.poll() is None, "it was to go on until the neighbour is done"
    finally:
        program.kill()
        program.communicate()
        if arm != "none":
            good("detach", path)
            eventually(lambda: not attached(path), "the policy is still there")
        remove(path)


def told_of(path: Path) -> dict[str, int | str]:
    """The kernel's counts of the policy, also if it was stopped."""
    told = json.loads(good("stat", "--json", path))
    keys = ("faults", "asked", "prefetched", "used", "wasted", "out_of_range", "absent", "foreign")
    return {key: told[key] for key in keys} | {"exit": told.get("exit", ""), "code": told.get("code", 0)}


def beside(order: str, arm: str, limits: tuple[int, int]) -> dict[str, int | str]:
    """The neighbour's faults while the other reads, and what the other's policy did."""
    with swap():
        path = group("neighbour")
        program = swapped_out(path, order, NEIGHBOUR, limits[0])
        with the_other(arm, limits[1]) as other:
            if arm != "none":
                eventually(lambda: int(told_of(other)["asked"]) > 50, "the other does not read", 300)
            told, _ = program.communicate("\n")
            assert program.returncode == 0
            major, minor, _ = told.split()
            if arm == "wild":
                eventually(lambda: told_of(other)["exit"] != "", f"it is not stopped: {told_of(other)}", 300)
            counts = told_of(other) if arm != "none" else {}
        remove(path)
    return {"major": int(major), "minor": int(minor), **counts}


@check
def a_neighbour_reads_beside() -> dict[str, dict[str, list[dict[str, int | str]]]]:
    limits = prepare()
    found: dict[str, dict[str, list[dict[str, int | str]]]] = {order: {} for order in ORDERS}
    for order in ORDERS:
        for _ in range(PLAN["repeats"]):  # in turn, so that what changes in time is in all of them
            for arm in ARMS:
                found[order].setdefault(arm, []).append(beside(order, arm, limits))
                print(order, arm, found[order][arm][-1], file=sys.stderr, flush=True)
    no_complaint()
    return found


if __name__ == "__main__":
    main()
