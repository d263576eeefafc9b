"""The names that are visible at one place in a handler."""

from __future__ import annotations

from cpol.runtime.machine.interp.effects import Effects
from cpol.runtime.machine.interp.state import Call, Folio


class Scope:
    """The names of a block: each block has its own scope, so that its names end with it."""

    __slots__ = ("call", "folios", "machine", "outer", "values")

    def __init__(
        self, machine: Effects, call: Call, folios: dict[str, Folio] | None = None, outer: Scope | None = None
    ) -> None:
        self.machine = machine
        self.call = call
        self.values: dict[str, int] = {}
        """Of this block; those of the blocks around it are those of `outer`."""
        self.folios = {} if folios is None else folios
        self.outer = outer

    def inner(self, name: str | None = None, folio: Folio | None = None) -> Scope:
        """The scope of a block inside this one, which may name a folio."""
        folios = self.folios if name is None or folio is None else {**self.folios, name: folio}
        return Scope(self.machine, self.call, folios, self)

    def block(self, name: str) -> dict[str, int]:
        """The values of the block that has this name: this one, or one around it."""
        block = self
        while name not in block.values:
            assert block.outer is not None  # the checker knows every name
            block = block.outer
        return block.values
