"""What names mean at one place in a handler."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cpol.runtime.interp.effects import Effects
from cpol.runtime.interp.state import Call, Folio


@dataclass(frozen=True)
class Scope:
    """A block has its own, so that its names end with it."""

    machine: Effects
    call: Call
    values: dict[str, int] = field(default_factory=dict)
    folios: dict[str, Folio] = field(default_factory=dict)

    def inner(self) -> Scope:
        return replace(self, values=dict(self.values), folios=dict(self.folios))
