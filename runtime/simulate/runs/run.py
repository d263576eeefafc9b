"""What a run of a policy on a trace counted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from cpol.runtime.machine.native import Counts
from cpol.runtime.simulate.simulator import Steps


class Run(NamedTuple):
    """A run of one policy with one capacity.

    `label` tells it from the runs of other policies; `first_misses` are those of the first policy with the same
    capacity, None: that has not ended; `steps` is None if they were not counted; `bytes` are those of all requests,
    None: they were not counted. `more` goes into the JSON object.
    """

    policy: str
    label: str
    trace: Path
    capacity: int
    batch: int
    seed: int
    counts: Counts
    seconds: float
    first_misses: int | None = None
    steps: Steps | None = None
    more: Mapping[str, Any] = MappingProxyType({})
    bytes: int | None = None

    @property
    def against_first(self) -> float | None:
        """The misses as a share of those of the first policy. None: these are not known, or 0 after a warm-up."""
        return self.counts.misses / self.first_misses if self.first_misses else None

    @property
    def byte_miss_ratio(self) -> float | None:
        """The bytes of requests that missed as a share of all. None: they were not counted."""
        if self.bytes is None:
            return None
        return self.counts.missed_bytes / self.bytes if self.bytes else 0.0
