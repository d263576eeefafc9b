"""What the inputs of stdlib policies would be told, from what a recording shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from cpol.compiler.comm import show
from cpol.runtime.simulate.advise.scattered import Scattered, scattered
from cpol.runtime.simulate.advise.seen import LEAST, Part, Seen
from cpol.runtime.simulate.advise.starts import start
from cpol.runtime.simulate.advise.streams import AFTER, streams
from cpol.runtime.simulate.traces import Trace
from cpol.runtime.simulate.traces.formats.record import REQUEST

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
    attach`; empty: they have to be looked up, as numbers of threads that run. `words` names them for people.

    Of a policy that leaves evicting to the kernel's default, one of these has 1 for each id that it changes: `aside`,
    requests that it keeps out of the cache; `unbrought`, pages that readahead brings, and that it does not read ahead.
    """

    policy: str
    input: str
    """Empty: it finds out by itself."""
    keys: tuple[str, ...]
    words: str
    live: tuple[str, ...]
    aside: bytes | None = None
    unbrought: bytes | None = None

    @property
    def is_beside(self) -> bool:
        """Whether the kernel's default evicts, beside what the policy does."""
        return self.aside is not None or self.unbrought is not None


class Suggestion(NamedTuple):
    """A policy that may help, and of which nothing tells how much.

    `why` says why not. `files` are what it would read at once: ranges of each, by the first page and how many.
    """

    policy: str
    input: str
    live: tuple[str, ...]
    words: str
    why: str
    files: Mapping[str, Sequence[tuple[int, int]]] = {}


def proposals(trace: Trace, early: Trace, seen: Seen, later: Seen, pages: int) -> Iterator[Proposal]:
    """The inputs that the requests of a trace suggest, for a cache of so many pages.

    Args:
        early: the part of the trace that chooses.
        seen: what it shows.
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
        yield Proposal("keep_files", "kept", tuple(map(str, hot)), words + share(seen, hot), told(names))
    if found := streams(early):
        part = found.requests / max(1, seen.requests)
        if LEAST <= part <= 1 - OTHERS and (all_of_it := streams(trace)):
            words = f"{few(found.readers)} read files in order, more than {AFTER} pages in a row: {part:.0%} of the "
            yield Proposal("drop_behind", "", (), f"{words}requests bring such pages", (), all_of_it.aside)
    if random := {key: file for key, file in scattered(early).items() if file.seen}:
        files, ahead = trace.names, trace.ahead
        assert files is not None and ahead is not None  # else nothing tells
        chosen = (files.files[id] in random for id in trace.ids)
        unbrought = bytes(one and kind != REQUEST for one, kind in zip(chosen, ahead, strict=True))
        names = tuple(file.name for file in random.values())
        yield Proposal(
            "random_access", "scattered", tuple(map(str, random)), unused(random.values()), told(names), None, unbrought
        )


def suggestions(trace: Trace) -> Iterator[Suggestion]:
    """Policies for what a trace shows, but that no run can judge."""
    if mapped := [file for file in scattered(trace).values() if not file.seen]:
        yield Suggestion(
            "random_access",
            "scattered",
            told(tuple(file.name for file in mapped)),
            f"{unused(mapped)}, in {sum(file.places for file in mapped):,} places",
            "uses through a mapping are not seen, so nobody knows which pages were in vain",
        )
    if (begun := start(trace)) is not None:
        runs = sum(map(len, begun.files.values()))
        yield Suggestion(
            "replay",
            "start",
            (),
            f"{begun.name} starts as the recording begins: {begun.pages:,} pages of {len(begun.files):,} files, in "
            f"{runs:,} places, within {begun.ms / 1000:.1f} s",
            "it saves waits at the next start, and no disk reads",
            begun.files,
        )


def unused(files: Iterable[Scattered]) -> str:
    """How much of what is read of files is in vain."""
    files = [*files]
    unread, came = (sum(each) for each in zip(*((file.unread, file.came) for file in files), strict=True))
    return f"{few([file.name for file in files])}: nobody was seen to use {unread:,} of {came:,} pages that were read"


def told(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of files as `--input` takes them; none if it cannot take one of them."""
    return names if all(map(can_be_told, names)) else ()


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
    return few([part.name for part in parts])


def few(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more
