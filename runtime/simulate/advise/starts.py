"""The start of a program that a recording begins with: what `replay` would read at once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

from cpol.compiler.comm import show
from cpol.runtime.simulate.traces import Trace
from cpol.runtime.simulate.traces.formats.record import REQUEST

BEGINS = 5_000
"""Milliseconds from the beginning of the recording, in which a program has to start."""
LASTS = 60_000
"""Milliseconds that a start takes, at most."""
GAP = 1_000
"""Milliseconds without a page from the disk: then it has started."""
LIBRARIES = 2
"""Who starts maps so many libraries, from their first page on."""
LEAST = 64
"""Pages of a start; with fewer, there is little to wait for."""


class Start(NamedTuple):
    """Who starts, how long that takes, and the pages that come from the disk for it: of each file, ranges of the first
    page and how many there are."""

    name: str
    process: int
    ms: int
    pages: int
    files: dict[str, list[tuple[int, int]]]


def start(trace: Trace) -> Start | None:
    """The start at the beginning of a recording with the most pages; None: there is none, or it does not tell."""
    if trace.names is None or trace.processes is None or not trace.times or trace.read is None or not trace.paths:
        return None
    kinds = trace.ahead or bytes(len(trace.ids))
    libraries = {key for key, path in trace.paths.items() if is_library(path)}
    mapped = dict[int, set[int]]()  # by process
    came = dict[int, list[int]]()  # places, by process
    ended = set[int]()
    for place, (id, kind, process, time) in enumerate(zip(trace.ids, kinds, trace.processes, trace.times, strict=True)):
        if time > LASTS:
            break
        if (kind == REQUEST and not trace.read[place]) or process in ended:
            continue
        if process in came and time - trace.times[came[process][-1]] > GAP:
            ended.add(process)
            continue
        came.setdefault(process, []).append(place)
        if trace.names.indices[id] == 0 and (file := trace.names.files[id]) in libraries:
            mapped.setdefault(process, set()).add(file)
    able = [
        process
        for process, files in mapped.items()
        if len(files) >= LIBRARIES and len(came[process]) >= LEAST and trace.times[came[process][0]] <= BEGINS
    ]
    if not able:
        return None
    process = max(able, key=lambda each: len(came[each]))
    places = came[process]
    name = show(trace.comms.of(places[-1])) if trace.comms else f"process {process}"
    pages = dict[int, set[int]]()
    for place in places:
        pages.setdefault(trace.names.files[trace.ids[place]], set()).add(trace.names.indices[trace.ids[place]])
    files = {trace.paths[key]: [*ranges(some)] for key, some in pages.items() if key in trace.paths}
    total = sum(map(len, pages.values()))
    return Start(name, process, trace.times[places[-1]] - trace.times[places[0]], total, files)


def is_library(path: str) -> bool:
    """Whether it is a shared object, by its name: libc.so.6, ld-linux-x86-64.so.2."""
    return ".so" in PurePosixPath(path).suffixes


def ranges(pages: Iterable[int]) -> list[tuple[int, int]]:
    """Runs of neighbours: the first page of each, and how many it has."""
    made = list[tuple[int, int]]()
    for page in sorted(pages):
        if made and sum(made[-1]) == page:
            made[-1] = made[-1][0], made[-1][1] + 1
        else:
            made.append((page, 1))
    return made
