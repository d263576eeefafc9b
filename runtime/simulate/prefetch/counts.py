"""What a run counts."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(slots=True)
class Counts:
    """Counts of swap, or of files. Pages, unless said otherwise."""

    accesses: int = 0  # rows of the trace
    faults: int = 0  # swap faults; for files, reads of pages that were missing or prefetched and new
    missed: int = 0  # of them: had to read
    prefetched: int = 0  # pages read ahead
    used: int = 0  # of them: used before they went
    late: int = 0  # of those: the read had not ended yet
    wasted: int = 0  # pages read ahead that went unused
    absent: int = 0  # targets that are not there to be read: no page has the slot, or it is in memory
    defaulted: int = 0  # calls in which the kernel's own readahead ran
    waited_ns: int = 0  # for reads, both of missed and of late pages
    out_asked: int = 0  # pages that were about to go out to swap, and that the policy was asked about
    out_kept: int = 0  # of them: stayed
    out_refused: int = 0  # of them: the policy would have kept them, but for its quota
    out_overruled: int = 0  # pages that went unasked: the reclaim had found nothing else

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    @property
    def unused(self) -> int:
        """Pages read ahead that are still there at the end."""
        return self.prefetched - self.used - self.wasted

    @property
    def accuracy(self) -> float | None:
        """None: nothing was prefetched."""
        return self.used / self.prefetched if self.prefetched else None

    @property
    def coverage(self) -> float | None:
        """None: there was nothing to prefetch."""
        wanted = self.used + self.missed
        return self.used / wanted if wanted else None

    @property
    def pages_read(self) -> int:
        return self.missed + self.prefetched
