"""Who reads what in a recording: which threads and commands read in order, which files are small and hot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, TypeVar

from cpol.compiler.comm import Comm, show
from cpol.runtime.simulate.traces import Trace
from cpol.runtime.simulate.traces.formats.record import REQUEST

IN_ORDER = 0.8
"""A thread or command scans if so large a share of its requests are for the page behind its last one."""

LEAST = 0.02
"""Whoever has a smaller share of the requests is not named."""

HOT = 3
"""A file is hot if each of its pages has so many requests, on average, and more than pages of the rest."""


MOST = 4_000_000
"""Requests that are looked at, from the first one on: a few seconds for a million of them."""

Key = TypeVar("Key", bound=Hashable)


class Part(NamedTuple):
    """What one reader or one file makes up."""

    name: str
    requests: int
    in_order: int
    """Requests for the page behind the last one of the same reader in the same file."""
    pages: int
    writes: int
    again: int
    """Requests of a page that was requested before by anybody."""
    stays: bool
    """It has requests in the first and in the last quarter of the trace."""
    reads: int
    """Requests for which the machine read from the disk; 0 if the trace does not tell."""


class Seen(NamedTuple):
    """The threads, commands and files of a trace, those with the most requests first. Keys are as inputs have them.

    A trace that does not tell threads, commands or files has none of them.
    """

    requests: int
    threads: dict[int, Part]
    commands: dict[Comm, Part]
    files: dict[int, Part]

    @property
    def scanning_threads(self) -> dict[int, Part]:
        return {key: part for key, part in self.threads.items() if self._scans(part)}

    @property
    def scanning_commands(self) -> dict[Comm, Part]:
        return {key: part for key, part in self.commands.items() if self._scans(part)}

    def _scans(self, part: Part) -> bool:
        """Whether it reads in order.

        Whoever writes does not scan: dirty pages cannot go at once, so a policy that puts them first evicts others.
        """
        in_order = part.requests >= LEAST * self.requests and part.in_order >= IN_ORDER * part.requests
        return in_order and 2 * part.writes <= part.requests

    def hot_files(self, pages: int) -> dict[int, Part]:
        """Files that fit into so many pages together and are requested most for each page, the hottest first."""
        found, left = dict[int, Part](), pages
        total = sum(part.pages for part in self.files.values())
        usual = self.requests / max(1, total)
        for key, part in sorted(self.files.items(), key=lambda item: item[1].requests / item[1].pages, reverse=True):
            density = part.requests / part.pages
            if part.pages <= left and density >= HOT and density > usual and part.requests >= LEAST * self.requests:
                found[key] = part
                left -= part.pages
        return found


def seen(trace: Trace) -> Seen:
    """Look at each request, up to MOST."""
    names = trace.names
    requests = [number for number, kind in enumerate(trace.ahead) if kind == REQUEST] if trace.ahead else None
    places = (range(len(trace.ids)) if requests is None else requests)[:MOST]
    if names is None:
        return Seen(len(places), {}, {}, {})
    files = [names.files[trace.ids[place]] for place in places]
    pages = [names.indices[trace.ids[place]] for place in places]
    writes = [trace.writes[place] if trace.writes else 0 for place in places]
    before = set[int]()
    again = []
    for place in places:
        id = trace.ids[place]
        again.append(id in before)
        before.add(id)
    reads = [trace.read[place] if trace.read else 0 for place in places]
    rows = list(zip(files, pages, writes, again, reads, strict=True))
    commands, threads = trace.comms, trace.tasks
    known = trace.paths or {}
    found = Seen(len(places), {}, {}, _parts(files, rows, lambda key: known.get(key, f"file {key}")))
    if threads is not None:
        found = found._replace(threads=_parts([threads[place] for place in places], rows, "thread {}".format))
    if commands is not None:
        found = found._replace(commands=_parts([commands.of(place) for place in places], rows, show))
    return found


def _parts(
    keys: Sequence[Key], rows: Sequence[tuple[int, int, int, bool, int]], name: Callable[[Key], str]
) -> dict[Key, Part]:
    requests, in_order, writes, again, reads = (Counter[Key]() for _ in range(5))
    last = dict[Key, tuple[int, int]]()
    pages = dict[Key, set[tuple[int, int]]]()
    quarter = len(keys) // 4
    ends = ({*keys[:quarter]}, {*keys[len(keys) - quarter :]})
    for key, (file, page, writing, seen, read) in zip(keys, rows, strict=True):
        requests[key] += 1
        writes[key] += writing
        again[key] += seen
        reads[key] += read
        old_file, old_page = last.get(key, (-1, -1))
        # The first page of another file goes on, too: programs that scan go from file to file.
        in_order[key] += page == old_page + 1 if file == old_file else page == 0
        last[key] = (file, page)
        pages.setdefault(key, set()).add((file, page))
    found = dict[Key, Part]()
    for key, count in requests.most_common():
        counted = (count, in_order[key], len(pages[key]), writes[key], again[key])
        found[key] = Part(name(key), *counted, all(key in end for end in ends), reads[key])
    return found
