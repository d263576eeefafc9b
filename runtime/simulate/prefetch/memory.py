"""Pages in memory. The least recently used goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple


class Key(NamedTuple):
    """A page of a process' memory, or of a file."""

    is_file: bool
    owner: int  # the process or the file
    page: int


@dataclass(slots=True)
class Page:
    """A page in memory, or one that is being read."""

    ready_ns: int  # when its read ends
    ahead: bool  # read ahead, and not used yet
    marked: bool = False  # readahead of the file goes on when the reader comes here
    kept: bool = False  # from swap, by the policy, and not used since


class Memory:
    """At most `capacity` pages, those that are being read included."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._pages: OrderedDict[Key, Page] = OrderedDict()

    def find(self, key: Key) -> Page | None:
        return self._pages.get(key)

    def use(self, key: Key) -> None:
        """The page becomes the most recently used."""
        self._pages.move_to_end(key)

    def add(self, key: Key, page: Page) -> None:
        self._pages[key] = page
        self._pages.move_to_end(key)

    def bring(self, key: Key, page: Page) -> None:
        """Add a page that nobody accesses."""
        self.add(key, page)

    def mark(self, key: Key) -> None:
        """The reader who comes to the page wants more."""
        self._pages[key].marked = True

    def drop(self, key: Key) -> None:
        del self._pages[key]

    def shrink(self, stays: Callable[[Key, Page, bool], bool]) -> Iterator[tuple[Key, Page]]:
        """Take pages until the others fit. One that stays becomes the most recently used.

        Args:
            stays: whether a page stays; it also learns whether all had their turn.
        """
        turns = len(self._pages)
        while len(self._pages) > self.capacity:
            key, page = self._pages.popitem(last=False)
            turns -= 1
            if stays(key, page, turns < 0):
                self._pages[key] = page
            else:
                yield key, page
