"""A program for studies: it reads an array from begin to end, again and again.

    loop.py SIZE_IN_MIB PASSES

No order of eviction is worse for LRU than this one: with room for less than all, each page is gone when its turn
comes. It tells `cpolc study` how long each touch of a page took.
"""

import json
import mmap
import os
import sys
import time
from pathlib import Path

PAGE = 4096


def main() -> None:
    size, passes = int(sys.argv[1]) << 20, int(sys.argv[2])
    array = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for page in range(size // PAGE):  # contents that differ: zram keeps pages of one repeated word for nothing
        array[page * PAGE : page * PAGE + 64] = os.urandom(64)
    buckets = [0] * 64
    for _ in range(passes):
        for place in range(0, size, PAGE):
            begin = time.perf_counter_ns()
            array[place] ^= 1
            buckets[(time.perf_counter_ns() - begin).bit_length()] += 1
    told = {
        "latency_ns": {"touches": [[1 << bits, count] for bits, count in enumerate(buckets) if count]},
        "operations": passes * (size // PAGE),
    }
    if out := os.environ.get("CPOL_STUDY_OUT"):
        Path(out).write_text(json.dumps(told))


if __name__ == "__main__":
    main()
