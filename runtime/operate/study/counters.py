"""What is counted of a trial: by the kernel, and by the program itself."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

COUNTERS: Final = (
    "pgmajfault",
    "pswpin",
    "pswpout",
    "zswpin",
    "zswpout",
    "workingset_refault_anon",
    "workingset_refault_file",
    "pgscan",
    "pgsteal",
    "pgactivate",
)
"""Of memory.stat."""
OF_MACHINE: Final = ("pswpin", "pswpout")
"""memory.stat has these from Linux 6.14 on. Before, /proc/vmstat counts them for the whole machine."""
MAX_FILE: Final = 16 << 20
MAX_BUCKETS: Final = 100_000
MAX_KINDS: Final = 20
MAX_COUNT: Final = 2**63 - 1

Histogram = tuple[tuple[int, int], ...]
"""Upper ends in nanoseconds, which grow, and how many were below each and above the one before."""


def counted(cgroup: Path, vmstat: Path) -> dict[str, int]:
    """The counters now. One that the kernel does not have is left out."""
    own, machine = pairs(cgroup / "memory.stat"), pairs(vmstat)
    found = {name: machine[name] for name in OF_MACHINE if name in machine}
    return found | {name: own[name] for name in COUNTERS if name in own}


def pairs(path: Path) -> dict[str, int]:
    """Lines `name number` of a file; none if it cannot be read."""
    try:
        words = (line.split() for line in path.read_text(errors="replace").splitlines())
        return {line[0]: int(line[1]) for line in words if len(line) == 2 and line[1].isdecimal()}
    except OSError:
        return {}


def grown(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    return {name: max(0, count - before.get(name, 0)) for name, count in after.items()}


def number_in(path: Path) -> int | None:
    """The number that a file holds, such as memory.peak; None: it holds none, or is not there."""
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None


def told_by(path: Path) -> tuple[dict[str, Histogram], int | None]:
    """The histograms and the operations that a program wrote to $CPOL_STUDY_OUT; nothing if it wrote nothing.

    Raises:
        ValueError: it wrote something else; the message says what.
    """
    try:
        content = _read(path)
    except FileNotFoundError:
        return {}, None
    if len(content) > MAX_FILE:
        raise ValueError(f"more than {MAX_FILE >> 20} MiB; use fewer buckets")
    try:
        told: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from None
    if not isinstance(told, Mapping) or not told.keys() <= {"latency_ns", "operations"}:
        raise ValueError('no object with the keys "latency_ns" and "operations" alone')
    operations = told.get("operations")
    if operations is not None and not is_count(operations):
        raise ValueError(f"`operations` is {operations!r:.60}, and no count")
    return histograms(told.get("latency_ns", {})), operations


def _read(path: Path) -> bytes:
    """A regular file: a link may lead anywhere, and a pipe would never end."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ValueError("what is no regular file; write a plain one")
    with path.open("rb") as file:
        return file.read(MAX_FILE + 1)


def histograms(told: Any) -> dict[str, Histogram]:
    """Histograms from JSON.

    Raises:
        ValueError: they are none.
    """
    if not isinstance(told, Mapping) or len(told) > MAX_KINDS:
        raise ValueError(f"`latency_ns` is no object with at most {MAX_KINDS} histograms")
    return {str(name)[:80]: histogram(str(name)[:80], buckets) for name, buckets in told.items()}


def histogram(name: str, told: Any) -> Histogram:
    if not isinstance(told, list) or len(told) > MAX_BUCKETS:
        raise ValueError(f"the histogram {name!r} is no list of at most {MAX_BUCKETS:,} pairs [upper_ns, count]")
    found: list[tuple[int, int]] = []
    for pair in told:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(map(is_count, pair)):
            raise ValueError(f"the histogram {name!r} has {pair!r:.60}, and no pair [upper_ns, count]")
        if found and pair[0] <= found[-1][0]:
            raise ValueError(f"the histogram {name!r} has {pair[0]} behind {found[-1][0]}; sort its pairs")
        found.append((pair[0], pair[1]))
    return tuple(found)


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_COUNT
