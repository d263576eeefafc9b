"""The kernel's own readahead of files: what it reads when a page is missing, and when the reader comes to its marker.

A sequential reader gets a window that grows to `MAX_PAGES`. Its marker lies where the next window is to be asked for.
Any other reader gets the pages that it asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

MAX_PAGES = 32
"""read_ahead_kb is 128 unless somebody sets it."""

_NEVER = 2**63


@dataclass(frozen=True, slots=True)
class Window:
    """What to read, and where to put the marker; -1: nowhere."""

    start: int
    pages: int
    marker: int
    sequential: bool


@dataclass(slots=True)
class Reader:
    """Who reads a file, as `struct file_ra_state` remembers it."""

    start: int = 0
    size: int = 0
    ahead: int = 0  # pages of the window behind its marker
    after: int = field(default=_NEVER)  # the page behind the last one that was read

    def missing(self, index: int, wanted: int, is_cached: Callable[[int], bool]) -> Window:
        """The window when `wanted` pages from `index` on are missing."""
        if index == 0 or wanted > MAX_PAGES or 0 <= index - self.after <= 1:
            self.start, self.size = index, first_size(wanted)
            self.ahead = self.size - wanted if self.size > wanted else self.size // 2
            return self._window()
        run = 0
        while run < MAX_PAGES and run < index and is_cached(index - 1 - run):
            run += 1
        if run <= wanted:
            return Window(index, wanted, -1, False)
        run *= 2 if run == index else 1  # cached from the beginning of the file
        self.start, self.size, self.ahead = index, min(run + wanted, MAX_PAGES), 1
        return self._window()

    def marked(self, index: int, wanted: int, is_cached: Callable[[int], bool]) -> Window:
        """The window when the reader comes to a marker at `index`."""
        if index == self.start + self.size - self.ahead:
            self.start += self.size
            self.size = next_size(self.size)
        else:
            start = index + 1
            while start - index <= MAX_PAGES and is_cached(start):
                start += 1
            if start - index > MAX_PAGES:
                return Window(index, 0, -1, False)
            self.start, self.size = start, next_size(start - index + wanted)
        self.ahead = self.size
        return self._window()

    def read(self, index: int, end: int, marker: int, pages: Sequence[int]) -> None:
        """A policy had the pages read that go on from `index` up to `end`, and others; one has the marker, or -1."""
        self.start, self.size = index, end - index
        self.ahead = end - marker if index <= marker < end else 0
        if marker > end:
            self.start, self.size = marker, run_from(pages, marker)
            self.ahead = self.size

    def _window(self) -> Window:
        return Window(self.start, self.size, self.start + self.size - self.ahead, True)


def first_size(wanted: int) -> int:
    """The first window for a request of so many pages."""
    size = 1 << max(wanted - 1, 0).bit_length()
    if size <= MAX_PAGES // 32:
        return size * 4
    return size * 2 if size <= MAX_PAGES // 4 else MAX_PAGES


def next_size(size: int) -> int:
    """The window after one of so many pages."""
    if size < MAX_PAGES // 16:
        return size * 4
    return size * 2 if size <= MAX_PAGES // 2 else MAX_PAGES


def run_from(numbers: Sequence[int], first: int) -> int:
    """How many numbers in a row there are from `first` on."""
    there, end = set(numbers), first
    while end in there:
        end += 1
    return end - first
