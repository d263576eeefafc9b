"""Checks in the machine (attach_checks.py): params and ghosts in the kernel's memory have the agreed layout."""

from __future__ import annotations

import os
import random
import struct
from pathlib import Path

from guest import (
    LIMIT,
    PINS,
    big_file,
    cgroup,
    check,
    good,
    map_value,
    nothing_left,
    obj,
    remove,
    run_in,
    scan_and_points,
)


def sizes_of_ghost(pins: Path, stride: int) -> tuple[int, int, int, int]:
    """Return capacity, last slot, crowded and buckets of the first ghost with this stride (bpf_ghost.h)."""

    def are_sizes(capacity: int, last: int, crowded: int, buckets: int) -> bool:
        return capacity > 0 and last - crowded == stride * (capacity // 28 + 1) and buckets == capacity // 4 + 1

    rodata = map_value(pins / "rodata")
    words = struct.unpack_from(f"{len(rodata) // 8}Q", rodata)
    return next(four for four in zip(words, words[1:], words[2:], words[3:], strict=False) if are_sizes(*four))


def ghost_is_whole(pins: Path, name: str, record: int = 0) -> tuple[int, int]:
    """Return a ghost's entries and capacity.

    Check that its ring and its chains have the same entries, and that records of file and index belong to their entries
    (bpf_ghost.h).
    """
    stride = 8 + record
    value = map_value(pins / f"data_ghost_my_{name}")
    capacity, last, _, buckets = sizes_of_ghost(pins, stride)
    _, count, span, oldest, newest, _ = struct.unpack_from("6I", value)
    value = value[24:]
    slots = {at: struct.unpack_from("2I", value, at) for at in range(0, last + 1, stride)}
    entries = [at for step in range(0, span, stride) if slots[at := (oldest - stride + step) % last + stride][0]]
    chained = []
    for (at,) in struct.iter_unpack("I", value[last + stride : last + stride + 4 * buckets]):
        while at:
            chained.append(at)
            assert len(chained) <= count, (name, len(chained), count)
            at = slots[at][1]
    assert count == len(entries) <= capacity and sorted(chained) == sorted(entries), (name, count, len(entries))
    if not entries:
        assert span == 0, (name, span)
        return 0, capacity
    assert entries[0] == oldest and entries[-1] == newest == (oldest - stride + span - stride) % last + stride
    for at in entries if record == 16 else ():
        file, index = struct.unpack_from("2Q", value, at + 8)
        mixed = (file + index * 0x9E3779B97F4A7C15) % 2**64
        assert (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93 % 2**64 >> 32 == slots[at][0], (name, file, index)
    return count, capacity


@check
def params_and_ghosts_reach_the_kernel() -> dict[str, int]:
    path, file = cgroup("one"), big_file("whole", 24 << 20)
    assert "sample = 7)" in good("attach", obj("lfu"), path, "--set", "sample=7")
    assert struct.unpack_from("I", map_value(PINS / str(path.stat().st_ino) / "rodata"))[0] == 7
    good("detach", path)
    good("attach", obj("s3fifo"), path)
    pins = PINS / str(path.stat().st_ino)
    run_in(path, lambda: scan_and_points(file))
    run_in(path, lambda: scan_and_points(file))
    count, capacity = ghost_is_whole(pins, "recent")
    assert count > 0 and LIMIT // 4096 // 2 < capacity <= LIMIT // 4096, (count, capacity)
    good("detach", path)
    nothing_left(path)
    remove(path)
    return {"entries": count, "capacity": capacity}


@check
def ghosts_with_entries_removed_from_the_middle() -> dict[str, int]:
    """Each hit leaves a hole in both rings. Spare slots are few, so a pass about every hundred hits removes them."""
    path, file = cgroup("one"), big_file("whole", 24 << 20)
    good("attach", obj("turning"), path)
    pins = PINS / str(path.stat().st_ino)

    def hit() -> None:
        source = random.Random(7)
        with file.open("rb", buffering=0) as points:
            for _ in range(20000):
                os.pread(points.fileno(), 100, source.randrange(1000) * 4096)

    found = {}
    for _ in range(3):
        run_in(path, hit)
        for name, record in (("plain", 0), ("named", 16)):
            found[name], capacity = ghost_is_whole(pins, name, record)
            assert found[name] == capacity, (name, found, capacity)
    # Now entries leave when their folios are removed, perhaps all of them.
    run_in(path, lambda: scan_and_points(file))
    for name, record in (("plain", 0), ("named", 16)):
        ghost_is_whole(pins, name, record)
    good("detach", path)
    nothing_left(path)
    remove(path)
    return found
