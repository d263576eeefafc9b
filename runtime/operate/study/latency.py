"""Percentiles of latency, from the histograms of several trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from cpol.runtime.operate.study.counters import Histogram

PERCENTILES: Final = ("50", "90", "99", "99.9", "99.99")
BEYOND: Final = 10
"""Values that must lie beyond a percentile: of fewer, it is a matter of luck."""


class Latency(NamedTuple):
    """Of one kind of operation."""

    kind: str
    total: int
    percentiles: tuple[int | None, ...]
    """In nanoseconds, of PERCENTILES: upper ends of buckets. None: there are too few values."""


def latency(kind: str, histograms: Sequence[Histogram]) -> Latency:
    """The percentiles of all values together."""
    merged = Counter[int]()
    for each in histograms:
        merged.update(dict(each))
    buckets = sorted((upper, count) for upper, count in merged.items() if count)
    total = sum(count for _, count in buckets)
    return Latency(kind, total, tuple(_percentile(buckets, total, share) for share in PERCENTILES))


def _percentile(buckets: Sequence[tuple[int, int]], total: int, share: str) -> int | None:
    """In whole numbers: `99.99` of a percentage is 9999 of 10,000."""
    whole, _, part = share.partition(".")
    scale = 100 * 10 ** len(part)
    above = scale - int(whole + part)
    if total * above < BEYOND * scale:
        return None
    left = total * above // scale
    seen = 0
    for upper, count in buckets:
        seen += count
        if total - seen <= left:
            return upper
    raise AssertionError
