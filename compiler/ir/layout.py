"""C types and struct layout of a policy's declarations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from cpol.compiler import ir
from cpol.compiler.ir import c_names as names
from cpol.compiler.ir import walk
from cpol.compiler.ir.evaluate import evaluate
from cpol.compiler.nodes import dataclass

Declared = TypeVar("Declared", ir.ParamDecl, ir.VarDecl)

TOUCHED = "cpol_touched"
"""A flag that BPF objects add to the record if they are called for the first access: set by it."""


@dataclass(frozen=True)
class Member:
    """A member of a generated struct. `width` (bits) is set for a bit-field, `length` for an array."""

    name: str  # the C identifier
    ctype: str
    width: int | None
    init: int
    signed: bool
    bits: int
    length: int = 0

    @property
    def declaration(self) -> str:
        if self.length:
            return f"{self.ctype} {self.name}[{self.length}]"
        return f"{self.ctype} {self.name}" + (f" : {self.width}" if self.width is not None else "")

    @property
    def initialiser(self) -> str:
        value = integer(self.init, self.signed)
        return f".{self.name} = {{ {', '.join([value] * self.length)} }}" if self.length else f".{self.name} = {value}"

    @property
    def size(self) -> int:
        """Bytes of the base type."""
        return int(self.ctype[1:]) // 8


def bits_of(type_: ir.Type) -> tuple[bool, int]:
    """Signedness of a type, and the bits that hold its values."""
    match type_:
        case ir.IntType(signed, bits):
            return signed, bits
        case ir.FixType():
            return True, 64
        case ir.BoolType():
            return False, 1
        case ir.EnumType():
            return False, max(1, (len(type_.members) - 1).bit_length())


def expression_type(type_: ir.Type) -> str:
    """The C type of an expression or a `let`."""
    match type_:
        case ir.IntType(signed, _):
            return "s64" if signed else "u64"
        case ir.FixType():
            return "s64"
        case ir.BoolType():
            return "bool"
        case ir.EnumType():
            return "u32"


def integer(value: int, signed: bool) -> str:
    """A C constant of type `int` if it fits, or else of 64 bits."""
    if value == -(1 << 63):
        return "CPOL_S64_MIN"
    text = str(value) if abs(value) < 1 << 31 else f"{value}{'LL' if signed else 'ULL'}"
    return f"({text})" if value < 0 else text


def member(name: str, type_: ir.Type, init: int, *, packed: bool) -> Member:
    """A member for a variable of this type, in the smallest integer that holds it.

    With `packed` it is a bit-field of exactly the bits that it needs.
    """
    signed, bits = bits_of(type_)
    size = next(size for size in (8, 16, 32, 64) if size >= bits)
    width = bits if packed and bits < size else None
    return Member(names.identifier(name), f"{'s' if signed else 'u'}{size}", width, init, signed, bits)


def record(fields: Iterable[ir.VarDecl]) -> list[Member]:
    """The members of a folio's record, widest first. Bit-fields of one base type stand together to pack.

    The elements of an array take whole bytes.
    """
    members = [
        replace(member(field.name, field.type, field.init, packed=not field.length), length=field.length)
        for field in fields
    ]
    return sorted(members, key=lambda m: (-m.size, m.width is not None))


def kernel_record(policy: ir.Policy, *, every_access: bool = False) -> list[Member]:
    """The members of the record in a BPF object.

    `every_access`: the kernel reports a folio's first access whether the policy handles it or not.
    """
    members = record(policy.fields)
    told = every_access and ("accessed" in policy.handlers or walk.uses_clock(policy))
    told = told or walk.reads_unread(policy)
    return with_touched(members) if told or "first_accessed" in policy.handlers else members


def with_touched(members: list[Member]) -> list[Member]:
    """The members and TOUCHED."""
    return [*members, touched(members)]


def touched(members: list[Member]) -> Member:
    """The TOUCHED member: a byte if the record does not grow, or else a bit.

    Every access reads it, and a byte is cheaper to read than a bit-field.
    """
    byte, bit = (Member(TOUCHED, "u8", width, 0, False, width or 8) for width in (None, 1))
    return byte if record_size([*members, byte]) == record_size([*members, bit]) else bit


def record_size(members: Sequence[Member]) -> int:
    """`sizeof` of the record in bytes, by the System V rule. Generated code asserts it."""
    align = max((item.size * 8 for item in members), default=8)
    return -(-record_end(members) // align) * align // 8


def record_end(members: Sequence[Member]) -> int:
    """The offset in bits behind the last member."""
    bit = 0
    for item in members:
        unit = item.size * 8
        width = item.width or unit
        if item.width is None or bit // unit != (bit + width - 1) // unit:
            bit = -(-bit // unit) * unit
        bit += width * max(item.length, 1)
    return bit


@dataclass(frozen=True)
class Placed(Generic[Declared]):
    """A declaration and its offset (bytes) in `struct cpol_param_values` or `struct cpol_state_values`."""

    decl: Declared
    member: Member
    offset: int


def params(decls: Iterable[ir.ParamDecl]) -> list[Placed[ir.ParamDecl]]:
    return _place((decl, member(decl.name, decl.type, decl.default, packed=False)) for decl in decls)


def states(decls: Iterable[ir.VarDecl]) -> list[Placed[ir.VarDecl]]:
    return _place((decl, member(decl.name, decl.type, decl.init, packed=False)) for decl in decls)


def _place(members: Iterable[tuple[Declared, Member]]) -> list[Placed[Declared]]:
    """Members in the order of declaration, naturally aligned."""
    placed, end = [], 0
    for decl, item in members:
        end = -(-end // item.size) * item.size
        placed.append(Placed(decl, item, end))
        end += item.size
    return placed


def word_of(fields: Sequence[Member], name: str) -> int:
    """The number of the 64-bit word of the record that holds the member. No member spans two words."""
    before = [*fields[: [item.name for item in fields].index(name) + 1]]
    return (record_end(before) - 1) // 64


@dataclass(frozen=True)
class Table:
    """A table in C. `rows` and `columns` are 0 unless the compiler knows them."""

    name: str
    ctype: str
    init: str
    rows: int
    columns: int


def table(decl: ir.TableDecl) -> Table:
    item = member(decl.name, decl.type, decl.init, packed=False)
    sizes = [constant_size(size) for size in decl.sizes]
    if len(sizes) == 1:
        sizes.append(1)
    return Table(item.name, item.ctype, integer(decl.init, item.signed), sizes[0], sizes[1])


@dataclass(frozen=True)
class Array:
    """An input that is an array, in C: the type in which an entry is stored."""

    name: str
    raw: str
    ctype: str


def array(decl: ir.InputDecl) -> Array:
    assert decl.value is not None
    item = member(decl.name, decl.value, 0, packed=False)
    return Array(item.name, decl.name, item.ctype)


def constant_size(size: ir.Expr) -> int:
    """The size of a dimension, or 0 if only the loader knows it. A size of 0 counts as 1."""
    if any(isinstance(part, ir.Param | ir.CacheAttr) for part in walk.walk(size)):
        return 0
    return max(1, evaluate(size, {}))


def tick_ms(policy: ir.Policy) -> int:
    """Milliseconds between ticks with the default params: the shortest period; 0 without one."""
    defaults = {param.name: param.default for param in policy.params}
    periods = [every.period for every in policy.everies if every.unit == "ms"]
    return min((evaluate(period, defaults) for period in periods), default=0)
