"""The memory of a policy, in bytes."""

from __future__ import annotations

from dataclasses import dataclass

from cpol.compiler import ir
from cpol.compiler.analysis.upper_bound import Setting, strip_parens, upper_bound
from cpol.compiler.ir import layout

GHOST_SLOT = 8
"""Bytes of a ghost's slot without a record, if no object says it."""


@dataclass(frozen=True)
class Kept:
    """A ghost, a table or an array of lists. `formula` gives the entries; `bytes` is their total size."""

    kind: str
    name: str
    entries: int
    bytes: int
    formula: str
    pos: ir.Pos

    @property
    def each(self) -> float:
        """Bytes per entry, including its share of the overhead."""
        return self.bytes / self.entries if self.entries else 0.0


@dataclass(frozen=True)
class Memory:
    """The memory of a policy. `record` is the bytes beside each folio that it owns."""

    record: int
    kept: tuple[Kept, ...]

    @property
    def fixed(self) -> int:
        """Bytes that do not depend on the number of folios."""
        return sum(kept.bytes for kept in self.kept)


def ghost_bytes(capacity: int, slot: int) -> int:
    """Bytes that the loader allocates for a ghost; the same formula as ghost_sizes.h.

    Args:
        capacity: entries.
        slot: bytes of a slot with its record.

    There are more slots than entries: removed entries leave holes for a while, and one slot is
    blank. The heads of the hash chains follow, rounded up to whole slots.
    """
    if capacity == 0:
        return slot
    slots = capacity + 2 * (capacity // 28 + 1) + 1
    heads = 4 * (capacity // 4 + 1)
    return (slots + -(-heads // slot)) * slot


def memory_of(policy: ir.Policy, setting: Setting, slots: dict[str, int], list_bytes: int) -> Memory:
    """The memory of `policy`. `slots` has the slot bytes of each ghost; `list_bytes` is for one list of an array."""
    kept = []
    for ghost in policy.ghosts:
        entries = upper_bound(ghost.capacity, setting, {})
        memory = ghost_bytes(entries.raw, slots.get(ghost.name, GHOST_SLOT))
        kind = "ghost" if ghost.key == "folio" else "record"
        kept.append(Kept(kind, ghost.name, entries.raw, memory, strip_parens(entries.text), ghost.pos))
    for table in policy.tables:
        sizes = [upper_bound(size, setting, {}) for size in table.sizes]
        total = 1
        for size in sizes:
            total *= max(size.raw, 1)
        each = layout.member(table.name, table.type, table.init, packed=False).size
        formula = strip_parens(" * ".join(size.text for size in sizes))
        kept.append(Kept("table", table.name, total, total * each, formula, table.pos))
    for array in policy.list_arrays:
        length = upper_bound(array.length, setting, {})
        total = max(length.raw, 1)
        kept.append(Kept("lists", array.name, total, total * list_bytes, strip_parens(length.text), array.pos))
    return Memory(layout.record_size(layout.kernel_record(policy)), tuple(kept))
