"""What the programs counted, as the loader tells it in a line of JSON; sums by file, command and process."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)

USED_BITS = 1 << 20
"""Of a set of pages that were used, by their hashes (OBSERVE_USED_WORDS in cpol/observe.h)."""
FULL = 0.97
"""The share of bits that are set, from which on the estimate says nothing."""


class Counts(NamedTuple):
    """Counts of pages, in the order of OBSERVE_COUNTS (cpol/observe.h). docs/observing.md defines them."""

    hits: int = 0
    misses: int = 0
    faults: int = 0
    refaults: int = 0
    ahead: int = 0
    ahead_used: int = 0
    ahead_unused: int = 0
    ahead_unknown: int = 0
    dirtied: int = 0
    written_back: int = 0

    def plus(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))

    def minus(self, other: Counts) -> Counts:
        return Counts(*(a - b for a, b in zip(self, other, strict=True)))

    @property
    def uses(self) -> int:
        return self.hits + self.misses

    @property
    def hit_ratio(self) -> float | None:
        return self.hits / self.uses if self.uses else None


@dataclass(frozen=True)
class Heat:
    """Uses of a run of pages."""

    hits: int
    misses: int


@dataclass(frozen=True)
class Look:
    """All counts since the programs were attached, at one moment."""

    ns: int
    gone: bool
    """The cgroup was removed."""
    missed: int
    """Events that came while the same program ran on their processor."""
    untold_pages: int
    """Pages that came when the table of pages was full."""
    untold_cells: int
    """Uses in runs of pages for which the table of runs had no room."""
    all: Counts
    other_files: Counts
    """Of files for which the table had no room; and so on."""
    other_tasks: Counts
    files: dict[str, Counts]
    """By MAJOR:MINOR:INODE."""
    tasks: dict[tuple[int, str], Counts]
    """By thread group and command."""
    names: dict[str, str]
    """Paths in their file systems, of files that came since the look before."""
    cells: dict[tuple[str, int], Heat]
    """By file and number of the run."""
    used_bits: int
    """Set since the look before."""

    def commands(self) -> dict[str, Counts]:
        return _sums((command, counts) for (_, command), counts in self.tasks.items())

    def processes(self) -> dict[tuple[int, str], Counts]:
        """By thread group; it is called as its thread that used the most pages."""
        called: dict[int, tuple[int, str]] = {}
        for (process, command), counts in self.tasks.items():
            called[process] = max(called.get(process, (-1, "")), (counts.uses, command))
        sums = _sums((process, counts) for (process, _), counts in self.tasks.items())
        return {(process, called[process][1]): counts for process, counts in sums.items()}


def _sums(pairs: Iterable[tuple[Key, Counts]]) -> dict[Key, Counts]:
    sums: dict[Key, Counts] = {}
    for key, counts in pairs:
        sums[key] = sums.get(key, Counts()).plus(counts)
    return sums


def parse(line: str) -> Look:
    """Read a line of the loader.

    Raises:
        ValueError, KeyError, TypeError: it is malformed.
    """
    told: dict[str, Any] = json.loads(line)
    return Look(
        ns=int(told["ns"]),
        gone=bool(told["gone"]),
        missed=int(told["missed"]),
        untold_pages=int(told["untold_pages"]),
        untold_cells=int(told["untold_cells"]),
        all=_counts(told["all"]),
        other_files=_counts(told["other_files"]),
        other_tasks=_counts(told["other_tasks"]),
        files={str(file): _counts(counts) for file, counts in told["files"]},
        tasks={(int(process), str(command)): _counts(counts) for process, command, counts in told["tasks"]},
        names={str(file): str(path) for file, path in told["names"].items()},
        cells={(str(file), int(run)): Heat(int(hits), int(misses)) for file, run, hits, misses in told["cells"]},
        used_bits=int(told["used_bits"]),
    )


def _counts(numbers: list[Any]) -> Counts:
    if len(numbers) != len(Counts._fields):
        raise ValueError(f"{len(numbers)} counts, {len(Counts._fields)} expected")
    return Counts(*map(int, numbers))


class WorkingSet(NamedTuple):
    """An estimate of the pages that were used in an interval."""

    seconds: float
    """Since the programs were attached, at the interval's end."""
    pages: int | None
    """None: more than the set of bits can tell."""
    error: float
    """The standard error, as a share of the pages; 0: there are none."""


def working_set(bits: int, seconds: float) -> WorkingSet:
    """Linear counting (Whang et al., TODS 15(2), 1990): pages that share a bit are made up for."""
    if bits >= FULL * USED_BITS:
        return WorkingSet(seconds, None, 1.0)
    load = -math.log1p(-bits / USED_BITS)
    pages = round(USED_BITS * load)
    error = math.sqrt(USED_BITS * (math.expm1(load) - load)) / pages if pages else 0.0
    return WorkingSet(seconds, pages, error)


def largest(rows: Mapping[Key, Counts], most: int) -> tuple[list[tuple[Key, Counts]], Counts, int]:
    """The rows with the most misses, then uses; what the others did; and how many these are."""
    order = sorted(rows.items(), key=lambda row: (row[1].misses, row[1].uses, row[1]), reverse=True)
    others = Counts()
    for _, counts in order[most:]:
        others = others.plus(counts)
    return order[:most], others, max(len(order) - most, 0)
