"""The kernel's statistics of each policy, and how policies ended, from the loader's `stat --all`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from cpol.runtime.operate import loader

NO_STATISTICS = {"cgroup", "code", "ended_ms", "attached_ms"}
"""Keys whose numbers count nothing."""
SECONDS = 10
"""Seconds that the loader may take; it usually takes milliseconds."""


@dataclass(frozen=True)
class End:
    """How a policy ended."""

    exit: str
    """The kind, such as watchdog (docs/kernel-interface.md)."""
    code: int
    message: str
    ended_ms: int
    """Milliseconds of CLOCK_BOOTTIME."""
    held: bool
    """Its link exists, so its cgroup can get another policy only in its place. There are numbers."""


@dataclass(frozen=True)
class Statistics:
    """The statistics of one policy."""

    cgroup: int
    """The cgroup's id."""
    path: str | None
    """The cgroup's path; None: it was removed, or is not visible from here."""
    policy: str
    state: str
    numbers: dict[str, int]
    """By the kernel's names (docs/kernel-interface.md). Which names there are depends on the kernel."""
    lists: tuple[int, ...] = ()
    """Pages on each list."""
    list_names: tuple[str, ...] = field(default=())
    """Shorter than `lists` if the policy has an array of lists; empty if another program attached it."""
    reason: str = ""
    """Why the kernel detached the policy, if the state is overruled."""
    end: End | None = None
    """None: the policy has not ended."""
    prefetches: bool = False
    """It only prefetches: `numbers` are those of prefetching."""
    latency: tuple[int, ...] = ()
    """Faults that had to read, by how long they took: powers of two of microseconds."""
    attached_ms: int | None = None
    """Milliseconds of CLOCK_BOOTTIME; None: another program or an older cpolc attached it."""

    @property
    def called(self) -> str:
        """The cgroup's path, or its id in parentheses."""
        return self.path if self.path is not None else f"(cgroup {self.cgroup})"

    def list_name(self, number: int) -> str:
        """The name of list `number`, from 0; its number if the name is unknown."""
        return self.list_names[number] if number < len(self.list_names) else str(number)


def read() -> list[Statistics]:
    """The statistics of all policies that the kernel knows, in the order of the cgroups' paths.

    Raises:
        loader.LoaderError: the loader cannot be built, it failed, or its output is malformed.
    """
    text = loader.output(["stat", "--all"], SECONDS)
    try:
        return sorted((parse(entry) for entry in json.loads(text)), key=lambda one: (one.called, one.cgroup))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise loader.LoaderError(f"the loader's statistics are malformed: {error}") from None


def parse(entry: dict[str, Any]) -> Statistics:
    """Read one policy of the loader's JSON."""
    numbers = {key: value for key, value in entry.items() if type(value) is int and key not in NO_STATISTICS}
    return Statistics(
        cgroup=int(entry["cgroup"]),
        path=entry["path"],
        policy=str(entry["name"]),
        state=str(entry.get("state") or "n/a"),
        numbers=numbers,
        reason=str(entry.get("reason") or ""),
        lists=tuple(int(pages) for pages in entry.get("lists") or ()),
        list_names=tuple(str(name) for name in entry.get("list_names") or ()),
        prefetches=entry.get("kind") == "prefetch",
        latency=tuple(int(faults) for faults in entry.get("latency") or ()),
        end=parse_end(entry) if entry.get("exit") or entry.get("state") == "ended" else None,
        attached_ms=int(entry["attached_ms"]) if entry.get("attached_ms") else None,
    )


def parse_end(entry: dict[str, Any]) -> End:
    """Read how a policy ended. A kernel may leave out what it does not know."""
    return End(
        exit=str(entry.get("exit") or "unknown"),
        code=int(entry.get("code") or 0),
        message=str(entry.get("message") or ""),
        ended_ms=int(entry.get("ended_ms") or 0),
        held=bool(entry.get("held")),
    )
