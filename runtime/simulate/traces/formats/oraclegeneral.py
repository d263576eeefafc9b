"""libCacheSim's binary records: time, id, size, the number of the object's next request."""

from __future__ import annotations

import struct

from cpol.runtime.simulate.traces.formats.format import Format

_NEVER = (-1, -2, (1 << 63) - 1)


def fault(sample: bytes) -> str:
    """The first record that no trace of oraclegeneral has, and why; empty: there is none.

    Times never decrease, and each record's next request comes later or never.
    """
    last = 0
    records = sample[: len(sample) // 24 * 24]
    for number, (time, _, _, later) in enumerate(struct.iter_unpack("<IQIq", records), 1):
        place = f"record {number} (byte {24 * (number - 1)})"
        if time < last:
            return f"{place} has the time {time:,}, before {last:,} of the record before it"
        if later not in _NEVER and later <= number:
            return f"{place} has its next request at record {later}, which is no later one"
        last = time
    return "" if records else f"its {len(sample):,} bytes are less than a record of 24"


FORMAT = Format(
    "oraclegeneral",
    "libCacheSim's binary records of 24 bytes: time, id, size, next",
    carries=frozenset(("time",)),
    sized=True,
    binary=True,
    part="oraclegeneral",
    others=("oraclegeneralbin",),
    records=lambda sample: not fault(sample),
)
