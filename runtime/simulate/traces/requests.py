"""What a simulation is fed: requests, a column for each fact."""

from __future__ import annotations

from array import array
from itertools import compress
from typing import NamedTuple

from cpol.compiler.comm import Comm
from cpol.compiler.nodes import dataclass
from cpol.runtime.simulate.traces.memory import Column


class Names(NamedTuple):
    """The file and index of each folio, which an id names by its number; of type Q."""

    files: array[int]
    indices: array[int]


class Comms(NamedTuple):
    """The command of each request, as its number among the names; both parts of a name; of type Q."""

    numbers: Column
    firsts: array[int]
    seconds: array[int]

    def of(self, request: int) -> Comm:
        number = self.numbers[request]
        return self.firsts[number], self.seconds[number]


class Numbered(NamedTuple):
    """The number of each request's object, of type I, and how many objects have one by then."""

    numbers: Column
    objects: int


def requested(numbered: Numbered, ahead: bytes | None) -> Numbered:
    """Without what only readahead or a write brings."""
    if ahead is None:
        return numbered
    return numbered._replace(numbers=array("I", compress(numbered.numbers, (not brings for brings in ahead))))


@dataclass(frozen=True)
class Requests:
    """Requests that follow one another, a column for each fact. A column is of type Q; None: nobody tells the fact.

    `ids` may be None if they are `numbered`. Then no policy that reads names can run them.
    """

    ids: Column | None  # the object of each request, 0 to 2**64 - 1
    times: Column | None = None  # milliseconds since the first request, ascending
    tasks: Column | None = None  # threads
    processes: Column | None = None
    names: Names | None = None  # the file and index of each id, the same for all requests of a trace
    comms: Comms | None = None
    writes: Column | None = None  # 1: the request writes
    sizes: Column | None = None  # bytes
    ahead: bytes | None = None  # 0: a request; else readahead or a write brings the page
    numbered: Numbered | None = None  # the objects by their numbers, from the same `Numbers` for all of a trace

    def __len__(self) -> int:
        return len(self.ids or () if self.numbered is None else self.numbered.numbers)
