"""Checks in the machine (attach_checks.py): loader, kernel and policy agree on a cgroup's capacity."""

from __future__ import annotations

import struct
import time
from pathlib import Path

from attach_ghosts import sizes_of_ghost
from guest import (
    PINS,
    big_file,
    cgroup,
    check,
    good,
    kernel_lines,
    map_value,
    nothing_left,
    obj,
    read_whole,
    remove,
    run_in,
)

LIMIT = 64 << 20
PAGE = 4096
TOLERANCE = 450
"""Pages: two CPUs charge 64 in advance each and batch counters by 64; a few folios are not on a list yet, and nodes of
those that a policy adopts are charged after the loader looked. What was wrong once was wrong by 4,096."""


def pins_of(path: Path) -> Path:
    return PINS / str(path.stat().st_ino)


def loaders(path: Path) -> int:
    """Return the loader's capacity, which is the capacity of the ghost."""
    return sizes_of_ghost(pins_of(path), stride=8)[0]


def kernels(path: Path) -> int:
    """Return the kernel's capacity once the policy has adopted what was cached, which is then its own."""
    line = kernel_lines(path)[0]
    while line["state"] == "adopting":
        time.sleep(0.1)
        line = kernel_lines(path)[0]
    return int(line["capacity"])


def policys(path: Path) -> int:
    """Return the capacity that the policy saw when the last folio came."""
    return int(struct.unpack_from("Q", map_value(pins_of(path) / "bss"))[0])


def counter(path: Path, name: str) -> int:
    """Return an item of memory.stat in pages."""
    lines = dict(line.split() for line in (path / "memory.stat").read_text().splitlines())
    return int(lines[name]) // PAGE


def agree(*capacities: int) -> None:
    assert max(capacities) - min(capacities) <= TOLERANCE, capacities


@check
def capacity_agrees_with_shmem_in_the_cgroup() -> dict[str, int]:
    path, file, other = cgroup("one", LIMIT), big_file("cached", 8 << 20), big_file("uncached", 8 << 20)
    shared = Path("/dev/shm/shared")

    def fill() -> None:
        shared.write_bytes(bytes(16 << 20))
        read_whole(file)

    run_in(path, fill)
    shmem = counter(path, "shmem")
    assert shmem == (16 << 20) // PAGE and counter(path, "file") > shmem + TOLERANCE
    good("attach", obj("measuring"), path)
    found = {"loader": loaders(path), "kernel": kernels(path)}
    agree(*found.values())
    owned = counter(path, "active_file") + counter(path, "inactive_file")
    agree(found["kernel"], (LIMIT - int((path / "memory.current").read_text())) // PAGE + owned)
    assert found["kernel"] <= LIMIT // PAGE - shmem

    def read_and_compare() -> None:
        read_whole(other)
        agree(policys(path), kernels(path))

    run_in(path, read_and_compare)
    found["policy"] = policys(path)
    assert 0 < found["policy"] <= LIMIT // PAGE - shmem
    shared.unlink()
    agree(kernels(path), found["kernel"] + shmem)
    good("detach", path)
    nothing_left(path)
    remove(path)
    return found


@check
def capacity_agrees_with_a_policy_on_a_child() -> dict[str, int]:
    outer, file, other = cgroup("outer", LIMIT), big_file("cached", 8 << 20), big_file("uncached", 8 << 20)
    (outer / "cgroup.subtree_control").write_text("+memory")
    governed, plain = outer / "governed", outer / "plain"
    governed.mkdir()
    plain.mkdir()
    good("attach", obj("fifo"), governed)
    run_in(governed, lambda: read_whole(file))
    run_in(plain, lambda: read_whole(other))
    assert counter(governed, "file") > TOLERANCE and counter(plain, "file") > TOLERANCE
    good("attach", obj("measuring"), outer)
    found = {"loader": loaders(outer), "kernel": kernels(outer)}
    agree(*found.values())
    good("detach", outer)
    good("detach", governed)
    for path in (governed, plain, outer):
        remove(path)
    return found
