"""What is attached, from the loader's `list --json`."""

from __future__ import annotations

import json
from dataclasses import dataclass

from cpol.runtime.operate import loader

SECONDS = 30
"""Seconds that the loader may take; it usually takes milliseconds."""
GOVERNS = ("attached", "not pinned")
"""States of a policy that governs its cgroup."""
GONE, BROKEN_OFF = "cgroup removed", "broken off"
OURS = "apply:"
"""How the tag of a policy begins that `cpolc apply` attached."""


@dataclass(frozen=True)
class Attached:
    """A policy that a cgroup has."""

    cgroup: int
    """The cgroup's id."""
    path: str | None
    policy: str
    state: str
    tag: str = ""
    """Who or what attached it; empty: by hand."""
    attached_ms: int | None = None
    """Milliseconds of CLOCK_BOOTTIME."""
    reason: str = ""
    """How it ended, if it has."""
    prefetches: bool = False
    """It only prefetches."""

    @property
    def governs(self) -> bool:
        return self.state in GOVERNS


def read_all() -> list[Attached]:
    """All policies, of which a cgroup may have one that evicts and one that prefetches.

    Raises:
        loader.LoaderError: the loader failed, or its output is malformed.
    """
    text = loader.output(["list", "--json"], SECONDS)
    try:
        return [
            Attached(
                int(entry["cgroup"]),
                None if entry["path"] is None else str(entry["path"]),
                str(entry["policy"]),
                str(entry["state"]),
                str(entry.get("tag") or ""),
                int(entry["attached_ms"]) if entry.get("attached_ms") else None,
                ": ".join(str(entry[key]) for key in ("exit", "message") if entry.get(key)),
                entry.get("kind") == "prefetch",
            )
            for entry in json.loads(text)
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise loader.LoaderError(f"the loader's list is malformed: {error}") from None


def read() -> dict[int, Attached]:
    """The policies by the ids of their cgroups.

    Of two that a cgroup has, the one counts that `cpolc apply` attached, or else the one that evicts.

    Raises:
        loader.LoaderError: the loader failed, or its output is malformed.
    """
    return {one.cgroup: one for one in sorted(read_all(), key=lambda one: (bool(one.tag), not one.prefetches))}
