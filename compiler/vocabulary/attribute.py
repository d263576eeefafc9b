"""What is known of an attribute, such as `f.dirty` or `task.thread`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cpol.compiler.types import EnumType, Type

LISTS = EnumType("list", ("none",))
"""Stands for the lists of a policy, which only the policy knows."""


class Attribute(NamedTuple):
    """An attribute. docs/language.md has a row for each; those that follow one another and say the same share one.

    A new one needs a record here, its value in the interpreter, and its primitive in `runtime/machine/include/cpol/`.
    """

    name: str
    type: Type
    doc: str
    """What it is, for docs/language.md. Empty: a page says it elsewhere."""
    fact: str = ""
    """What a trace may lack, a name in FACTS: without it the value means nothing."""
    features: tuple[str, ...] = ()
    """Fields of `ir.uses.Uses` that are set where a policy reads it, so that executors keep what it needs."""
    c: str = ""
    """Its C, if that is not a call of its primitive: text with {record}, the pointer to the folio's record."""
    hidden: bool = False
    """A field of a record may have its name, which then means the field."""
    named: bool = False
    """It is known of a folio that is not in the cache, too."""
    told: bool = False
    """Not every kernel lets programs read it: profiles name it."""
    helper: str = ""
    """The helper of BPF that tells it. Not every kernel has that: profiles name it."""
    lowered: bool = False
    """Lowering puts other expressions in its place, so no executor reads it."""
    only: str = ""
    """The one event in which it is known, of those that have its owner."""

    def typed(self, lists: EnumType) -> Type:
        """Its type in a policy that has these lists."""
        return lists if self.type is LISTS else self.type

    def primitive(self, owner: str, arguments: str, record: str = "") -> str:
        """The C that reads it from what the owner is, such as `folio`."""
        return self.c.format(record=record) if self.c else f"cpol_{owner}_{self.name}({arguments})"


Attributes = Mapping[str, Attribute]


def attributes(*records: Attribute) -> Attributes:
    """The records by name."""
    return {record.name: record for record in records}
