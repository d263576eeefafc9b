"""Runs in the machine that loses its power: power_writer.py LOADER FOLDER POLICY.

First checks what is in the file of each disk, and prints it, a line of JSON: `{"found": {FILE SYSTEM: [ROUND, …]}}`,
the oldest round of each block's pages. Then overwrites blocks of both files, under POLICY (`none`: without one), until
the machine is gone. A line `wrote FILE-SYSTEM BLOCK ROUND` follows each write that has returned. POLICY `-`: only
checks.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

LOADER, FOLDER, POLICY = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
DISKS = {"ext4": "/dev/vda", "xfs": "/dev/vdb"}
BLOCKS, PAGES, PAGE = 32, 4, 4096
NAME = struct.Struct("<QQQ")


def page(block: int, number: int, turn: int) -> bytes:
    name = NAME.pack(block, number, turn)
    return name + hashlib.shake_256(name).digest(PAGE - len(name))


def block_of(block: int, turn: int) -> bytes:
    return b"".join(page(block, number, turn) for number in range(PAGES))


def found(file: Path) -> list[int]:
    """The oldest round of each block.

    Raises:
        AssertionError: a page is none that was ever written there.
    """
    rounds = []
    data = file.read_bytes()
    for block in range(BLOCKS):
        turns = []
        for number in range(PAGES):
            there = data[(block * PAGES + number) * PAGE :][:PAGE]
            turns.append(NAME.unpack_from(there)[2])
            assert there == page(block, number, turns[-1]), f"{file}: block {block}, page {number}: {there[:64]!r}"
        rounds.append(min(turns))
    return rounds


def write(name: str, file: Path, begin: list[int]) -> None:
    source, turns = random.Random(), begin
    descriptor = os.open(file, os.O_WRONLY)
    while True:
        block = source.randrange(BLOCKS)
        turns[block] += 1
        done = os.pwrite(descriptor, block_of(block, turns[block]), block * PAGES * PAGE)
        assert done == PAGES * PAGE
        os.write(1, f"wrote {name} {block} {turns[block]}\n".encode())


def main() -> None:
    if "CPOL_MODULE" in os.environ:
        subprocess.run(["modprobe", "-a", "-q", "xfs"], check=False)
        subprocess.run(["insmod", os.environ["CPOL_MODULE"]], check=True)
    # The kernel's own flusher would save what the policy does not.
    Path("/proc/sys/vm/dirty_writeback_centisecs").write_text("0")
    seen: dict[str, list[int]] = {}
    for name, device in DISKS.items():
        place = Path("/run") / name
        place.mkdir()
        subprocess.run(["mount", device, place], check=True)
        if not (place / "data").exists():
            (place / "data").write_bytes(b"".join(block_of(block, 0) for block in range(BLOCKS)))
        seen[name] = found(place / "data")
    os.sync()
    os.write(1, json.dumps({"found": seen}).encode() + b"\n")
    if POLICY == "-":
        return
    group = Path("/sys/fs/cgroup/cut")
    group.mkdir()
    if POLICY != "none":
        settings = ["--set", "all=true"] if POLICY == "uncached" else []
        subprocess.run([LOADER, "attach", FOLDER / f"{POLICY}.bpf.o", group, *settings], check=True)
    (group / "cgroup.procs").write_text(str(os.getpid()))
    for name in DISKS:
        if os.fork() == 0:
            write(name, Path("/run") / name / "data", seen[name])
    os.wait()


main()
