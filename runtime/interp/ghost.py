"""A ghost: a bounded FIFO of the names of folios that went."""

from __future__ import annotations

from typing import TypeAlias

Name: TypeAlias = tuple[int, int]
"""(file, index)"""


class Ghost:
    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.entries: dict[Name, None] = {}  # an ordered set, oldest first
        self.held: Name | None = None

    def has(self, name: Name) -> bool:
        return name in self.entries

    def add(self, name: Name) -> None:
        """`name` becomes the newest entry, also if it is one already."""
        self.entries.pop(name, None)
        self.entries[name] = None
        self._forget()

    def take(self, name: Name) -> bool:
        """Whether `name` was remembered; it no longer is."""
        if name not in self.entries:
            return False
        del self.entries[name]
        return True

    def hold(self, name: Name) -> None:
        """Until `release`, the entry of `name` cannot be forgotten and does not count. Releases an earlier hold."""
        self.release()
        self.held = name

    def release(self) -> None:
        self.held = None
        self._forget()

    def _forget(self) -> None:
        """Forgets the oldest entries until those that count are no more than the capacity."""
        while len(self.entries) - (self.held in self.entries) > self.capacity:
            del self.entries[next(name for name in self.entries if name != self.held)]
