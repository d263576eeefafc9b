"""What `drop_behind` would let go: pages behind a thread that reads a file from front to back, and brought them."""

from __future__ import annotations

from typing import NamedTuple

from cpol.compiler.comm import show
from cpol.runtime.simulate.traces import Trace
from cpol.runtime.simulate.traces.formats.record import REQUEST

AFTER = 256
"""So many pages in a row stay: the policy's default."""


class Streams(NamedTuple):
    """`aside` is 1 for each id of a page that goes behind its reader, unless it was cached. `readers` are the names of
    the readers, those with the most such requests first; `requests` is how many of these the disk served."""

    aside: bytes
    readers: list[str]
    requests: int


def streams(trace: Trace) -> Streams | None:
    """The requests of a recording whose pages would go; None: it does not tell threads, or there are none."""
    if trace.names is None or trace.tasks is None or trace.read is None:
        return None
    files, indices = trace.names
    kinds = trace.ahead or bytes(len(trace.ids))
    aside = bytearray(len(trace.ids))
    ahead = dict[int, tuple[int, int]]()  # of pages that came and are not requested yet: who brought it, and the place
    last = dict[int, tuple[int, int, int]]()  # of each thread: the file, the next page, how many in a row
    counts = dict[int, int]()
    names = dict[int, str]()
    for place, (id, kind, thread) in enumerate(zip(trace.ids, kinds, trace.tasks, strict=True)):
        if kind != REQUEST:
            ahead[id] = thread, place
            continue
        file, index = files[id], indices[id]
        known, following, run = last.get(thread, (-1, -1, 0))
        run = run if (file, index) == (known, following) else 0
        last[thread] = file, index + 1, run + 1
        by, early = ahead.pop(id, (thread, -1))
        if run < AFTER or by != thread or (trace.writes and trace.writes[place]):
            continue
        aside[place] = 1
        if early >= 0:
            aside[early] = 1
        counts[thread] = counts.get(thread, 0) + trace.read[place]
        names.setdefault(thread, show(trace.comms.of(place)) if trace.comms else f"thread {thread}")
    order = sorted(counts, key=lambda thread: -counts[thread])
    readers = dict.fromkeys(names[thread] for thread in order)
    total = sum(counts.values())
    return Streams(bytes(aside), [*readers], total) if total else None
