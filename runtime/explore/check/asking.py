"""Faults, requests, ranges of files and pages that go out for a check: what a policy is asked about no folio."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import strategies as st

from cpol.compiler.ir import PREFETCH_TARGETS
from cpol.compiler.vocabulary.event import EVENTS
from cpol.runtime.machine.events.prefetch import (
    MAPPED,
    MARKER,
    SEQUENTIAL,
    SHARED,
    WORKINGSET,
    Fault,
    Out,
    Range,
    Request,
)

SLOTS = 200
AREA = 90
"""Pages of an area."""

AREAS = 3
SIZES = (0, 8, 100, 5000)
"""Pages of a file."""

WINDOWS = (1, 8, 16, PREFETCH_TARGETS)
"""The kernel's own windows for swap."""

MOST_WANTED = 8


def fault(area: int, page: int, slot: int, how: int, window: int = 8, device: int = 0) -> Fault:
    """A fault in one of a few areas. `how`: 0 must read, 1 is cached, 2 is cached because it was prefetched."""
    first = 1000 * area
    where = (first + page % AREA, 1 + slot % (SLOTS - 1), SLOTS, first, first + AREA - 1)
    return Fault(*where, area, device, how > 0, how == 2, window)


def request(
    file: int, index: int, wanted: int, kinds: int, size: int = 5000, window: int = 32, device: int = 0
) -> Request:
    """A request of a file. `kinds` has the flags of Request: sequential, marker, mapped."""
    start = max(0, index - window // 2) if kinds & MAPPED else index
    how = (bool(kinds & SEQUENTIAL), bool(kinds & MARKER), bool(kinds & MAPPED))
    return Request(file, index, wanted, start, window, size, *how, device)


def faults(devices: st.SearchStrategy[int]) -> st.SearchStrategy[Fault]:
    near, far = st.integers(0, 5), st.integers(0, SLOTS)
    windows = st.just(8) | st.sampled_from(WINDOWS)
    return st.builds(fault, st.integers(0, AREAS - 1), near | far, near | far, st.integers(0, 2), windows, devices)


def requests(files: st.SearchStrategy[int], devices: st.SearchStrategy[int]) -> st.SearchStrategy[Request]:
    indices = st.integers(0, 5) | st.integers(0, 120)
    sizes, windows = st.just(5000) | st.sampled_from(SIZES), st.just(32) | st.integers(0, 200)
    return st.builds(request, files, indices, st.integers(1, MOST_WANTED), st.integers(0, 7), sizes, windows, devices)


def range_of(event: str, file: int, index: int, pages: int, size: int = 5000, device: int = 0) -> Range:
    """A file that was opened, read or written, by the name of that event."""
    return Range(event, file, *((0, 0) if EVENTS[event].whole else (index, pages)), size, device)


def ranges(
    events: tuple[str, ...], files: st.SearchStrategy[int], devices: st.SearchStrategy[int]
) -> st.SearchStrategy[Range]:
    indices = st.integers(0, 5) | st.integers(0, 120)
    sizes = st.just(5000) | st.sampled_from(SIZES)
    return st.builds(range_of, st.sampled_from(events), files, indices, st.integers(1, MOST_WANTED), sizes, devices)


def out(area: int, page: int, pages: int, how: int) -> Out:
    """Pages that go out of one of the areas of fault(). `how` has the flags of Out: shared, workingset."""
    first = 1000 * area
    at = page % (AREA - pages + 1)
    return Out(first + at, pages, first, first + AREA - 1, area, bool(how & SHARED), bool(how & WORKINGSET))


def outs() -> st.SearchStrategy[Out]:
    pages = st.integers(0, 5) | st.integers(0, AREA)
    return st.builds(out, st.integers(0, AREAS - 1), pages, st.just(1) | st.sampled_from([1, 16]), st.integers(0, 3))


def outs_of(source: Random, length: int) -> Iterator[Out]:
    """A stretch of pages that go out of one area."""
    area, page = source.randrange(AREAS), source.randrange(AREA)
    for distance in distances(source, length):
        page += distance
        yield out(area, page, source.choice([1, 1, 1, 16]), source.choice([0, 0, SHARED, WORKINGSET, 3]))


PATTERNS = ("forward", "backward", "stride", "ladder", "pairs", "random")
"""How the pages of a stretch follow each other."""


def distances(source: Random, length: int) -> Iterator[int]:
    """How far each page of a stretch is from the one before it, by one pattern."""
    pattern = source.choice(PATTERNS)
    stride, ladder = source.randint(2, 9), [source.randint(1, 9) for _ in range(source.randint(2, 7))]
    for number in range(length):
        match pattern:
            case "forward":
                yield 1
            case "backward":
                yield -1
            case "stride":
                yield stride
            case "ladder":
                yield ladder[number % len(ladder)]
            case "pairs":
                yield 1 if number % 2 else 31
            case _:
                yield source.randrange(AREA)


def faults_of(source: Random, length: int, devices: tuple[int, ...]) -> Iterator[Fault]:
    """A stretch of faults in one area."""
    device, window, area = source.choice(devices or (0,)), source.choice(WINDOWS), source.randrange(AREAS)
    page, slot = source.randrange(AREA), source.randrange(SLOTS)
    for distance in distances(source, length):
        page, slot = page + distance, slot + distance
        yield fault(area, page, slot, source.choice([0, 0, 0, 1, 2]), window, device)


def ranges_of(
    source: Random, length: int, files: int, devices: tuple[int, ...], events: tuple[str, ...]
) -> Iterator[Range]:
    """A stretch of ranges of one file, which is opened first if the policy is told of that."""
    device, size, file = source.choice(devices or (0,)), source.choice(SIZES), source.randint(0, files)
    index, pages = source.randrange(AREA), source.choice([1, 1, 4, MOST_WANTED])
    if "opened" in events:
        yield range_of("opened", file, 0, 0, size, device)
    told = [event for event in events if event != "opened"]
    for distance in distances(source, length) if told else ():
        index = (index + pages * distance) % 4000
        yield range_of(source.choice(told), file, index, pages, size, device)


def requests_of(source: Random, length: int, files: int, devices: tuple[int, ...]) -> Iterator[Request]:
    """A stretch of requests of one file."""
    device, size, file = source.choice(devices or (0,)), source.choice(SIZES), source.randint(0, files)
    kinds, index = source.choice([0, SEQUENTIAL, SEQUENTIAL, MAPPED]), source.randrange(AREA)
    for distance in distances(source, length):
        index = (index + distance) % 4000
        marker = MARKER if source.random() < 0.2 else 0
        yield request(
            file, index, source.choice([1, 1, 2, 4]), kinds | marker, size, source.choice([0, 32, 64]), device
        )
