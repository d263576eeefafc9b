"""Traces that are made: parts that follow one another, each a mix of streams of requests."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, repeat
from pathlib import Path

from cpol.compiler.diagnostics.words import closest
from cpol.compiler.nodes import dataclass
from cpol.runtime.simulate.traces.errors import TraceError
from cpol.runtime.simulate.traces.trace import Trace

MAX_REQUESTS = 100_000_000
"""Of a whole trace, which is made in memory: 16 bytes each."""

MAX_OBJECTS = 10_000_000
"""Of a stream. One of zipf has 12 bytes for each."""

DRAWN = 1 << 16
"""Requests of zipf that are drawn at once."""

FORM = "KIND[:NAME=VALUE,…][+KIND…], such as zipf:objects=10000,skew=0.9,requests=200000+scan:requests=50000"


@dataclass(frozen=True)
class Stream:
    """Requests of one kind. Objects are numbers from `first` on."""

    kind: str
    requests: int
    objects: int
    skew: float
    first: int


Parts = Sequence[Sequence[Stream]]
"""By parts of the trace: the streams that are mixed there."""


def _zipf(stream: Stream, source: random.Random) -> Iterator[int]:
    """Independent requests: the object of rank r has a share of r ** -skew. Ranks are spread over the numbers."""
    weights = array("d", accumulate(rank**-stream.skew for rank in range(1, stream.objects + 1)))
    places = array("I", range(stream.objects))
    source.shuffle(places)
    for drawn in range(0, stream.requests, DRAWN):
        yield from source.choices(places, cum_weights=weights, k=min(DRAWN, stream.requests - drawn))


def _uniform(stream: Stream, source: random.Random) -> Iterator[int]:
    return (source.randrange(stream.objects) for _ in range(stream.requests))


def _loop(stream: Stream, source: random.Random) -> Iterator[int]:
    return (request % stream.objects for request in range(stream.requests))


KINDS: dict[str, Callable[[Stream, random.Random], Iterator[int]]] = {
    "zipf": _zipf,
    "uniform": _uniform,
    "loop": _loop,
    "scan": _loop,  # over as many objects as requests
}

KINDS_WITH = {"skew": ("zipf",), "objects": ("zipf", "uniform", "loop")}
"""The kinds that take a name, if not all do."""

DEFAULTS = {"requests": 100_000, "objects": 10_000, "skew": 1.0, "first": -1}


def parse(texts: Sequence[str]) -> Parts:
    """The parts of a trace, each as FORM says. Streams without `first` have objects of their own.

    Raises:
        TraceError: a text is wrong; the message says what to write.
    """
    parts: list[list[Stream]] = []
    free = 0
    for text in texts:
        parts.append([])
        for each in text.split("+"):
            stream = _stream(each, text, free)
            parts[-1].append(stream)
            free = max(free, stream.first + stream.objects)
    total = sum(stream.requests for part in parts for stream in part)
    if total > MAX_REQUESTS:
        raise TraceError(f"{total:,} requests are more than {MAX_REQUESTS:,}; ask for fewer")
    return parts


def make(parts: Parts, seed: int, rate: int = 1000) -> Trace:
    """The trace of these parts, with `rate` requests a second. The same seed makes the same trace."""
    source = random.Random(seed)
    ids = array("Q", chain.from_iterable(_mixed(part, source) for part in parts))
    times = array("Q", (place * 1000 // rate for place in range(len(ids))))
    return Trace(Path("made"), "made", ids, 0, times, carries=frozenset(("time",)))


def _mixed(part: Sequence[Stream], source: random.Random) -> Iterator[int]:
    """The requests of the streams in random order; those of one stream stay in their own."""
    order = array("I")
    for place, stream in enumerate(part if len(part) > 1 else ()):
        order.extend(repeat(place, stream.requests))
    source.shuffle(order)
    requests = [map(stream.first.__add__, KINDS[stream.kind](stream, source)) for stream in part]
    return (next(requests[place]) for place in order) if order else chain.from_iterable(requests)


def _stream(text: str, whole: str, free: int) -> Stream:
    kind, _, given = text.partition(":")
    if kind not in KINDS:
        near = closest(kind, KINDS)
        raise TraceError(
            f"{whole!r}: there is no kind {kind!r} of requests; "
            + (f"did you mean {near}?" if near else f"write {', '.join(KINDS)}, as in {FORM}")
        )
    values = dict(DEFAULTS)
    for item in filter(None, given.split(",")):
        name, _, value = item.partition("=")
        takes = [
            each for each in DEFAULTS if (each != "skew" or kind == "zipf") and (each, kind) != ("objects", "scan")
        ]
        if name not in takes:
            raise TraceError(f"{whole!r}: {kind} takes no {name!r}, but {', '.join(takes)}; write {FORM}")
        values[name] = _value(name, value, whole)
    requests = int(values["requests"])
    objects = requests if kind == "scan" else int(values["objects"])
    first = free if values["first"] < 0 else int(values["first"])
    return Stream(kind, requests, objects, values["skew"], first)


def _value(name: str, text: str, whole: str) -> float:
    low, high = {"requests": (1, MAX_REQUESTS), "objects": (1, MAX_OBJECTS), "skew": (0, 10), "first": (0, 2**62)}[name]
    try:
        number = float(text) if name == "skew" else int(text)
    except ValueError:
        number = -1
    if not low <= number <= high:
        kind = "a number" if name == "skew" else "a whole number"
        raise TraceError(f"{whole!r}: {name} is {kind} from {low:,} to {high:,}, not {text!r}") from None
    return number
