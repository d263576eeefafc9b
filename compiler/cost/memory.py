"""What a policy keeps, in bytes."""

from __future__ import annotations

from dataclasses import dataclass

from cpol.compiler import ir
from cpol.compiler.backend import layout
from cpol.compiler.cost.value import Setting, bare, most

GHOST_SLOT = 40
"""Bytes of a ghost's entry without a record, if there is no object to ask."""


@dataclass(frozen=True)
class Kept:
    """A ghost, a table or an array of lists. `entries` of `each` bytes; `formula`: how many entries."""

    kind: str
    name: str
    entries: int
    each: int
    formula: str
    pos: ir.Pos

    @property
    def bytes(self) -> int:
        return self.entries * self.each


@dataclass(frozen=True)
class Memory:
    """`record`: bytes that the policy has beside each folio that it owns."""

    record: int
    kept: tuple[Kept, ...]

    @property
    def fixed(self) -> int:
        """What does not grow with the folios."""
        return sum(kept.bytes for kept in self.kept)


def memory_of(policy: ir.Policy, setting: Setting, slots: dict[str, int], list_bytes: int) -> Memory:
    """`slots`: bytes of an entry of each ghost; `list_bytes`: what a kernel spends on a list of an array."""
    kept = []
    for ghost in policy.ghosts:
        entries = most(ghost.capacity, setting, {})
        each = slots.get(ghost.name, GHOST_SLOT)
        kept.append(Kept("ghost", ghost.name, entries.raw, each, bare(entries.text), ghost.pos))
    for table in policy.tables:
        sizes = [most(size, setting, {}) for size in table.sizes]
        total = 1
        for size in sizes:
            total *= max(size.raw, 1)
        each = layout.member(table.name, table.type, table.init, packed=False).size
        kept.append(Kept("table", table.name, total, each, bare(" * ".join(size.text for size in sizes)), table.pos))
    if policy.list_array is not None:
        length = most(policy.list_array.length, setting, {})
        array = policy.list_array
        kept.append(Kept("lists", array.name, max(length.raw, 1), list_bytes, bare(length.text), array.pos))
    return Memory(layout.record_size(layout.kernel_record(policy)), tuple(kept))
