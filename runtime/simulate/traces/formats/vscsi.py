"""VMware's binary block traces, of two versions."""

from __future__ import annotations

from pathlib import Path

from cpol.runtime.simulate.traces.errors import TraceError
from cpol.runtime.simulate.traces.formats.format import Format


def _version(sample: bytes) -> int | None:
    """1 or 2, if all records of the sample have that version; else None."""
    for version, size, at in ((1, 32, 14), (2, 40, 2)):
        starts = range(0, len(sample) - size + 1, size)
        if len(starts) and all(sample[start + at + 1] == version for start in starts):
            return version
    return None


def _layout(path: Path, head: bytes) -> str:
    version = _version(head[: 40 if len(head) >= 40 else 32])
    if version is None:
        raise TraceError(f"{path}: record 1: neither version 1 nor 2 of vscsi; give another --format")
    return f"vscsi{version}"


FORMAT = Format(
    "vscsi",
    "VMware's binary block traces, version 1 (32 bytes) or 2 (40 bytes)",
    carries=frozenset(("time",)),
    paged=frozenset(("page",)),  # of its device
    sized=True,
    binary=True,
    part="vscsi",
    records=lambda sample: _version(sample) is not None,
    layout=_layout,
)
