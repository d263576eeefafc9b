"""Three workloads as traces of page reads, and what policies are told: the same for both glues and the simulator."""

from __future__ import annotations

import random
from array import array
from bisect import bisect
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, groupby
from pathlib import Path

SECOND_THREAD = 1 << 31
"""Set in the reads of the second thread (replay_reads.c)."""

PAGE = 4096
FILE_PAGES = 4096
CAPACITY = 1000
"""The cgroup's memory.max in pages. All are for page cache: the machines charge no kernel memory (glues.py)."""

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


FILE_INPUTS = {"keep_files": "kept", "graph": "edges", "query": "tables"}
"""Inputs that hold the file, by policy."""
ARRAYS = {"graph": ("degree", "hub"), "query": ("next",)}
"""Inputs with a number for each page or, `hub`, for all pages."""
HUB = 20


def numbers(name: str, workload: str) -> list[int]:
    """Return an array: as degrees the reads of each page; as the next step 1 for every second page."""
    if name == "hub":
        return [HUB]
    if name == "next":
        return [1, 0] * (FILE_PAGES // 2)
    reads = Counter(page & ~SECOND_THREAD for page in trace(workload))
    return [reads[page] for page in range(FILE_PAGES)]


def write_arrays(workload: str, folder: Path) -> None:
    """Write the arrays of all policies, for told()."""
    for name in {name for names in ARRAYS.values() for name in names}:
        (folder / f"{workload}.{name}").write_text("".join(f"{number}\n" for number in numbers(name, workload)))


def told(policy: str, workload: str, file: object, folder: Path) -> list[str]:
    """Return the options that tell the policy its file and its arrays. Loader and simulator have the same ones."""
    inputs = [f"{FILE_INPUTS[policy]}={file}"] if policy in FILE_INPUTS else []
    inputs += [f"{name}=@{folder / f'{workload}.{name}'}" for name in ARRAYS.get(policy, ())]
    return [word for one in inputs for word in ("--input", one)]
