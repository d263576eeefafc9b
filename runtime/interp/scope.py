"""What names mean at one place in a handler."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cpol.compiler import ir
from cpol.runtime.interp.effects import Effects
from cpol.runtime.interp.state import Call, Folio


@dataclass(frozen=True)
class Scope:
    """A block has its own, so that its names end with it."""

    machine: Effects
    call: Call
    values: dict[str, int] = field(default_factory=dict)
    folios: dict[str, Folio] = field(default_factory=dict)
    scanned_from: dict[str, ir.End] = field(default_factory=dict)
    """For the folio of a scan, the end that the scan began at."""

    def inner(self) -> Scope:
        return replace(self, values=dict(self.values), folios=dict(self.folios), scanned_from=dict(self.scanned_from))
