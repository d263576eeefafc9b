"""Three workloads as traces of page reads: the same for both glues and for the simulator."""

from __future__ import annotations

import random
from array import array
from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate, groupby

SECOND_THREAD = 1 << 31
"""Set in the reads of the second thread (replay_reads.c)."""

PAGE = 4096
FILE_PAGES = 4096
LIMIT_PAGES = 1000
"""The cgroup's memory.max. Page cache has nearly all of it."""

SEARCH_PAGES, SEARCH_PASSES = 1600, 6
ZIPF_READS, ZIPF_ALPHA = 12_000, 0.9
ROUNDS, GETS, SCAN_PAGES = 100, 80, 60


def zipf(seed: int, reads: int) -> Iterator[int]:
    """Single pages: Zipf-distributed ranks, spread over the file."""
    source = random.Random(seed)
    pages = list(range(FILE_PAGES))
    source.shuffle(pages)
    bounds = list(accumulate((rank + 1) ** -ZIPF_ALPHA for rank in range(FILE_PAGES)))
    return (pages[bisect(bounds, source.random() * bounds[-1])] for _ in range(reads))


def file_search() -> Iterator[int]:
    """The same files again and again, in the same order."""
    return (page for _ in range(SEARCH_PASSES) for page in range(SEARCH_PAGES))


def zipf_reads() -> Iterator[int]:
    return zipf(1, ZIPF_READS)


def get_scan() -> Iterator[int]:
    """In each round, one thread reads single pages, then the other one scans the next piece of the file."""
    gets = zipf(2, ROUNDS * GETS)
    for number in range(ROUNDS):
        for _ in range(GETS):
            yield next(gets)
        for page in range(number * SCAN_PAGES, (number + 1) * SCAN_PAGES):
            yield page % FILE_PAGES | SECOND_THREAD


WORKLOADS = {"file search": file_search, "Zipf reads": zipf_reads, "GET-SCAN": get_scan}


def trace(workload: str) -> array[int]:
    """The reads of a workload. No read repeats the one before: the kernel would not count it as an access."""
    return array("I", (page for page, _ in groupby(WORKLOADS[workload]())))
