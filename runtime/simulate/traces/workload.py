"""Workloads that are described: readers of files, beside one another, as a trace."""

from __future__ import annotations

import random
import tomllib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, count, pairwise
from pathlib import Path
from typing import Any

from cpol.compiler.comm import pack
from cpol.compiler.nodes import dataclass
from cpol.runtime.simulate.traces.errors import TraceError
from cpol.runtime.simulate.traces.requests import Comms, Names
from cpol.runtime.simulate.traces.trace import Trace

MOST_REQUESTS = 10_000_000
FIRST_THREAD = 101
CARRIES = frozenset(("file", "page", "thread", "process", "comm", "time", "rw", "readers"))
STEP_MS = 1
"""From one request to the next."""
RUN, HOLE = 6, 12
"""Most places of a run of a start, and of what lies between two."""


@dataclass(frozen=True)
class Reader:
    """A thread that reads or writes a file. `share` is its weight among the readers.

    It takes `block` pages at a place, one after another. It is at work from `begins` to `ends`, as shares of the
    requests. `told`: the input of the policy that the workload wants names it (its command, its thread or its file).
    """

    command: str
    process: int
    file: str
    pages: int
    order: str
    skew: float
    share: float
    writes: bool
    block: int
    begins: float
    ends: float
    told: bool

    @property
    def places(self) -> int:
        return self.pages // self.block


@dataclass(frozen=True)
class Workload:
    """A known problem: who reads what, with how much memory, and which policy it wants.

    `reported` names public reports, `advice` is a policy or `keep`, `text` says what people see. `memory` is in pages.
    `quota`: the pages that the service is to cache at most; None: as many as fit.
    """

    name: str
    title: str
    text: str
    reported: tuple[str, ...]
    advice: str
    memory: int
    requests: int
    seed: int
    readers: tuple[Reader, ...]
    quota: int | None = None


def _zipf(reader: Reader, source: random.Random) -> Iterator[int]:
    weights = list(accumulate(rank**-reader.skew for rank in range(1, reader.places + 1)))
    places = list(range(reader.places))
    source.shuffle(places)
    while True:
        yield from source.choices(places, cum_weights=weights, k=256)


def _uniform(reader: Reader, source: random.Random) -> Iterator[int]:
    while True:
        yield source.randrange(reader.places)


def _loop(reader: Reader, source: random.Random) -> Iterator[int]:
    while True:
        yield from range(reader.places)


def _shuffled(reader: Reader, source: random.Random) -> Iterator[int]:
    places = list(range(reader.places))
    while True:
        source.shuffle(places)
        yield from places


def _once(reader: Reader, source: random.Random) -> Iterator[int]:
    return count()


def _start(reader: Reader, source: random.Random) -> Iterator[int]:
    runs, first = list[range](), 0
    while first < reader.places:
        runs.append(range(first, min(first + source.randint(1, RUN), reader.places)))
        first = runs[-1].stop + source.randint(1, HOLE)
    source.shuffle(runs)
    while True:
        for run in runs:
            yield from run


ORDERS: Mapping[str, Callable[[Reader, random.Random], Iterator[int]]] = {
    "zipf": _zipf,
    "uniform": _uniform,
    "loop": _loop,
    "shuffled": _shuffled,
    "once": _once,
    "start": _start,
}
"""In which order a reader goes through its places: by popularity, at random, again and again in order, again and again
in another order each time, on and on, no page twice, or as programs start: short runs with holes between them, which
come in another order than they lie in, the same each time."""

KEYS = ("title", "text", "reported", "advice", "memory", "requests", "seed", "reader")
MAY = frozenset(("quota",))
READER_KEYS = {
    "command": "app",
    "process": 1,
    "pages": 1,
    "order": "",
    "skew": 1.0,
    "share": 1.0,
    "writes": False,
    "block": 1,
    "begins": 0.0,
    "ends": 1.0,
    "told": False,
}


