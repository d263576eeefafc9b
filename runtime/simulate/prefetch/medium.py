"""The medium that pages are read from: a queue with a bandwidth, and a latency after it."""

from __future__ import annotations

from dataclasses import dataclass

PAGE = 4096
SECOND = 10**9


@dataclass(slots=True)
class Medium:
    """Reads one page after another at the bandwidth. Each read ends the latency after its page left the queue, so that
    reads which wait in the queue overlap their latencies.

    Args:
        latency_ns: of each read.
        bandwidth: bytes a second; 0: no limit.
    """

    latency_ns: int
    bandwidth: int
    _busy_until: int = 0

    def read(self, now_ns: int) -> int:
        """Read a page. Returns when the read ends."""
        transfer = PAGE * SECOND // self.bandwidth if self.bandwidth else 0
        self._busy_until = max(self._busy_until, now_ns) + transfer
        return self._busy_until + self.latency_ns
