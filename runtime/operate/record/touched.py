"""What a recording says was touched of each file: its pages, and its name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cpol.runtime.simulate.traces import TraceError, read
from cpol.runtime.simulate.traces.formats.record import FIRST, Recording, folio_of
from cpol.runtime.simulate.traces.source import chunks

MAX_PAGES = 1 << 22
"""That events may be about, in all: 16 GiB."""


class Touches(Recording):
    """Reads a recording. By file, `used`: pages accessed or dirtied; `added`: those that came into the cache.

    `misses`: reads and faults that found a page missing, for which the kernel read a window.
    """

    def __init__(self) -> None:
        super().__init__()
        self.used: dict[str, set[int]] = {}
        self.added: dict[str, set[int]] = {}
        self.misses: Counter[str] = Counter()
        self._pages = 0

    def event(self, event: re.Match[bytes]) -> str:
        kind = event["event"]
        if kind in (b"accessed", b"dirtied", b"added"):
            first, pages = folio_of(event)
            self._pages += pages
            if self._pages > MAX_PAGES:
                raise ValueError(f"the recording has more than {MAX_PAGES} pages; record a start only")
            of = self.added if kind == b"added" else self.used
            of.setdefault(event["file"].decode(), set()).update(range(first, first + pages))
        elif kind in (b"window", b"marked"):  # at a marker the kernel reads a window, too, and nothing was missing
            self.misses[event["file"].decode()] += 1 if kind == b"window" else -1
        return super().event(event)

    def touched(self) -> Iterator[tuple[str, list[int]]]:
        """Each file with its pages, in order.

        Each miss uses a page. The kernel tells of pages that were used through a mapping when the mapping ends. So if
        fewer pages of a file were used than misses were, it has not told, and all pages count that were read.
        """
        for file in dict.fromkeys((*self.used, *self.added)):
            used, added = self.used.get(file, set()), self.added.get(file, set())
            yield file, sorted(used | added if len(used) < self.misses[file] else used)


def read_touches(path: Path) -> Touches:
    """Read the recording in a file.

    Raises:
        TraceError: it is no recording, or a wrong one.
    """
    touches = Touches()
    if not next(iter(chunks(path)), b"").startswith(FIRST):
        raise TraceError(f"{path}: no recording: it does not begin as one; make one by `cpolc record CGROUP -o FILE`")
    read(path, "record", readers={"record": touches})
    return touches
