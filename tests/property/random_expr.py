"""Random expressions of the policy IR: every operator, type and leaf, and the values where arithmetic goes wrong."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from cpol.compiler import ir
from cpol.compiler.ir import BOOL, FIX, S64, U64, IntType
from cpol.runtime.interp import numbers
from cpol.runtime.interp.numbers import ONE

WIDE = (U64, S64, FIX)
WIDTHS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64)


def edges(type: ir.Type) -> list[int]:
    """The values of a type where something may go wrong: around its ends, around 0, around other types' ends."""
    low, high = numbers.bounds(type)
    near = [
        0,
        low,
        high,
        *(2**bits for bits in WIDTHS),
        *(-(2**bits) for bits in WIDTHS),
        ONE,
        3 * ONE,
        ONE // 3,
        10,
        100,
    ]
    return sorted({value + step for value in near for step in (-1, 0, 1) if low <= value + step <= high})


def some_value(rng: random.Random, type: ir.Type) -> int:
    low, high = numbers.bounds(type)
    kind = rng.randrange(10)
    if kind < 5:
        return rng.choice(edges(type))
    if kind < 7:
        return rng.randint(low, high)
    return max(low, min(high, rng.randint(-5, 20)))


def narrow_type(rng: random.Random) -> IntType:
    return IntType(rng.random() < 0.5, rng.choice(WIDTHS))


def any_type(rng: random.Random, lists: ir.EnumType) -> ir.Type:
    """Of a param, state or field."""
    return rng.choice([narrow_type(rng), narrow_type(rng), narrow_type(rng), U64, S64, FIX, BOOL, lists, ir.REASON])


def widened(type: ir.Type) -> ir.Type:
    return (S64 if type.signed else U64) if isinstance(type, IntType) else type


@dataclass
class Names:
    """What an expression may read where it stands."""

    lists: ir.EnumType
    params: list[ir.ParamDecl] = field(default_factory=list)
    states: list[ir.VarDecl] = field(default_factory=list)
    fields: list[ir.VarDecl] = field(default_factory=list)
    ghosts: list[str] = field(default_factory=list)
    """Those that may be asked here."""
    takes: bool = True
    """Whether they may be taken from."""
    in_evict: bool = False
    locals: list[tuple[str, ir.Type]] = field(default_factory=list)
    folios: list[str] = field(default_factory=list)

    def inner(self, *folios: str) -> Names:
        return Names(
            self.lists, self.params, self.states, self.fields, self.ghosts, self.takes, self.in_evict,
            list(self.locals), [*self.folios, *folios],
        )  # fmt: skip


