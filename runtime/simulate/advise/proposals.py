"""What the inputs of stdlib policies would be told, from what a recording shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from cpol.compiler.comm import show
from cpol.runtime.simulate.advise.seen import Part, Seen
from cpol.runtime.simulate.traces import Trace

FEW = 3
"""So many names stand in a sentence."""

MOST_THREADS = 16
"""More threads that scan are not told to a policy one by one."""

KEEP = 4
"""`keep_files` may pin a quarter of the cache, its default."""

OTHERS = 0.05
"""Of the requests, at least: if nobody but scans reads, there is nobody to protect from them."""


class Proposal(NamedTuple):
    """A policy with its input filled.

    `keys` are those of the trace, as `--input` of `cpolc sim` takes them. `live` are those of the machine, for `cpolc
    attach`; empty: they have to be looked up, as numbers of threads that run. `words` names them for people. If `aside`
    is given, the policy keeps these requests (1 for each id) out of the cache, and the kernel's default has the rest.
    """

    policy: str
    input: str
    keys: tuple[str, ...]
    words: str
    live: tuple[str, ...]
    aside: bytes | None = None


def proposals(trace: Trace, seen: Seen, later: Seen, pages: int) -> Iterator[Proposal]:
    """The inputs that the requests of a trace suggest, for a cache of so many pages.

    Args:
        seen: what the part of the trace shows that chooses.
        later: what all of it shows: which threads live on.
    """
    threads = {key: part for key, part in seen.scanning_threads.items() if later.threads[key].stays}
    if others(seen, threads) and len(threads) <= MOST_THREADS:
        keys = tuple(map(str, threads))
        words = f"{named(list(threads.values()))} scan: {share(seen, threads)}"
        yield Proposal("get_scan", "scanners", keys, words, ())
    commands = seen.scanning_commands
    if others(seen, commands) and trace.comms:
        keys = tuple(map(show, commands))
        words = f"{named(list(commands.values()))} read in order: {share(seen, commands)}"
        aside = bytes(trace.comms.of(place) in commands for place in range(len(trace.ids)))
        yield Proposal("backup", "commands", keys, words, keys, aside)
    if hot := seen.hot_files(pages // KEEP):
        words = f"{named(list(hot.values()))}: {sum(part.pages for part in hot.values()):,} pages with "
        names = tuple(part.name for part in hot.values())
        names = names if all(map(can_be_told, names)) else ()
        yield Proposal("keep_files", "kept", tuple(map(str, hot)), words + share(seen, hot), names)


def can_be_told(name: str) -> bool:
    """Whether `--input` takes the name of a file: it is a path, and has no separator in it."""
    return name.startswith("/") and name.isprintable() and "," not in name and "=" not in name


def others(seen: Seen, found: Mapping[Any, Part]) -> bool:
    """Whether there are scans, and somebody else."""
    return bool(found) and sum(part.requests for part in found.values()) <= (1 - OTHERS) * seen.requests


def share(seen: Seen, found: Mapping[Any, Part]) -> str:
    return f"{sum(part.requests for part in found.values()) / seen.requests:.0%} of the requests"


def named(parts: Sequence[Part]) -> str:
    """The names of the first few."""
    more = f" and {len(parts) - FEW} more" if len(parts) > FEW else ""
    return ", ".join(part.name for part in parts[:FEW]) + more
