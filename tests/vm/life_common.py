"""Shared code of the checks of life_checks.py; runs in the machine."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
from pathlib import Path

from guest import DISK, PINS, eventually, good, kernel_lines, map_value, read_whole, run_in

PAGE = 4096


def pins_of(path: Path) -> Path:
    return PINS / str(path.stat().st_ino)


def params_of(path: Path) -> tuple[int, int, int]:
    """Return step, share and bias from the kernel's memory."""
    return struct.unpack_from("<I4xqb", map_value(pins_of(path) / "data_params"))


def seen(path: Path) -> dict[str, int]:
    """Return the counters of the policy live_by_hand."""
    names = ("added", "hot", "headers", "weight", "step", "scanner", "bias", "refuse")
    return dict(zip(names, struct.unpack_from("<8q", map_value(pins_of(path) / "bss")), strict=True))


def read_fresh(path: Path, file: Path, first: int = 0, pages: int = 1 << 30) -> dict[str, int]:
    """Read uncached pages of a file in the cgroup one by one, without readahead; return what the policy counted.

    A page that the policy is just adopting is locked, and would not be dropped.
    """
    eventually(lambda: "adopting" not in (line["state"] for line in kernel_lines(path)), "the policy did not adopt")
    Path("/proc/sys/vm/drop_caches").write_text("3")
    before = seen(path)

    def work() -> None:
        handle = os.open(file, os.O_RDONLY)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_RANDOM)
        for page in range(first, min(first + pages, file.stat().st_size // PAGE)):
            os.pread(handle, 1, page * PAGE)

    run_in(path, work)
    after = seen(path)
    return {name: after[name] - before[name] for name in after}


def small_file(name: str, pages: int) -> Path:
    path = DISK / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(range(256)) * (PAGE // 256 * pages))
    subprocess.run(["sync"], check=True)
    return path


def policy_of(path: Path) -> list[str]:
    """Return the names of the cgroup's policies according to the kernel: those that govern."""
    lines = kernel_lines(path)
    governing = [line["name"] for line in lines if line["state"] in ("adopting", "attached")]
    return governing + [line["until_then"] for line in lines if "until_then" in line]


class Reader:
    """Context manager: reads a file repeatedly in a cgroup."""

    def __init__(self, path: Path, file: Path) -> None:
        self.path, self.file, self.pid = path, file, 0

    def __enter__(self) -> None:
        self.pid = os.fork()
        if self.pid == 0:
            (self.path / "cgroup.procs").write_text(str(os.getpid()))
            while True:
                read_whole(self.file)

    def __exit__(self, *_: object) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def listed() -> list[tuple[str, str]]:
    return [(entry["policy"], entry["state"]) for entry in json.loads(good("list", "--json"))]