def read_workload(path: Path) -> Workload:
    """Read the description of a workload.

    Raises:
        TraceError: there is none, or it is wrong; the message says where and why.
    """
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TraceError(f"{path}: it cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TraceError(f"{path}: {error}") from None
    if wrong := sorted((told.keys() ^ set(KEYS)) - MAY):
        raise TraceError(f"{path}: {wrong[0]!r} is missing or unknown; a workload has {', '.join(KEYS)}")
    readers = tuple(_reader(path, each) for each in told["reader"])
    if not readers or not 1 <= told["requests"] <= MOST_REQUESTS or told["memory"] < 1:
        raise TraceError(f"{path}: it has readers, 1 to {MOST_REQUESTS} requests and 1 page of memory or more")
    idle = {at for at in (0.0, *(each.ends for each in readers)) if at < 1 and not any(_weights(readers, at))}
    if idle:
        raise TraceError(f"{path}: from {min(idle)} on, no reader is at work")
    facts = (told["title"], told["text"].strip(), tuple(told["reported"]), told["advice"])
    return Workload(path.stem, *facts, told["memory"], told["requests"], told["seed"], readers, told.get("quota"))


def _reader(path: Path, told: Mapping[str, Any]) -> Reader:
    wrong = [name for name in told if name not in READER_KEYS and name != "file"]
    if wrong or "file" not in told:
        raise TraceError(f"{path}: a reader has file, {', '.join(READER_KEYS)}, not {', '.join(wrong) or 'no file'}")
    values = {**READER_KEYS, **told}
    if values["order"] not in ORDERS:
        raise TraceError(f"{path}: there is no order {values['order']!r}; write {', '.join(ORDERS)}")
    if not 1 <= values["block"] <= values["pages"]:
        raise TraceError(f"{path}: a reader has 1 page or more, and a block of 1 to so many")
    if values["share"] <= 0 or not 0 <= values["begins"] < values["ends"] <= 1:
        raise TraceError(f"{path}: a reader has a share above 0, and begins before it ends, both from 0 to 1")
    return Reader(**values)


def _pages(reader: Reader, source: random.Random) -> Iterator[int]:
    for place in ORDERS[reader.order](reader, source):
        yield from range(place * reader.block, (place + 1) * reader.block)


def _turns(workload: Workload, source: random.Random) -> Iterator[int]:
    """Who comes next, as numbers of readers."""
    changes = sorted({round(workload.requests * at) for each in workload.readers for at in (each.begins, each.ends)})
    for first, end in pairwise(changes):
        middle = (first + end) / 2 / workload.requests
        weights = _weights(workload.readers, middle)
        yield from source.choices(range(len(weights)), weights, k=end - first)


def _weights(readers: Sequence[Reader], at: float) -> list[float]:
    """The shares of those that are at work."""
    return [each.share * (each.begins <= at < each.ends) for each in readers]


def play(workload: Workload) -> Trace:
    """The trace of a workload. The same seed makes the same one.

    Whoever reads a log (a file that another reader writes `once`), and has come to its end, leaves the turn to the
    writer.
    """
    source = random.Random(workload.seed)
    pages = [_pages(each, source) for each in workload.readers]
    files = {each.file: number for number, each in enumerate(workload.readers, 1)}
    comms = sorted({each.command for each in workload.readers})
    writers = {each.file: place for place, each in enumerate(workload.readers) if each.writes and each.order == "once"}
    done = [0] * len(workload.readers)
    known: dict[tuple[int, int], int] = {}
    ids, threads, processes, writes, numbers = (array("Q") for _ in range(5))
    for place in _turns(workload, source):
        reader = workload.readers[place]
        writer = writers.get(reader.file, place)
        if writer != place and reader.order == "once" and done[place] == done[writer]:
            place, reader = writer, workload.readers[writer]
        done[place] += 1
        ids.append(known.setdefault((files[reader.file], next(pages[place])), len(known)))
        threads.append(FIRST_THREAD + place)
        processes.append(reader.process)
        writes.append(reader.writes)
        numbers.append(comms.index(reader.command))
    packed = [pack(each.encode()) for each in comms]
    names = Names(array("Q", (file for file, _ in known)), array("Q", (page for _, page in known)))
    return Trace(
        Path(workload.name),
        "workload",
        ids,
        0,
        times=array("Q", range(0, len(ids) * STEP_MS, STEP_MS)),
        tasks=threads,
        processes=processes,
        comms=Comms(numbers, array("Q", (one for one, _ in packed)), array("Q", (two for _, two in packed))),
        writes=writes,
        names=names,
        carries=CARRIES,
        paths={number: name for name, number in files.items()},
        readers=Counter(files[each.file] for each in workload.readers if not each.writes),
    )
