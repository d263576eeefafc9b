"""A ghost: a bounded FIFO of the names of folios that went, with a record of each."""

from __future__ import annotations

from typing import TypeAlias

Name: TypeAlias = tuple[int, int]
"""(file, index)"""


class Ghost:
    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.entries: dict[Name, dict[str, int]] = {}  # ordered, oldest first; of each, its record
        self.held: Name | None = None

    def has(self, name: Name) -> bool:
        return name in self.entries

    @property
    def count(self) -> int:
        """Entries that count: the held one does not."""
        return len(self.entries) - (self.held in self.entries)

    def add(self, name: Name, record: dict[str, int]) -> None:
        """`name` becomes the newest entry, with this record, also if it is one already."""
        self.entries.pop(name, None)
        self.entries[name] = record
        self._keep_to_capacity()

    def take(self, name: Name) -> bool:
        """Whether `name` was remembered; it no longer is."""
        return self.entries.pop(name, None) is not None

    def hold(self, name: Name) -> None:
        """Until `release`, the entry of `name` cannot be forgotten and does not count. Releases an earlier hold."""
        self.release()
        self.held = name

    def release(self) -> None:
        self.held = None
        self._keep_to_capacity()

    def forget(self) -> Name | None:
        """Forgets the oldest entry that is not held, and returns it; None if there is none."""
        oldest = next((name for name in self.entries if name != self.held), None)
        if oldest is not None:
            del self.entries[oldest]
        return oldest

    def _keep_to_capacity(self) -> None:
        while self.count > self.capacity:
            self.forget()
