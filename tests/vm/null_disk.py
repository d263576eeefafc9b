"""Runs in the machine: a null_blk device that keeps its data in memory; the kernel has it built in, or as a module."""

from __future__ import annotations

import subprocess
from pathlib import Path

CONFIG = Path("/sys/kernel/config")


def make_null_disk(name: str, mib: int, latency_ns: int, **settings: int) -> Path:
    """Make a disk whose requests take `latency_ns` of the machine's clock; return its device.

    Args:
        settings: more attributes of null_blk, such as `mbps`.

    Raises:
        subprocess.CalledProcessError: the kernel has no null_blk, or no configfs.
        OSError: it does not take an attribute.
    """
    subprocess.run(["modprobe", "-q", "null_blk"], check=False)  # fails where it is built in
    if not (CONFIG / "nullb").exists():
        subprocess.run(["mount", "-t", "configfs", "none", CONFIG], check=True)
    disk = CONFIG / "nullb" / name
    disk.mkdir()
    attributes = {"size": mib, "memory_backed": 1, "irqmode": 2, "completion_nsec": latency_ns, **settings}
    for attribute, value in {**attributes, "power": 1}.items():
        (disk / attribute).write_text(str(value))
    device = Path(f"/dev/nullb{(disk / 'index').read_text().strip()}")
    return device if device.exists() else Path("/dev") / name


def make_timed_disk(name: str, mib: int, latency_ns: int, mib_per_second: int, depth: int = 1) -> Path:
    """Make a disk with a latency and a bandwidth, both by the machine's clock; return its device.

    It does `depth` requests at a time. Small ones wait for the latency, large ones for the bandwidth, of which 0 is no
    limit. In a machine started with `icount`, seconds on it do not depend on the host (tests/bench/disk-clock).
    """
    return make_null_disk(name, mib, latency_ns, hw_queue_depth=depth, mbps=mib_per_second)
