"""The names that are visible at one place in a handler."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass, field

from cpol.runtime.interp.effects import Effects
from cpol.runtime.interp.state import Call, Folio


@dataclass(frozen=True)
class Scope:
    """The names of a block: each block has its own scope, so that its names end with it."""

    machine: Effects
    call: Call
    values: ChainMap[str, int] = field(default_factory=ChainMap)
    """Of this block, and behind it those of the blocks around it."""
    folios: dict[str, Folio] = field(default_factory=dict)

    def inner(self) -> Scope:
        """The scope of a block inside this one."""
        return Scope(self.machine, self.call, self.values.new_child(), dict(self.folios))

    def assign(self, name: str, value: int) -> None:
        """Change a variable of this block or of one around it."""
        next(block for block in self.values.maps if name in block)[name] = value
