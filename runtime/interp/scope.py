"""The names that are visible at one place in a handler."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cpol.runtime.interp.effects import Effects
from cpol.runtime.interp.state import Call, Folio


@dataclass(frozen=True)
class Scope:
    """The names of a block: each block has its own scope, so that its names end with it."""

    machine: Effects
    call: Call
    values: dict[str, int] = field(default_factory=dict)
    folios: dict[str, Folio] = field(default_factory=dict)

    def inner(self) -> Scope:
        """The scope of a block inside this one."""
        return replace(self, values=dict(self.values), folios=dict(self.folios))
