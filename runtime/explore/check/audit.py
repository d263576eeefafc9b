"""Accounts for every folio from the event log alone, and compares that with the machine's state."""

from __future__ import annotations

from collections import Counter

from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.interp import Machine, MachineError
from cpol.runtime.machine.interp.ghost import Name


class AuditError(MachineError):
    """A folio is lost, in two places, or removed twice."""


class Audit:
    """The places of all folios according to the log: cached, proposed, or left to the kernel."""

    def __init__(self) -> None:
        self.cached: set[Name] = set()
        self.proposed: set[Name] = set()
        self.left: set[Name] = set()
        self.rows = 0

    def follow(self, machine: Machine) -> None:
        """Read the rows that the machine has recorded since the last call, then compare.

        Raises:
            AuditError: log and state do not account for a folio.
        """
        for row in machine.records[self.rows :]:
            self.enter(row)
        self.rows = len(machine.records)
        self.compare(machine)

    def enter(self, row: Row) -> None:
        name = (row.file, row.page)
        match Op(row.op):
            case Op.ADDED:
                self.require(name not in self.cached, name, "is added, but is in the cache")
                self.cached.add(name)
            case Op.LEAVE:
                self.require(name in self.cached, name, "is left to the kernel, but was not added")
                self.left.add(name)
            case Op.PROPOSE:
                self.require(name in self.cached - self.left, name, "is proposed, but is not the policy's")
                self.require(name not in self.proposed, name, "is proposed twice")
                self.proposed.add(name)
            case Op.REFUSED:
                self.require(name in self.proposed, name, "is refused, but was not proposed")
                self.proposed.remove(name)
            case Op.REMOVED | Op.FALLBACK:
                self.require(name in self.cached, name, "is removed, but is not in the cache")
                for names in (self.cached, self.proposed, self.left):
                    names.discard(name)

    def compare(self, machine: Machine) -> None:
        """Require that each folio is in its place exactly once, and nowhere else."""
        folios = [folio for folios in machine.lists.values() for folio in folios] + machine.proposed
        owned = Counter(folio.name for folio in folios)
        for name in self.cached - self.left:
            self.require(owned[name] == 1, name, f"is {owned[name]} times on lists or proposed, not once")
        for name in [*owned, *machine.left]:
            self.require(name in self.cached, name, "is in the cache, but was removed or never added")
        for name in self.left ^ set(machine.left):
            self.require(name in machine.left, name, "was left to the kernel, but the machine does not have it there")
            self.require(name in self.left, name, "is with the kernel, but was not left to it")
        pages = sum(folio.pages for folio in folios)
        if pages != machine.size:
            raise AuditError(f"the policy owns {pages} pages, but the cache has {machine.size}")

    def require(self, holds: bool, name: Name, what: str) -> None:
        if not holds:
            raise AuditError(f"folio {name} {what}")
