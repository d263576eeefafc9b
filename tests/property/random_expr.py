"""Random expressions of the policy IR: every operator, type and leaf, with boundary values."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from cpol.compiler import ir
from cpol.compiler.arithmetic import ONE
from cpol.compiler.ir import BOOL, FIX, S64, U64, IntType
from cpol.compiler.types import raw_range
from cpol.compiler.vocabulary.folio import FOLIO
from cpol.compiler.vocabulary.function import FUNCTIONS
from cpol.compiler.vocabulary.request import FAULT, OUT, RANGE, REQUEST

Arithmetic = Literal["add", "sub", "mul", "div", "mod", "min", "max"]
Bits = Literal["and", "or", "xor", "shl", "shr"]
Comparison = Literal["eq", "ne", "lt", "le", "gt", "ge"]


OF_FILES = ("readahead", *ir.RANGE_EVENTS)
"""Handlers of a request or a range of a file."""

WIDE = (U64, S64, FIX)
WIDTHS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64)


def edges(type: ir.Type) -> list[int]:
    """Return boundary values of a type: near its ends, near 0 and near the ends of other types."""
    low, high = raw_range(type)
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
    low, high = raw_range(type)
    kind = rng.randrange(10)
    if kind < 5:
        return rng.choice(edges(type))
    if kind < 7:
        return rng.randint(low, high)
    return max(low, min(high, rng.randint(-5, 20)))


def narrow_type(rng: random.Random) -> IntType:
    return IntType(rng.random() < 0.5, rng.choice(WIDTHS))


def any_type(rng: random.Random, lists: ir.EnumType) -> ir.Type:
    """Return a type for a param, state or field."""
    return rng.choice([narrow_type(rng), narrow_type(rng), narrow_type(rng), U64, S64, FIX, BOOL, lists, ir.REASON])


def widened(type: ir.Type) -> ir.Type:
    return (S64 if type.signed else U64) if isinstance(type, IntType) else type


Owner: TypeAlias = Literal["file", "task", "area"]


@dataclass
class Names:
    """The names that an expression may read."""

    lists: ir.EnumType
    params: list[ir.ParamDecl] = field(default_factory=list)
    states: list[ir.VarDecl] = field(default_factory=list)
    fields: list[ir.VarDecl] = field(default_factory=list)
    ghosts: list[str] = field(default_factory=list)
    """Ghosts that may be read."""
    takes: bool = True
    """Whether `take` is allowed."""
    in_evict: bool = False
    in_every: bool = False
    locals: list[tuple[str, ir.Type]] = field(default_factory=list)
    variables: list[tuple[str, ir.Type]] = field(default_factory=list)
    """With their declared types; an expression reads them as locals."""
    folios: list[str] = field(default_factory=list)
    enums: list[ir.EnumType] = field(default_factory=list)
    tables: list[ir.TableDecl] = field(default_factory=list)
    inputs: list[ir.InputDecl] = field(default_factory=list)
    fns: list[ir.FnDecl] = field(default_factory=list)
    records: dict[str, tuple[ir.VarDecl, ...]] = field(default_factory=dict)
    """The record of each ghost."""
    owners: dict[Owner, tuple[ir.VarDecl, ...]] = field(default_factory=dict)
    """The records of files and threads."""
    arrays: list[str] = field(default_factory=list)
    """Names of the arrays of lists."""
    with_task: bool = False
    asked: str = ""
    """The event, in a handler that runs for no folio."""
    pins: bool = False
    """Whether there is a quota of pinned pages."""
    draws: bool = False
    """Whether random numbers may be drawn."""
    named_only: bool = False
    """The folios are not in the cache, so only their names can be read."""

    def inner(self, *folios: str) -> Names:
        return replace(self, locals=list(self.locals), variables=list(self.variables), folios=[*self.folios, *folios])


def asked(names: Names) -> list[ir.FaultAttr | ir.RequestAttr]:
    """Return what is known of the fault or the request."""
    if names.asked == "readahead":
        return [ir.RequestAttr(known.name, known.type) for known in REQUEST.values()]
    if names.asked in ir.RANGE_EVENTS:
        return [ir.RequestAttr(known.name, known.type) for known in RANGE.values()]
    if names.asked == "swap":
        return [ir.FaultAttr(known.name, known.type) for known in OUT.values()]
    if names.asked not in ("fault", "prefetch"):
        return []
    return [ir.FaultAttr(known.name, known.type) for known in FAULT.values() if known.only in ("", names.asked)]


class Expressions:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def of(self, type: ir.Type, names: Names, depth: int) -> ir.Expr:
        if depth and self.rng.random() < 0.1:
            branches = self.of(type, names, depth - 1), self.of(type, names, depth - 1)
            return ir.Select(self.truth(names, depth - 1), *branches, type)
        if isinstance(type, ir.BoolType):
            return self.truth(names, depth)
        if isinstance(type, ir.EnumType):
            return self.pick(self.leaves(type, names), self.compounds(type, names, depth))
        if depth == 0 or self.rng.random() < 0.1:
            return self.leaf(type, names)
        if names.fns and self.rng.random() < 0.2:
            return self.called(type, names, depth)
        if self.rng.random() < 0.2:
            return self.reached(type, names, depth)
        if self.rng.random() < 0.3:
            return self.convert(type, names, depth)
        return self.arith(type, names, depth)

    def stored(self, type: ir.Type, names: Names, depth: int) -> ir.Expr:
        """Return a value of a declared type, as stores and results of fns take it: mostly a conversion."""
        if type == widened(type):
            return self.of(type, names, depth)
        if self.rng.random() < 0.1:
            return self.choice(self.leaves(type, names))
        wide = self.of(widened(type), names, depth)
        return ir.Convert(self.beyond(wide, type) if self.rng.random() < 0.4 else wide, type)

    def beyond(self, wide: ir.Expr, type: ir.Type) -> ir.Expr:
        """Return a value that the narrow `type` does not hold, or nearly so."""
        low, high = raw_range(type)
        outside = [value for value in edges(wide.type) if not low <= value <= high]
        op: Arithmetic = self.rng.choice(("add", "add", "max", "sub"))
        return ir.Arith(op, wide, ir.Const(self.rng.choice(outside), wide.type), wide.type)

    def choice(self, options: list[ir.Expr]) -> ir.Expr:
        return self.rng.choice(options)

    def field(self, folio: str, decl: ir.VarDecl) -> ir.Expr:
        return ir.Field(folio, decl.name, decl.type, self.place(decl))

    def place(self, decl: ir.VarDecl) -> ir.Expr | None:
        """Return the index of an element, which may be too large, if the field is an array."""
        return self.rng.choice([ir.Const(self.rng.randrange(5), U64), ir.CacheAttr("clock")]) if decl.length else None

    def leaves(self, type: ir.Type, names: Names) -> list[ir.Expr]:
        """Return all leaves of exactly this type, with one constant among them."""
        reads: list[ir.Expr] = [ir.Const(some_value(self.rng, type), type)]
        reads += [ir.Param(param.name, param.type) for param in names.params if param.type == type]
        reads += [ir.State(state.name, state.type) for state in names.states if state.type == type]
        reads += [ir.Local(name, of) for name, of in [*names.locals, *names.variables] if of == type]
        for folio in names.folios:
            if not names.named_only:
                reads += [self.field(folio, decl) for decl in names.fields if decl.type == type]
            reads += [
                ir.FolioAttr(folio, known.name, type)
                for known in FOLIO.values()
                if known.typed(names.lists) == type
                and (known.named or not names.named_only)
                and (known.name != "pinned" or names.pins)
                and not known.lowered
            ]
            for ghost in names.ghosts:
                record = names.records.get(ghost, ())
                reads += [ir.GhostField(ghost, folio, decl.name, decl.type) for decl in record if decl.type == type]
        reads += [read for read in (*self.owned(names), *asked(names)) if read.type == type]
        for ghost, record in names.records.items():
            reads += [ir.GhostOldest(ghost, decl.name, decl.type) for decl in record if decl.type == type]
        if type == BOOL:
            reads += [ir.GhostFull(ghost) for ghost in names.records]
        if type == BOOL and names.with_task:
            reads.append(ir.TaskAttr("writes", BOOL))
        if type == U64:
            reads += [ir.GhostSize(record) for record in names.owners]
            reads += [ir.ListSize(ir.ListRef(name)) for name in names.lists.members[1:]]
            reads += [ir.CacheAttr("size"), ir.CacheAttr("capacity"), ir.CacheAttr("clock"), ir.CacheAttr("time")]
            reads += [ir.GhostSize(ghost) for ghost in names.records]
            reads += [ir.TableSize(table.name) for table in names.tables]
            if names.in_evict:
                reads.append(ir.EvictWanted())
            if names.in_every:
                reads.append(ir.EveryPeriods())
            if names.with_task:
                reads += [ir.TaskAttr("thread"), ir.TaskAttr("process"), ir.TaskAttr("comm")]
        return reads

    def owned(self, names: Names) -> list[ir.RecordField]:
        """Return all fields of records of files and threads that are known here."""
        of_files = [(folio, decl) for folio in names.folios for decl in names.owners.get("file", ())]
        of_tasks = names.owners.get("task", ()) if names.with_task else ()
        of_asked: Owner = "file" if names.asked in OF_FILES else "area"
        return [
            *(ir.RecordField("file", folio, decl.name, decl.type) for folio, decl in of_files),
            *(ir.RecordField("task", None, decl.name, decl.type) for decl in of_tasks),
            *(
                ir.RecordField(of_asked, None, decl.name, decl.type)
                for decl in (names.owners.get(of_asked, ()) if names.asked else ())
            ),
        ]

    def compounds(self, type: ir.Type, names: Names, depth: int) -> list[Callable[[], ir.Expr]]:
        """Return makers of compounds of exactly this type: elements of tables, inputs, calls."""
        if depth == 0:
            return []

        def some(of: ir.Type) -> ir.Expr:
            return self.of(of, names, depth - 1)

        found: list[Callable[[], ir.Expr]] = []
        for table in names.tables:
            if table.type == type:
                found.append(lambda table=table: ir.TableGet(table.name, tuple(some(U64) for _ in table.sizes), type))
        for given in names.inputs:
            found += self.input_makers(given, type, names, some)
        for fn in names.fns:
            if fn.type == type and self.takes(fn, names):
                found.append(lambda fn=fn: self.call(fn, names, depth))
        if type == U64:
            if names.draws:
                found.append(lambda: ir.Random(some(U64)))
            found += [lambda folio=folio: ir.Hash(folio, some(U64)) for folio in names.folios]
            if names.asked in OF_FILES:
                found.append(lambda: ir.Hash(None, some(U64)))
            found += [lambda name=name: ir.ListSize(ir.ListRef(name, some(U64))) for name in names.arrays]
        found += [
            lambda known=known: ir.Math(known.name, tuple(some(of) for of in known.operands), type)
            for known in FUNCTIONS.values()
            if known.compute and known.type == type
        ]
        return found

    def argument(self, of: ir.Type | None, names: Names, some: Callable[[ir.Type], ir.Expr]) -> ir.Expr | ir.FolioArg:
        """Return an argument for a parameter of this type, which often holds less than what is passed."""
        if of is None:
            return ir.FolioArg(self.rng.choice(names.folios))
        if of == widened(of):
            return some(of)
        wide = some(widened(of))
        return ir.Convert(self.beyond(wide, of) if self.rng.random() < 0.7 else wide, of)

    def called(self, type: ir.Type, names: Names, depth: int) -> ir.Expr:
        """Return a call of a fn, widened; in a fn, that makes a chain."""
        usable = [fn for fn in names.fns if widened(fn.type) == type]
        usable = [fn for fn in usable if self.takes(fn, names)]
        if not usable:
            return self.leaf(type, names)
        return self.widen(self.call(self.rng.choice(usable), names, depth), type)

    def takes(self, fn: ir.FnDecl, names: Names) -> bool:
        """Whether there are folios for the parameters of a fn."""
        takes_folio = any(of is None for _, of in fn.params)
        return not (takes_folio and (names.named_only or not names.folios))

    def call(self, fn: ir.FnDecl, names: Names, depth: int) -> ir.Expr:
        def some(of: ir.Type) -> ir.Expr:
            return self.of(of, names, depth - 1)

        return ir.FnCall(fn.name, tuple(self.argument(of, names, some) for _, of in fn.params), fn.type)

    def to(self, value: ir.Expr, type: ir.Type) -> ir.Expr:
        """Convert a value between two types that widen to the same."""
        wide = self.widen(value, widened(type)) if value.type != type else value
        return wide if wide.type == type else ir.Convert(wide, type)

    def widen(self, read: ir.Expr, type: ir.Type) -> ir.Expr:
        return read if read.type == type else ir.Convert(read, type)

    def input_makers(
        self, given: ir.InputDecl, type: ir.Type, names: Names, some: Callable[[ir.Type], ir.Expr]
    ) -> list[Callable[[], ir.Expr]]:
        pages: list[str | None] = [*names.folios, *([None] if names.asked in OF_FILES else [])]
        if given.key == "page" and not pages:
            return []
        if given.size is not None:
            return [lambda: ir.ArrayGet(given.name, some(U64), type)] if given.value == type else []

        def key() -> tuple[ir.Expr | None, str | None]:
            return (None, self.rng.choice(pages)) if given.key == "page" else (some(U64), None)

        found: list[Callable[[], ir.Expr]] = []
        if given.value is not None and given.value == type:
            found.append(lambda: ir.InputGet(given.name, *key(), type))
        if type == BOOL:
            found.append(lambda: ir.InputHas(given.name, *key()))
        return found

    def reached(self, type: ir.Type, names: Names, depth: int) -> ir.Expr:
        """Return a compound of a narrow or wide type, widened."""
        declared = [decl.type for decl in [*names.tables, *names.fns]]
        declared += [given.value for given in names.inputs if given.value is not None]
        sources = {source for source in declared if widened(source) == type} | {type}
        found = self.compounds(self.rng.choice(sorted(sources, key=str)), names, depth)
        if not found:
            return self.leaf(type, names)
        return self.widen(self.rng.choice(found)(), type)

    def pick(self, leaves: list[ir.Expr], compounds: list[Callable[[], ir.Expr]]) -> ir.Expr:
        number = self.rng.randrange(len(leaves) + len(compounds))
        return leaves[number] if number < len(leaves) else compounds[number - len(leaves)]()

    def leaf(self, type: ir.Type, names: Names) -> ir.Expr:
        """Return a leaf of a narrow or wide number type, widened."""
        narrow: list[ir.Expr] = [
            *(ir.Param(decl.name, decl.type) for decl in names.params),
            *(ir.State(decl.name, decl.type) for decl in names.states),
            *(ir.Local(name, of) for name, of in names.variables),
            *self.owned(names),
            *asked(names),
        ]
        for ghost, record in names.records.items():
            narrow += [ir.GhostOldest(ghost, decl.name, decl.type) for decl in record]
        for folio in names.folios:
            if not names.named_only:
                narrow += [self.field(folio, decl) for decl in names.fields]
            for ghost in names.ghosts:
                record = names.records.get(ghost, ())
                narrow += [ir.GhostField(ghost, folio, decl.name, decl.type) for decl in record]
        widening = [ir.Convert(read, type) for read in narrow if read.type != type and widened(read.type) == type]
        return self.choice([*self.leaves(type, names), *widening])

    def convert(self, type: ir.Type, names: Names, depth: int) -> ir.Expr:
        """Return a conversion from another wide type, sometimes through a narrow one."""
        source = self.rng.choice([wide for wide in WIDE if wide != type])
        operand = self.of(source, names, depth - 1)
        rounding: Literal["floor", "ceil"] = self.rng.choice(("floor", "ceil"))
        if self.rng.random() < 0.3:
            return ir.Convert(ir.Convert(operand, narrow_type(self.rng), rounding), type)
        return ir.Convert(operand, type, rounding)

    def arith(self, type: ir.Type, names: Names, depth: int) -> ir.Expr:
        if type == U64 and self.rng.random() < 0.3:
            return self.bits(names, depth)
        op: Arithmetic = self.rng.choice(("add", "sub", "mul", "div", "mod", "min", "max"))
        left = self.of(type, names, depth - 1)
        right = self.of(type, names, depth - 1) if op not in ("div", "mod") else self.divisor(type, names, depth)
        return ir.Arith(op, left, right, type)

    def bits(self, names: Names, depth: int) -> ir.Expr:
        """Return an operation on bits. Shifts are mostly near 64."""
        op: Bits = self.rng.choice(("and", "or", "xor", "shl", "shr"))
        right = self.of(U64, names, depth - 1)
        if op in ("shl", "shr") and self.rng.random() < 0.7:
            right = ir.Const(self.rng.choice((0, 1, 8, 31, 32, 33, 62, 63, 64, 65, 2**32, 2**64 - 1)), U64)
            if self.rng.random() < 0.5:
                right = ir.Arith("mod", self.of(U64, names, depth - 1), ir.Const(66, U64), U64)
        return ir.Bits(op, self.of(U64, names, depth - 1), right)

    def divisor(self, type: ir.Type, names: Names, depth: int) -> ir.Expr:
        """Return a divisor that the compiler accepts as non-zero."""
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
            return self.pick([*self.leaves(BOOL, names), *asks], self.compounds(BOOL, names, depth))
        if kind < 3:
            return ir.Not(self.truth(names, depth - 1))
        if kind < 5:
            word: Literal["and", "or"] = self.rng.choice(("and", "or"))
            return ir.Logic(word, self.truth(names, depth - 1), self.truth(names, depth - 1))
        if kind < 6:
            enum = self.rng.choice([names.lists, ir.REASON, BOOL, *names.enums])
            same: Comparison = self.rng.choice(("eq", "ne"))
            return ir.Compare(same, self.of(enum, names, depth - 1), self.of(enum, names, depth - 1))
        type = self.rng.choice(WIDE)
        op: Comparison = self.rng.choice(("eq", "ne", "lt", "le", "gt", "ge"))
        return ir.Compare(op, self.of(type, names, depth - 1), self.of(type, names, depth - 1))
