"""What is measured of a cgroup: counters of the kernel and of its policy, read at the two ends of a window."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from cpol.runtime.operate.loader.statistics import Statistics

PSI: Final = {
    "pressure": ("memory.pressure", "some"),
    "pressure_full": ("memory.pressure", "full"),
    "io_pressure": ("io.pressure", "some"),
    "io_pressure_full": ("io.pressure", "full"),
}
"""Counters of microseconds in which tasks stalled."""
MEMORY_STAT: Final = {
    "refaults": "workingset_refault_file",
    "major_faults": "pgmajfault",
    "reclaimed": "pgsteal",
}
POLICY: Final = ("hits", "misses")
READ_BYTES: Final = "read_bytes"
MEASURES: Final = {
    "refaults": "file pages a second that came back soon after they were evicted (memory.stat)",
    "major_faults": "page faults a second that had to read (memory.stat)",
    "reclaimed": "pages a second that reclaim took (memory.stat)",
    READ_BYTES: "bytes a second that devices read (io.stat)",
    "hits": "hits a second (the policy's statistics)",
    "misses": "misses a second (the policy's statistics)",
    "miss_ratio": "misses / (hits + misses)",
    "pressure": "per cent of the time in which a task waited for memory (memory.pressure, some)",
    "pressure_full": "per cent of the time in which all tasks did (memory.pressure, full)",
    "io_pressure": "per cent of the time in which a task waited for a device (io.pressure, some)",
    "io_pressure_full": "per cent of the time in which all tasks did (io.pressure, full)",
}
"""The measures that need no --metric, and what they are."""
MAX_FILE: Final = 1 << 20
Snapshot = dict[str, float]
"""Counters by name, and `time` in seconds of CLOCK_BOOTTIME. What cannot be counted is left out."""
Samples = dict[str, list[tuple[float, float]]]
"""Values of the service's metrics, each with the time of its reading."""


def snapshot(cgroup: Path, policy: Statistics | None) -> Snapshot:
    """The counters of a cgroup now. A file that is not there, or is not as expected, leaves its counters out."""
    found: Snapshot = {"time": now()}
    memory = pairs(text_of(cgroup / "memory.stat"))
    found |= {name: memory[key] for name, key in MEMORY_STAT.items() if key in memory}
    for name, (file, which) in PSI.items():
        for line in text_of(cgroup / file).splitlines():
            words = line.split()
            if words and words[0] == which:
                found[name] = sum(fields(words[1:], "total"))
    if devices := text_of(cgroup / "io.stat"):
        found[READ_BYTES] = sum(value for line in devices.splitlines() for value in fields(line.split()[1:], "rbytes"))
    if policy is not None:
        found |= {name: float(policy.numbers[name]) for name in POLICY if name in policy.numbers}
    return found


def now() -> float:
    """Seconds of CLOCK_BOOTTIME, which goes on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def text_of(path: Path) -> str:
    """The text of a file of cgroup2; empty if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_FILE).decode(errors="replace")
    except OSError:  # without the controller, or without PSI
        return ""


def pairs(text: str) -> dict[str, float]:
    """Lines `name number`."""
    found = {}
    for line in text.splitlines():
        name, _, value = line.partition(" ")
        if value.isdecimal():
            found[name] = float(value)
    return found


def fields(words: Sequence[str], name: str) -> list[float]:
    """The values of words `name=number`."""
    found = (word.partition("=")[2] for word in words if word.startswith(f"{name}="))
    return [float(value) for value in found if value.isdecimal()]


def measure(
    start: Mapping[str, float], end: Mapping[str, float], samples: Samples, counters: Collection[str] = ()
) -> dict[str, float | None]:
    """The measures of a window, from the counters at its ends and the samples in it. None: it cannot be told.

    Args:
        counters: the names in `samples` whose values only grow: their measure is what they grew in a second.
    """
    seconds = end["time"] - start["time"]
    result: dict[str, float | None] = dict.fromkeys(MEASURES)
    for name in (*MEMORY_STAT, *POLICY, READ_BYTES):
        result[name] = rate(start, end, name, seconds)
    for name in PSI:  # microseconds a second, as per cent
        value = rate(start, end, name, seconds)
        result[name] = None if value is None else value / 10_000
    hits, misses = result["hits"], result["misses"]
    if hits is not None and misses is not None and hits + misses > 0:
        result["miss_ratio"] = misses / (hits + misses)
    for name, values in samples.items():
        result[name] = grown(values) if name in counters else mean(values)
    return result


def mean(values: Sequence[tuple[float, float]]) -> float | None:
    return finite(sum(value for _, value in values) / len(values)) if values else None


def finite(value: float) -> float | None:
    """None: the sum of large readings is beyond all numbers, and JSON has no word for that."""
    return value if math.isfinite(value) else None


def grown(values: Sequence[tuple[float, float]]) -> float | None:
    """What a counter grew in a second. None: it was read once, or began anew."""
    steps = [later[1] - earlier[1] for earlier, later in pairwise(values)]
    seconds = values[-1][0] - values[0][0] if values else 0
    return finite(sum(steps) / seconds) if steps and min(steps) >= 0 and seconds > 0 else None


def rate(start: Mapping[str, Any], end: Mapping[str, Any], name: str, seconds: float) -> float | None:
    """What a counter grew in a second. None: it was not counted at both ends, or began anew between them."""
    if name not in start or name not in end or seconds <= 0:
        return None
    found = (float(end[name]) - float(start[name])) / seconds
    return found if found >= 0 and math.isfinite(found) else None
