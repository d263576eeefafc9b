"""Runs in the machine (see guest.py): how long a disk takes by the machine's clock.

The figures are MiB/s of requests of 1 MiB in order, and microseconds of a request of 4 KiB at random, both O_DIRECT.
"""

from __future__ import annotations

import mmap
import os
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import check, main
from null_disk import make_timed_disk

MIB, SEED = 64, 7
LATENCY_NS, MIB_PER_SECOND = 2_000_000, 8
"""Those of tests/vm/fio_checks.py."""
SEQUENTIAL_MIB, RANDOM_READS = 32, 1000


def read(fd: int, buffer: mmap.mmap, offset: int) -> None:
    assert os.preadv(fd, [buffer], offset) == len(buffer)


def measure(device: Path) -> dict[str, float]:
    fd = os.open(device, os.O_RDONLY | os.O_DIRECT)
    large, small = mmap.mmap(-1, 1 << 20), mmap.mmap(-1, 4096)
    begun = time.monotonic()
    for number in range(SEQUENTIAL_MIB):
        read(fd, large, number << 20)
    sequential = time.monotonic() - begun
    source = random.Random(SEED)
    begun = time.monotonic()
    for _ in range(RANDOM_READS):
        read(fd, small, source.randrange(MIB << 8) * 4096)
    at_random = time.monotonic() - begun
    os.close(fd)
    return {"mib_per_second": SEQUENTIAL_MIB / sequential, "microseconds": at_random / RANDOM_READS * 1e6}


@check
def null_blk() -> dict[str, float]:
    return measure(make_timed_disk("timed", MIB, LATENCY_NS, MIB_PER_SECOND))


@check
def throttled() -> dict[str, float]:
    """A disk that QEMU throttles, to compare."""
    return measure(Path("/dev/vdb"))


if __name__ == "__main__":
    main()
