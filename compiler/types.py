"""Value types, list ends and language limits, which all stages share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import ClassVar, Literal, TypeAlias

from cpol.compiler.contract import (
    EVICT_ROUNDS,
    FIX_FRACTION_BITS,
    MAX_BATCH,
    MAX_LIST_ARRAY,
    MAX_LIST_ARRAYS,
    MAX_LISTS,
    MAX_ROUNDS,
    MAX_TABLE,
    PREFETCH_TARGETS,
    REASONS,
)

__all__ = [
    "BOOL",
    "EVICT_ROUNDS",
    "FIX",
    "FIX_FRACTION_BITS",
    "MAX_BATCH",
    "MAX_LISTS",
    "MAX_LIST_ARRAY",
    "MAX_LIST_ARRAYS",
    "MAX_RECORDS",
    "MAX_ROUNDS",
    "MAX_TABLE",
    "PREFETCH_TARGETS",
    "REASON",
    "RECORDS",
    "S64",
    "SPACES",
    "U64",
    "UNIT_MS",
    "BoolType",
    "End",
    "EnumType",
    "FixType",
    "IntType",
    "Space",
    "Type",
    "parse_type",
    "raw_range",
    "widened",
]

RECORDS = ("file", "task", "area")
"""What has a record besides folios and entries of ghosts, by the word that declares it."""

MAX_RECORDS = 1 << 20
"""Limit for the records of all files, for those of all threads, and for those of all areas."""

SPACES = ("slot", "page")
"""What `prefetch` may name in `on prefetch`."""

Space: TypeAlias = Literal["slot", "page", "index"]
"""What a target of `prefetch` is: a slot of the swap device, a page of the area, or a page of the file."""

UNIT_MS = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000}
"""Milliseconds in each unit of a duration."""


@dataclass(frozen=True)
class IntType:
    """An integer of `bits` (1 to 64). Expressions compute in `u64` and `s64`."""

    signed: bool
    bits: int

    def __str__(self) -> str:
        return f"{'s' if self.signed else 'u'}{self.bits}"

    @cached_property
    def raw_range(self) -> tuple[int, int]:
        if self.signed:
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1


@dataclass(frozen=True)
class FixType:
    """A signed fixed-point number, Q47.16 (docs/semantics.md, "Numbers")."""

    raw_range: ClassVar[tuple[int, int]] = (-(1 << 63), (1 << 63) - 1)

    def __str__(self) -> str:
        return "fix"


@dataclass(frozen=True)
class BoolType:
    raw_range: ClassVar[tuple[int, int]] = (0, 1)

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class EnumType:
    """Named numbers from 0. `list` (whose 0 is `none`) and `reason` are built in; policies declare others."""

    name: str
    members: tuple[str, ...]

    def __str__(self) -> str:
        return self.name

    @cached_property
    def raw_range(self) -> tuple[int, int]:
        return 0, len(self.members) - 1


Type: TypeAlias = IntType | FixType | BoolType | EnumType

U64 = IntType(False, 64)
S64 = IntType(True, 64)
FIX = FixType()
BOOL = BoolType()
REASON = EnumType("reason", REASONS)

UNITS = ("percent", "permille", "pages", "folios", "entries", "accesses", "events", "ms", "lists")
"""Units that a param may have."""


class End(Enum):
    HEAD = "head"
    TAIL = "tail"

    @property
    def far(self) -> End:
        return End.TAIL if self is End.HEAD else End.HEAD


def parse_type(text: str) -> Type | None:
    """The type named `text`, or None if there is none."""
    if text == "bool":
        return BOOL
    if text == "fix":
        return FIX
    digits = text[1:]
    if text[:1] not in ("u", "s") or not digits.isdecimal() or not digits.isascii() or len(digits) > 2:
        return None
    signed = text[0] == "s"
    bits = int(digits)
    if digits[0] == "0" or not (8 if signed else 1) <= bits <= 64:
        return None
    return IntType(signed, bits)


def widened(type: Type) -> Type:
    """The type in which expressions compute with a value of `type`."""
    if isinstance(type, IntType):
        return S64 if type.signed else U64
    return type


def common_type(left: Type, right: Type) -> Type:
    """The type in which two values are compared. Both are numbers, or both have the same type."""
    return FIX if FIX in (left, right) else left


def raw_range(type: Type) -> tuple[int, int]:
    """The lowest and highest raw value of `type`."""
    return type.raw_range
