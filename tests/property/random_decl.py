"""Random declarations of policies."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Literal

from random_expr import Expressions, Names, any_type, narrow_type, some_value, widened

from cpol.compiler import ir
from cpol.compiler.arithmetic import ONE
from cpol.compiler.ir import BOOL, FIX, S64, U64

POS = ir.Pos(1, 1)
MOOD = ir.EnumType("mood", ("cold", "warm", "hot"))


class Declarations:
    rng: random.Random
    everything: bool
    expressions: Expressions
    names: Names
    """The declarations so far."""
    ghosts: list[str]
    enums: list[ir.EnumType]

    def type(self, lists: ir.EnumType) -> ir.Type:
        return MOOD if self.everything and self.rng.random() < 0.2 else any_type(self.rng, lists)

    def param(self, name: str) -> ir.ParamDecl:
        type = self.rng.choice([narrow_type(self.rng), U64, S64, FIX, BOOL, *self.enums])
        low, high = sorted(some_value(self.rng, type) for _ in range(2))
        return ir.ParamDecl(name, type, self.rng.randint(low, high), low, high, "", POS)

    def variable(self, name: str, type: ir.Type) -> ir.VarDecl:
        return ir.VarDecl(name, type, some_value(self.rng, type), POS)

    def field(self, number: int, type: ir.Type) -> ir.VarDecl:
        """Return a field of the folio record. One may be an array: a record has 64 bytes."""
        length = self.rng.choice((0, 1, 2, 4)) if number == 1 else 0
        return replace(self.variable(f"field{number}", type), length=length)

    def record(self, lists: ir.EnumType) -> tuple[ir.VarDecl, ...]:
        """Return a ghost's record of at most 16 bytes, the compiler's limit."""
        narrow = [ir.IntType(self.rng.random() < 0.5, self.rng.choice((3, 8, 13, 31))), BOOL, MOOD, ir.REASON, lists]
        types = self.rng.choice([[], self.rng.sample(narrow, 2), [self.rng.choice([U64, S64, FIX]), narrow[0]]])
        return tuple(self.variable(f"kept{n}", type) for n, type in enumerate(types))

    def owner_record(self, lists: ir.EnumType) -> tuple[ir.VarDecl, ...]:
        """Return the record of files or threads, which has a field."""
        return self.record(lists) or (self.variable("kept0", ir.IntType(False, 8)),)

    def table(self, name: str, lists: ir.EnumType) -> ir.TableDecl:
        type = self.type(lists)
        sizes = tuple(self.size() for _ in range(self.rng.randint(1, 2)))
        return ir.TableDecl(name, type, sizes, some_value(self.rng, type), POS)

    def input(self, name: str) -> ir.InputDecl:
        if self.rng.random() < 0.3:
            entry = self.rng.choice([narrow_type(self.rng), U64, S64, FIX, BOOL])
            return ir.InputDecl(name, "index", entry, 0, "", POS, self.size())
        key: Literal["thread", "process", "comm", "file", "page", "device", "cgroup"]
        key = self.rng.choice(("thread", "process", "comm", "file", "page", "device", "cgroup"))
        type = self.rng.choice([None, narrow_type(self.rng), U64, S64, FIX, BOOL, MOOD])
        default = 0 if type is None else some_value(self.rng, type)
        return ir.InputDecl(name, key, type, default, "", POS)

    def fn(self, name: str) -> ir.FnDecl:
        """Return a fn, which may call those that were made before it."""
        type = self.rng.choice([*(narrow_type(self.rng) for _ in range(4)), U64, S64, FIX, BOOL, MOOD])
        params: list[tuple[str, ir.Type | None]] = []
        names = replace(self.names.inner(), draws=False, ghosts=self.ghosts, takes=False)
        for n in range(self.rng.randint(0, 3)):
            of = self.rng.choice([None, *(narrow_type(self.rng) for _ in range(3)), U64, S64, FIX, BOOL, MOOD])
            params.append((f"{name}_{n}", of))
            if of is None:
                names = names.inner(f"{name}_{n}")
            else:
                names.variables.append((f"{name}_{n}", of))
        lets: list[ir.Let] = []
        for n in range(self.rng.choice((0, 0, 1, 3))):
            of = self.rng.choice([U64, S64, FIX, BOOL, MOOD])
            lets.append(ir.Let(f"{name}_let{n}", self.expressions.of(of, names, 2), POS))
            names.locals.append((f"{name}_let{n}", of))
        body = self.expressions.stored(type, names, 2)
        passed = [ir.Local(param, of) for param, of in params if of is not None and widened(of) == widened(type)]
        callable = [fn for fn in names.fns if self.expressions.takes(fn, names) and widened(fn.type) == widened(type)]
        kind = self.rng.random()
        if passed and kind < 0.4:  # what depends on nothing but an argument
            body = self.expressions.to(self.rng.choice(passed), type)
        elif callable and kind < 0.8:
            body = self.expressions.to(self.expressions.call(self.rng.choice(callable), names, 2), type)
        return ir.FnDecl(name, tuple(params), body, type, POS, tuple(lets))

    def score(self, name: str) -> ir.ScoreDecl:
        type = self.rng.choice((U64, S64, FIX))
        names = replace(self.names.inner("f"), ghosts=[], draws=False)
        return ir.ScoreDecl(name, "f", self.expressions.of(type, names, self.rng.randint(0, 2)), POS)

    def size(self) -> ir.Expr:
        """Return an expression for a ghost's capacity or a table's size."""
        capacity = ir.CacheAttr("capacity")
        number = ir.Const(self.rng.randint(0, 8), U64)
        half = ir.Convert(ir.Arith("mul", ir.Const(ONE // 2, FIX), ir.Convert(capacity, FIX), FIX), U64, "ceil")
        return self.rng.choice([capacity, number, half, ir.Arith("min", capacity, number, U64)])
