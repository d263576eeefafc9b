"""LCS, libCacheSim's own format: a header, then records."""

from __future__ import annotations

import struct
from pathlib import Path

from cpol.runtime.simulate.traces.errors import TraceError
from cpol.runtime.simulate.traces.formats.format import Format

FIRST = b"\xf0\xde\xbc\x9a\x78\x56\x34\x12"
HEADER = 8192
"""Bytes of the header: FIRST, the version, statistics, and FIRST again at its end."""

_LAYOUTS = {1: "oraclegeneral", 2: "lcs2"}
"""The records of each version, as the parser calls them: those of version 1 are those of oraclegeneral."""


def layout_of(path: Path, head: bytes) -> str:
    """The parser's name for the records of a trace that begins with `head`.

    Raises:
        TraceError: the header is not one, or of a version that is not read.
    """
    if not head.startswith(FIRST):
        raise TraceError(f"{path}: the file does not begin as LCS traces do; give another --format")
    if len(head) < HEADER or head[HEADER - len(FIRST) : HEADER] != FIRST:
        raise TraceError(f"{path}: the header of {HEADER:,} bytes is cut off or damaged; fetch the trace again")
    version: int = struct.unpack_from("<Q", head, len(FIRST))[0]
    if version not in _LAYOUTS:
        raise TraceError(
            f"{path}: version {version:,} of LCS is not read, only 1 and 2; convert it to oracleGeneral with "
            "libCacheSim's traceConv"
        )
    return _LAYOUTS[version]


FORMAT = Format(
    "lcs",
    "libCacheSim's binary records behind a header, version 1 (24 bytes) or 2 (28 bytes)",
    carries=frozenset(("time",)),
    sized=True,
    binary=True,
    suffixes=(".lcs",),
    begins=FIRST,
    layout=layout_of,
    header=HEADER,
)
