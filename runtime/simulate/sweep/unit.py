"""What travels to a worker, and the rows that come back. All of it is plain data that can be pickled."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeAlias

from cpol.runtime.simulate.traces import Trace


class Source(NamedTuple):
    """A policy, as it travels: its text and those of the libraries that it imports from files.

    `path` is the client's, for messages; no worker opens it. `params` are as users write them, sorted by name. The
    digest is of the texts. Belady's optimum has a name alone.
    """

    name: str
    path: str
    text: str
    libraries: tuple[tuple[str, str], ...]  # the client's path, and the text
    params: tuple[tuple[str, str], ...]
    digest: str


class Wanted(NamedTuple):
    """A run. The capacity is as users write it: a share of the objects has yet to become pages."""

    policy: Source
    capacity: str
    batch: int | None  # None: as `cpolc sim`, 32 of a recording, else 1


class Reading(NamedTuple):
    """How to read a trace; see cpol.runtime.simulate.traces.read."""

    format: str | None = None
    columns: str | None = None
    pages: bool = False
    details: bool = False  # of no row: whether the policies ask for times and tasks

    def __str__(self) -> str:
        """As the table has it; empty: as the file says."""
        said = {"format": self.format, "columns": self.columns, "pages": "yes" if self.pages else None}
        return " ".join(f"{name}={value}" for name, value in said.items() if value)


class Found(NamedTuple):
    """A trace that there is: its path or URL, its bytes, and a stamp that changes when its contents do."""

    name: str
    size: int
    stamp: str


class Unit(NamedTuple):
    """What one task does: some runs on one trace.

    `storage` are options for fsspec. They are of no row, and a worker takes credentials from its own environment.
    """

    trace: Found
    label: str  # what the table calls the trace
    reading: Reading
    storage: Mapping[str, Any]
    runs: tuple[Wanted, ...]
    seed: int
    warmup: str
    version: str
    half: bool = False  # `misses` are the disk reads of the half by which `cpolc tune` chooses


class Row(NamedTuple):
    """A run that ended. The table has these columns, and all but SECONDS are the same wherever it ran.

    Of a run that failed, `error` has the reason, and what is not known is None.
    """

    trace: str
    stamp: str
    trace_digest: str | None  # SHA-256 of the file
    reading: str
    policy: str
    params: str
    policy_digest: str
    capacity: str
    batch: int | None  # as wanted
    seed: int
    warmup: str
    version: str
    pages: int | None = None
    evicts: int | None = None  # pages that an eviction frees: the batch that it came to
    objects: int | None = None
    requests: int | None = None
    misses: int | None = None
    miss_ratio: float | None = None
    evicted: int | None = None
    fallback: int | None = None
    refused: int | None = None
    refused_admission: int | None = None
    seconds: float | None = None
    error: str = ""


SECONDS = "seconds"
"""The column that differs from run to run."""


class Opened(NamedTuple):
    """A trace in memory, and the hash of its file."""

    trace: Trace
    digest: str


class Traces(Protocol):
    """Opens traces. It keeps the last ones, so that units of one trace read it once in a process."""

    def opened(self, unit: Unit) -> AbstractContextManager[Opened]:
        """The trace of a unit, until the block ends.

        Raises:
            TraceError, UserError, OSError: it cannot be had, or is none; the message names no credentials.
        """
        ...


Ended: TypeAlias = "tuple[Unit, list[Row]]"
Execute: TypeAlias = Callable[[Sequence[Unit]], Generator[Ended, None, None]]
"""Does units, in any order, and yields each as it ends. Closing it cancels the rest."""


def row_of(unit: Unit, wanted: Wanted, error: str = "", digest: str | None = None) -> Row:
    """The row of a run, without what it counted."""
    policy = wanted.policy
    return Row(
        unit.label,
        unit.trace.stamp,
        digest,
        str(unit.reading),
        policy.name,
        " ".join(f"{name}={value}" for name, value in policy.params),
        policy.digest,
        wanted.capacity,
        wanted.batch,
        unit.seed,
        unit.warmup,
        unit.version,
        error=error,
    )


def failed(unit: Unit, error: str, digest: str | None = None) -> list[Row]:
    """Rows of a unit that cannot be done, with the reason."""
    return [row_of(unit, wanted, error, digest) for wanted in unit.runs]
