"""Files that are read at random while readahead brings what nobody reads: what `random_access` would be told."""

from __future__ import annotations

from typing import NamedTuple

from cpol.runtime.simulate.traces import Trace
from cpol.runtime.simulate.traces.formats.record import REQUEST, UNREAD

IN_VAIN = 0.1
"""At least such a share of what is read of the file is not used."""
AT_RANDOM = 0.2
"""A file is read at random if no larger share of its requests is for the page behind the last one of a reader."""
LEAST = 0.02
"""A file with a smaller share of all disk reads is not named."""
PLACES = 20
"""A file is read here and there if readahead begins in so many places, at least."""
RUN = 64
"""And if it goes on from there for so many pages, at most; a longer run is a scan."""


class Scattered(NamedTuple):
    """A file that is read at random."""

    name: str
    unread: int
    """Pages that came, and that nobody was seen to use until they left."""
    came: int
    places: int
    """Where readahead began."""
    seen: bool
    """Requests tell that it is read at random. Otherwise it is mapped, and nearly all uses are unseen."""


class _File:
    def __init__(self) -> None:
        self.requests = self.in_order = self.read = self.ahead = self.unread = self.places = 0
        self.before = -2  # the page that came last


def scattered(trace: Trace) -> dict[int, Scattered]:
    """The files of a recording, by key, those with the most unused pages first."""
    if trace.names is None or trace.read is None or trace.ahead is None:
        return {}
    files, indices = trace.names
    threads = trace.tasks or [0] * len(trace.ids)
    found = dict[int, _File]()
    last = dict[tuple[int, int], int]()
    for id, kind, thread, read in zip(trace.ids, trace.ahead, threads, trace.read, strict=True):
        key, index = files[id], indices[id]
        file = found.setdefault(key, _File())
        if kind == REQUEST:
            file.requests += 1
            file.in_order += last.get((thread, key)) == index - 1
            last[thread, key] = index
            file.read += read
            continue
        file.ahead += 1
        file.unread += kind == UNREAD
        file.places += index != file.before + 1
        file.before = index
    least = LEAST * (trace.read.count(1) + trace.ahead.count(UNREAD))
    known = trace.paths or {}
    made = dict[int, Scattered]()
    for key, file in sorted(found.items(), key=lambda item: -item[1].unread):
        came = file.read + file.unread
        if file.unread < max(1, least, IN_VAIN * came):
            continue
        seen = 2 * file.requests >= file.ahead
        at_random = file.in_order <= AT_RANDOM * file.requests
        here_and_there = file.places >= PLACES and file.ahead <= RUN * file.places
        if at_random if seen else here_and_there:
            made[key] = Scattered(known.get(key, f"file {key}"), file.unread, came, file.places, seen)
    return made
