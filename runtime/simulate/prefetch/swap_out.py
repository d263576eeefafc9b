"""Pages that are about to go out to swap: what the policy is told of them, and whether they stay."""

from __future__ import annotations

from cpol.runtime.simulate.prefetch.counts import Counts
from cpol.runtime.simulate.prefetch.memory import Key
from cpol.runtime.simulate.prefetch.protocol import Out, Prefetcher
from cpol.runtime.simulate.prefetch.rows import Touch


class SwapOut:
    """Asks the policy, and remembers what it is told: whose the pages are, and which were active.

    Args:
        policy: with a handler of `on swap`.
        capacity: pages of memory. A page that comes back before so many others went was active.
    """

    def __init__(self, policy: Prefetcher, capacity: int) -> None:
        self._policy = policy
        self._capacity = capacity
        self._touches: dict[Key, Touch] = {}  # the last of each page
        self._uses: dict[Key, int] = {}  # since the page came into memory
        self._gone: dict[Key, int] = {}  # how many pages had gone when this one went
        self._count = 0  # pages that went

    def used(self, row: Touch) -> None:
        """A page in memory is touched."""
        key = row.key
        self._touches[key] = row
        uses = self._uses.get(key, 0)
        if not uses and key in self._gone:
            uses = int(self._count - self._gone.pop(key) <= self._capacity)
        self._uses[key] = uses + 1

    def went(self, key: Key) -> None:
        """A page left memory."""
        if not key.is_file:
            self._uses.pop(key, None)
            self._gone[key] = self._count
        self._count += 1

    def stays(self, key: Key, time_ms: int, counts: Counts) -> bool:
        """Whether a page that was used, and needs a place in swap, stays this time."""
        row = self._touches[key]
        workingset = self._uses[key] > 1
        out = Out(row.page, row.first, row.last, workingset, row.process, row.comm, time_ms)
        outcome = self._policy.swap(out)
        counts.out_asked += 1
        counts.out_kept += outcome == "kept"
        counts.out_refused += outcome == "refused"
        self._uses[key] += outcome == "kept"  # it becomes active
        return outcome == "kept"
