"""Disk reads of a run, block by block: what a bootstrap draws from."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress, pairwise

from cpol.runtime.simulate.runs.evict import of_room
from cpol.runtime.simulate.runs.room import Followed, followed
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Trace, as_kernel
from cpol.runtime.simulate.traces.formats.record import PASSING, REQUEST, UNREAD

BLOCKS = 40
"""Blocks of a trace, each of as many requests. The first half of them chooses, the other half judges."""


class Blocks:
    """A trace in blocks.

    A disk read is a page that is not cached when it is requested, or when readahead brought it in the machine. A write
    of a page that is not cached counts as none: most overwrite the whole page.

    Args:
        room: what the capacity follows; None: it stays.
        ends: of the blocks, as numbers of ids.
        passing: 1 for each request whose page goes at once, unless it is cached.
    """

    def __init__(self, trace: Trace, room: Followed | None, ends: Sequence[int], passing: bytes | None = None) -> None:
        self.trace, self.room, self.ends = trace, room, ends
        writes = trace.writes or array("Q", bytes(8 * len(trace.ids)))
        reads = array("Q", (write == 0 for write in writes))
        kernel = as_kernel(trace)
        if passing is not None:
            pairs = zip(kernel.ahead or bytes(len(passing)), passing, strict=True)
            kernel = replace(kernel, ahead=bytes(PASSING if one and kind == REQUEST else kind for kind, one in pairs))
        counted = replace(kernel, sizes=reads, known=trace.numbered)
        self._rooms = dict(room.changes) if room else {}
        self._ends = Counter(ends)  # blocks without requests end where those before them do
        bounds = sorted({0, *ends, *(start for start in self._rooms if start < ends[-1])})
        self._counted = counted
        self._parts = [(start, stop, counted.part(start, stop)) for start, stop in pairwise(bounds)]

    @classmethod
    def of(cls, trace: Trace, room: Followed | None) -> Blocks:
        """Blocks with as many requests each."""
        inner = (trace.position(trace.requests * number // BLOCKS) for number in range(1, BLOCKS))
        return cls(trace, room, [*inner, len(trace.ids)])

    def without(self, kept: bytes) -> Blocks:
        """The requests for which `kept` is 1, in the blocks that they are in."""
        ends = [kept.count(1, 0, end) for end in self.ends]
        trace = self.trace.chosen(kept)
        return Blocks(trace, followed(trace) if self.room else None, ends)

    def passing(self, aside: bytes) -> Blocks:
        """The same where pages of some requests go at once, unless they are cached: they are read, and take no room.

        For these, nothing comes ahead, and what they write goes, too.
        """
        kinds, writes = self.trace.ahead or bytes(len(aside)), self.trace.writes or bytes(len(aside))
        rows = zip(aside, kinds, writes, strict=True)
        kept = bytes(not one or (kind == REQUEST and not write) for one, kind, write in rows)
        rest = self.without(kept)
        return Blocks(rest.trace, rest.room, rest.ends, bytes(compress(aside, kept)))

    @property
    def half(self) -> int:
        """The first block that judges."""
        return len(self.ends) // 2

    @property
    def first_half(self) -> Trace:
        """The requests that choose; those that read have a size of 1, others of 0."""
        return self._counted.part(0, self.ends[self.half - 1])

    def reads(self, simulator: Simulator, percent: float = 100, blocks: int | None = None) -> list[int]:
        """The disk reads in each block, with so much of the room. `blocks`: only so many are run."""
        found, before = [0] * self._ends[0], 0
        for start, stop, part in self._parts:
            if blocks is not None and len(found) >= blocks:
                break
            if start in self._rooms:
                simulator.room(of_room(self._rooms[start], percent))
            reads = simulator.run(part).read_bytes
            if stop in self._ends:
                found += [reads - before, *[0] * (self._ends[stop] - 1)]
                before = reads
        return found[:blocks]

    def recorded(self) -> list[int] | None:
        """The disk reads in each block that the machine did while it was recorded; None: nothing tells."""
        if self.trace.read is None:
            return None
        return [self.trace.read.count(1, start, stop) for start, stop in pairwise([0, *self.ends])]

    def requested(self, some: bytes) -> list[int]:
        """The requests in each block that read, and for which `some` is 1."""
        ahead, writes = self.trace.ahead or bytes(len(some)), self.trace.writes or bytes(len(some))
        chosen = bytes(one and not kind and not write for one, kind, write in zip(some, ahead, writes, strict=True))
        return [chosen.count(1, *span) for span in pairwise([0, *self.ends])]

    def unread(self) -> list[int]:
        """The pages in each block that readahead brought, and that nobody read until they left."""
        ahead = self.trace.ahead
        return [0 if ahead is None else ahead.count(UNREAD, *span) for span in pairwise([0, *self.ends])]
