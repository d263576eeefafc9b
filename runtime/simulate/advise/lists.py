"""Memory of files as Linux keeps it, for the model of prefetching: stdlib/linux_lru.cpol beside readahead.

A page that is brought, or written, has not been accessed. The second access moves a page to the active list, and so
does a refault within the length of that list.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence

from cpol.runtime.simulate.prefetch.memory import Key, Memory, Page
from cpol.runtime.simulate.runs.room import KERNEL_BATCH


class TwoLists(Memory):
    """Inactive and active pages, the next to go first.

    Args:
        rooms: how many pages there may be from a row on; the first one at row 0.
    """

    def __init__(self, rooms: Sequence[tuple[int, int]]) -> None:
        (_, capacity), *self._rooms = rooms
        super().__init__(capacity)
        self._rooms.reverse()
        self._row = 0
        self._inactive: OrderedDict[Key, Page] = OrderedDict()
        self._active: OrderedDict[Key, Page] = OrderedDict()
        self._referenced: set[Key] = set()
        self._gone: OrderedDict[Key, int] = OrderedDict()  # the age at which a page went
        self._age = 0

    def find(self, key: Key) -> Page | None:
        return self._inactive.get(key) or self._active.get(key)

    def use(self, key: Key) -> None:
        """Access a page."""
        if key not in self._referenced:
            self._referenced.add(key)
        elif key in self._inactive:
            self._referenced.discard(key)
            self._age += 1
            self._active[key] = self._inactive.pop(key)

    def add(self, key: Key, page: Page) -> None:
        """Bring a page, and access it, unless it is read ahead."""
        if self.find(key) is None:
            self.bring(key, page)
        if not page.ahead:
            self.use(key)

    def bring(self, key: Key, page: Page) -> None:
        at = self._gone.pop(key, None)
        if at is not None and self._age - at <= len(self._active):
            self._age += 1
            self._active[key] = page
        else:
            self._inactive[key] = page

    def mark(self, key: Key) -> None:
        page = self.find(key)
        assert page is not None
        page.marked = True

    def drop(self, key: Key) -> None:
        (self._inactive if key in self._inactive else self._active).pop(key)
        self._referenced.discard(key)

    def shrink(self, stays: Callable[[Key, Page, bool], bool]) -> Iterator[tuple[Key, Page]]:
        """Take a batch, as the kernel does, if there are too many pages. Once for each row."""
        while self._rooms and self._rooms[-1][0] <= self._row:
            self.capacity = self._rooms.pop()[1]
        self._row += 1
        while len(self._inactive) + len(self._active) > self.capacity:
            yield from self._batch()

    def _batch(self) -> Iterator[tuple[Key, Page]]:
        if len(self._inactive) < len(self._active):
            for _ in range(min(KERNEL_BATCH, len(self._active))):
                key, page = self._active.popitem(last=False)
                self._inactive[key] = page
        for _ in range(min(KERNEL_BATCH, len(self._inactive))):
            key, page = self._inactive.popitem(last=False)
            self._referenced.discard(key)
            self._gone[key] = self._age
            self._age += 1
            if len(self._gone) > self.capacity:
                self._gone.popitem(last=False)
            yield key, page