class Expressions:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def of(self, type: ir.Type, names: Names, depth: int) -> ir.Expr:
        if isinstance(type, ir.BoolType):
            return self.truth(names, depth)
        if isinstance(type, ir.EnumType):
            return self.choice(self.leaves(type, names))
        if depth == 0 or self.rng.random() < 0.1:
            return self.leaf(type, names)
        if self.rng.random() < 0.3:
            return self.convert(type, names, depth)
        return self.arith(type, names, depth)

    def choice(self, options: list[ir.Expr]) -> ir.Expr:
        return self.rng.choice(options)

    def leaves(self, type: ir.Type, names: Names) -> list[ir.Expr]:
        """All leaves of this very type but for numbers, of which there is one."""
        reads: list[ir.Expr] = [ir.Const(some_value(self.rng, type), type)]
        reads += [ir.Param(param.name, param.type) for param in names.params if param.type == type]
        reads += [ir.State(state.name, state.type) for state in names.states if state.type == type]
        reads += [ir.Local(name, of) for name, of in names.locals if of == type]
        for folio in names.folios:
            reads += [ir.Field(folio, decl.name, decl.type) for decl in names.fields if decl.type == type]
            if type == names.lists:
                reads.append(ir.FolioAttr(folio, "list", type))
            if type == U64:
                reads += [ir.FolioAttr(folio, attr, type) for attr in ("pages", "index", "file")]
        if type == U64:
            reads += [ir.ListSize(name) for name in names.lists.members[1:]]
            reads += [ir.CacheAttr("size"), ir.CacheAttr("capacity")]
            if names.in_evict:
                reads.append(ir.EvictWanted())
        return reads

    def leaf(self, type: ir.Type, names: Names) -> ir.Expr:
        """A number: read at its own width, and widened."""
        narrow = [
            *(ir.Param(decl.name, decl.type) for decl in names.params),
            *(ir.State(decl.name, decl.type) for decl in names.states),
            *(ir.Field(folio, decl.name, decl.type) for folio in names.folios for decl in names.fields),
        ]
        widening = [ir.Convert(read, type) for read in narrow if read.type != type and widened(read.type) == type]
        return self.choice([*self.leaves(type, names), *widening])

    def convert(self, type: ir.Type, names: Names, depth: int) -> ir.Expr:
        """From another wide type; now and then by way of a narrow one."""
        source = self.rng.choice([wide for wide in WIDE if wide != type])
        operand = self.of(source, names, depth - 1)
        rounding = self.rng.choice(("floor", "ceil"))
        if self.rng.random() < 0.3:
            # The name is drawn from a list of str, not of Literals.
            return ir.Convert(ir.Convert(operand, narrow_type(self.rng), rounding), type)  # type: ignore[arg-type]
        # The name is drawn from a list of str, not of Literals.
        return ir.Convert(operand, type, rounding)  # type: ignore[arg-type]

    def arith(self, type: ir.Type, names: Names, depth: int) -> ir.Expr:
        op = self.rng.choice(("add", "sub", "mul", "div", "mod", "min", "max"))
        left = self.of(type, names, depth - 1)
        right = self.of(type, names, depth - 1) if op not in ("div", "mod") else self.divisor(type, names, depth)
        # The name is drawn from a list of str, not of Literals.
        return ir.Arith(op, left, right, type)  # type: ignore[arg-type]

    def divisor(self, type: ir.Type, names: Names, depth: int) -> ir.Expr:
        """What the compiler would take for non-zero."""
        if self.rng.random() < 0.5:
            value = 0
            while value == 0:
                value = some_value(self.rng, type)
            return ir.Const(value, type)
        least = max(1, some_value(self.rng, type) if self.rng.random() < 0.3 else self.rng.choice([1, 2, ONE]))
        return ir.Arith("max", self.of(type, names, depth - 1), ir.Const(least, type), type)

    def truth(self, names: Names, depth: int) -> ir.Expr:
        kind = self.rng.randrange(10) if depth else 0
        if kind < 2:
            asks: list[ir.Expr] = []
            for ghost in names.ghosts:
                for folio in names.folios:
                    asks.append(ir.GhostHas(ghost, folio))
                    if names.takes:
                        asks.append(ir.GhostTake(ghost, folio))
            return self.choice([*self.leaves(BOOL, names), *asks])
        if kind < 3:
            return ir.Not(self.truth(names, depth - 1))
        if kind < 5:
            op = self.rng.choice(("and", "or"))
            # The name is drawn from a list of str, not of Literals.
            return ir.Logic(op, self.truth(names, depth - 1), self.truth(names, depth - 1))  # type: ignore[arg-type]
        if kind < 6:
            enum = self.rng.choice([names.lists, ir.REASON, BOOL])
            op = self.rng.choice(("eq", "ne"))
            # The name is drawn from a list of str, not of Literals.
            return ir.Compare(op, self.of(enum, names, depth - 1), self.of(enum, names, depth - 1))  # type: ignore[arg-type]
        type = self.rng.choice(WIDE)
        op = self.rng.choice(("eq", "ne", "lt", "le", "gt", "ge"))
        # The name is drawn from a list of str, not of Literals.
        return ir.Compare(op, self.of(type, names, depth - 1), self.of(type, names, depth - 1))  # type: ignore[arg-type]
