"""A ghost: a bounded FIFO of the names of removed folios, with a record for each (docs/semantics.md, State)."""

from __future__ import annotations

from typing import TypeAlias

Name: TypeAlias = tuple[int, int]
"""(file, index)"""


class Ghost:
    """A ghost of `capacity` entries. While a name is held, its entry does not count."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.entries: dict[Name, dict[str, int]] = {}  # records by name, oldest first
        self.held: Name | None = None

    def has(self, name: Name) -> bool:
        return name in self.entries

    @property
    def count(self) -> int:
        """The number of entries, without a held one."""
        return len(self.entries) - (self.held in self.entries)

    @property
    def full(self) -> bool:
        """Whether a new entry makes it forget the oldest."""
        return self.count >= self.capacity

    @property
    def oldest(self) -> Name | None:
        """The name of the oldest entry that is not held."""
        return next((name for name in self.entries if name != self.held), None)

    def add(self, name: Name, record: dict[str, int]) -> None:
        """Make `name` the newest entry, with this record, even if it has an entry already."""
        self.entries.pop(name, None)
        self.entries[name] = record
        self._keep_to_capacity()

    def take(self, name: Name) -> bool:
        """Forget `name`, and return whether it had an entry."""
        return self.entries.pop(name, None) is not None

    def hold(self, name: Name) -> None:
        """Hold `name`: until `release`, its entry cannot be forgotten and does not count. Ends an earlier hold."""
        self.release()
        self.held = name

    def release(self) -> None:
        """End the hold. The entry counts again, so the ghost may forget its oldest."""
        self.held = None
        self._keep_to_capacity()

    def forget(self) -> Name | None:
        """Forget the oldest entry that is not held, and return its name; None if there is none."""
        oldest = self.oldest
        if oldest is not None:
            del self.entries[oldest]
        return oldest

    def _keep_to_capacity(self) -> None:
        while self.count > self.capacity:
            self.forget()


class Records(Ghost):
    """The records of files or threads, by (file, 0) or (thread, 0). These are no folios, so none is ever held."""

    def hold(self, name: Name) -> None:
        pass
