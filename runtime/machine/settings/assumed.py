"""What a run takes for facts that its trace does not have."""

from __future__ import annotations

from typing import NamedTuple

from cpol.compiler.comm import UNKNOWN, Comm

STEP = 10_000
"""Nanoseconds from one request to the next in a trace without times: 100 requests are a millisecond."""

MAX_STEP = 3600 * 10**9
"""Keeps the native simulator's arithmetic within 64 bits: an hour."""


class Assumed(NamedTuple):
    """The file of every folio, the task of every request, and the nanoseconds between requests."""

    file: int = 0
    thread: int = 0
    process: int = 0
    comm: Comm = UNKNOWN
    write: bool = False
    device: int = 0
    cgroup: int = 0
    step: int = STEP

    def ms(self, request: int) -> int:
        """When a request (counted from 0) happens, in milliseconds since the first."""
        return request * self.step // 1_000_000


NOTHING = Assumed()
