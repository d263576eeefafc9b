"""How `cpolc sim` is like the machine: the room that a recording tells, and the batch of the kernel's reclaim."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from cpol.compiler.ir import MAX_BATCH
from cpol.errors import RequestError, UserError
from cpol.runtime.machine.native import Counts
from cpol.runtime.simulate.traces import Stream, Trace

KERNEL_BATCH = MAX_BATCH
"""Pages that the kernel's reclaim asks for at once (SWAP_CLUSTER_MAX)."""


SHARE = 100
"""What is more than one of so many makes counts doubtful."""


OTHER_ROOMS = (97, 103)
"""Percent of the recorded room: in a second run of the same work, as much differs."""
FAR = 20
"""Misses that differ by more than one of so many, for so little, are not to be foretold."""


class Followed(NamedTuple):
    """The room of file pages that a run follows, in pages: at each request where it changes, and in sum."""

    changes: tuple[tuple[int, int], ...]  # request, pages; the first is at request 0
    mean: int  # over the requests
    least: int
    most: int
    limit: int

    @property
    def first(self) -> int:
        return self.changes[0][1]

    def as_json(self) -> dict[str, Any]:
        told = {"first": self.first, "mean": self.mean, "least": self.least, "most": self.most}
        return {"room": {**told, "limit": self.limit, "changes": len(self.changes)}}

    def __str__(self) -> str:
        span = f"{self.least:,}" if self.least == self.most else f"{self.least:,} to {self.most:,}"
        return f"{span} pages under a limit of {self.limit:,}"


def followed(trace: Trace | Stream) -> Followed | None:
    """What a recording tells of the room; None: it is none, or tells nothing."""
    if not trace.rooms:
        return None
    requests = trace.requests if isinstance(trace, Stream) else len(trace.ids)
    by_request = {min(room.request, requests): room.pages for room in trace.rooms if room.request < requests}
    by_request.setdefault(0, trace.rooms[0].pages)
    changes = tuple(sorted(by_request.items()))
    ends = [*(request for request, _ in changes[1:]), requests]
    total = sum(pages * (end - start) for (start, pages), end in zip(changes, ends, strict=True))
    pages = [pages for _, pages in changes]
    limit = max(room.limit for room in trace.rooms)
    return Followed(changes, max(1, total // requests), min(pages), max(pages), limit)


def batch_of(trace: Trace | Stream, batch: int | None, like_kernel: bool) -> int:
    """Pages that one eviction frees: what the user says, else what the kernel asks for if it is to be like that."""
    return batch or (KERNEL_BATCH if like_kernel or trace.format == "record" else 1)


def check_single(option: str, followed: Followed) -> None:
    """Refuse an option that shows a run with one capacity. Raises RequestError."""
    raise RequestError(
        f"{option} shows a run with one capacity, and the recording's room is {followed}; "
        f"add --capacity {followed.mean}"
    )


def no_optimum(path: Path) -> UserError:
    """The error with --belady, for a recording in which writes bring pages that nobody then misses."""
    return RequestError(f"{path}: some requests write, and what an optimum would miss then is not known", "--belady")


def no_capacity(trace: Trace | Stream) -> UserError:
    """The error without --capacity, for a trace that tells none."""
    if trace.format == "record":
        return UserError(
            f"{trace.path}: an older cpolc record made it, which did not record the room of file pages; give "
            "--capacity, or record again"
        )
    return RequestError(
        "Missing option '--capacity'. Give it: pages (1000), a size (64M), or a share of the objects (0.01); only a "
        "recording tells how much room there was."
    )


def doubts(
    trace: Trace, size: int, batch: int, follows: bool, counts: Counts, with_other_rooms: Iterable[int]
) -> list[str]:
    """Why the counts of a recording's run may not be the machine's, in words of `--json`; the notes say more.

    Args:
        with_other_rooms: the misses of the same run with a little less room, and a little more.
    """
    room = followed(trace)
    reasons = {
        "capacity": room is not None and not follows and is_above(size, room),
        "batch": batch != KERNEL_BATCH,
        "lost": trace.lost > 0,
        "readahead": trace.unread * SHARE > trace.requests,
        "room": any(abs(misses - counts.misses) * FAR > counts.misses for misses in with_other_rooms),
        "fallback": counts.fallback * SHARE > counts.misses,
    }
    return [name for name, holds in reasons.items() if holds]


def is_above(size: int, room: Followed) -> bool:
    """Whether a capacity is more than there was, but for a twentieth."""
    return size * 20 > room.mean * 21


def said_of(batch: int, room: Followed | None, explicit_batch: bool) -> str:
    """How the runs are like the machine, for the line above the rows."""
    if room is not None:
        where = "given" if explicit_batch else "as the kernel asks"
        return f"capacity from the recording, the room of file pages: {room}; batch {batch}, {where}"
    if batch == KERNEL_BATCH and not explicit_batch:
        return f"batch {batch}, as the kernel asks"
    return f"batch {batch}"
