"""Random policies: every statement in every handler that may hold it, nested, with random expressions."""

from __future__ import annotations

import random

from random_expr import Expressions, Names, any_type, narrow_type, some_value, widened

from cpol.compiler import ir
from cpol.compiler.ir import BOOL, FIX, S64, U64, End
from cpol.runtime.interp import numbers

POS = ir.Pos(1, 1)
ENDS = (End.HEAD, End.TAIL)


class Policies:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.expressions = Expressions(rng)
        self.count = 0
        self.lists = [f"list{n}" for n in range(rng.randint(1, 3))]
        self.ghosts = [f"ghost{n}" for n in range(rng.randint(0, 2))]
        enum = ir.EnumType("list", ("none", *self.lists))
        self.names = Names(
            enum,
            params=[self.param(f"param{n}") for n in range(rng.randint(0, 3))],
            states=[self.variable(f"state{n}", any_type(rng, enum)) for n in range(rng.randint(1, 5))],
            fields=[self.variable(f"field{n}", any_type(rng, enum)) for n in range(rng.randint(0, 4))],
        )
        self.scores = [self.score(f"score{n}") for n in range(rng.randint(0, 2))]

    def policy(self, name: str) -> ir.Policy:
        handlers = {"added": self.added(), "evict": self.evict()}
        for event in ("init", "first_accessed", "accessed", "removed"):
            if self.rng.random() < 0.7:
                handlers[event] = self.handler(event)
        return ir.Policy(
            name=name,
            doc="",
            path=f"{name}.cpol",
            params=tuple(self.names.params),
            states=tuple(self.names.states),
            lists=tuple(self.lists),
            ghosts=tuple(ir.GhostDecl(ghost, self.ghost_capacity(), POS) for ghost in self.ghosts),
            fields=tuple(self.names.fields),
            scores=tuple(self.scores),
            handlers=handlers,
        )

    # Declarations.

    def param(self, name: str) -> ir.ParamDecl:
        type = self.rng.choice([narrow_type(self.rng), U64, S64, FIX, BOOL])
        low, high = sorted(some_value(self.rng, type) for _ in range(2))
        return ir.ParamDecl(name, type, self.rng.randint(low, high), low, high, "", POS)

    def variable(self, name: str, type: ir.Type) -> ir.VarDecl:
        return ir.VarDecl(name, type, some_value(self.rng, type), POS)

    def score(self, name: str) -> ir.ScoreDecl:
        type = self.rng.choice((U64, S64, FIX))
        names = self.names.inner("f")
        names.ghosts = []
        return ir.ScoreDecl(name, "f", self.expressions.of(type, names, self.rng.randint(0, 2)), POS)

    def ghost_capacity(self) -> ir.Expr:
        capacity = ir.CacheAttr("capacity")
        number = ir.Const(self.rng.randint(0, 8), U64)
        half = ir.Convert(ir.Arith("mul", ir.Const(numbers.ONE // 2, FIX), ir.Convert(capacity, FIX), FIX), U64, "ceil")
        return self.rng.choice([capacity, number, half, ir.Arith("min", capacity, number, U64)])

    # Handlers.

    def handler(self, event: str) -> ir.Handler:
        folio = None if event == "init" else "f"
        names = self.names.inner(*([folio] if folio else []))
        names.ghosts = self.ghosts if folio else []
        names.takes = event != "removed"
        why = "why" if event == "removed" else None
        if why:
            names.locals.append((why, ir.REASON))
        return ir.Handler(event, folio, why, self.block(names, 2, event), POS)

    def added(self) -> ir.Handler:
        names = self.names.inner("f")
        names.ghosts = self.ghosts
        before = self.block(names, 2, "added")
        place: ir.Stmt = self.place()
        for _ in range(self.rng.randint(0, 2)):
            place = ir.If(self.expressions.truth(names, 2), (place,), (self.place(),), POS)
        return ir.Handler("added", "f", None, (*before, place, *self.block(names, 1, "added")), POS)

    def place(self) -> ir.Place:
        return ir.Place("f", self.rng.choice(ENDS), self.rng.choice(self.lists), POS)

    def evict(self) -> ir.Handler:
        """Mostly with a scan at the end that takes whatever is there, so that not every request falls back."""
        names = self.names.inner()
        names.in_evict = True
        body = [*self.block(names, 3, "evict"), *self.block(names, 3, "evict")]
        if self.rng.random() < 0.7:
            name = self.rng.choice(self.lists)
            body.append(ir.Scan(name, self.rng.choice(ENDS), None, "last", (ir.Propose("last", POS),), POS))
        return ir.Handler("evict", None, None, tuple(body), POS)

    # Statements. `scanned`: the lists of the scans around, which cannot be scanned again.

    def block(self, names: Names, depth: int, event: str, scanned: tuple[str, ...] = ()) -> tuple[ir.Stmt, ...]:
        names = names.inner()
        return tuple(self.statement(names, depth, event, scanned) for _ in range(self.rng.randint(1, 3)))

    def statement(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        rng = self.rng
        makers = [self.let, self.set_state]
        if names.folios:
            if names.fields:
                makers += [self.set_field] * 2
            if self.ghosts:
                makers += [self.ghost_add]
            if event in ("first_accessed", "accessed", "evict"):
                makers += [self.move] * 3
            if event == "evict":
                makers += [self.propose] * 2
        if depth > 0:
            makers += [self.branch] * 2
            if event == "evict" and len(scanned) < min(2, len(self.lists)):
                makers += [self.scan] * 4
                if self.scores:
                    makers += [self.lowest]
        if scanned and rng.random() < 0.05:
            return ir.Stop(POS)
        return rng.choice(makers)(names, depth, event, scanned)

    def let(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        type = self.rng.choice((U64, S64, FIX, BOOL))
        value = self.expressions.of(type, names, 2)
        self.count += 1
        names.locals.append((f"let{self.count}", type))
        return ir.Let(f"let{self.count}", value, POS)

    def set_state(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        state = self.rng.choice(self.names.states)
        return ir.SetState(state.name, self.expressions.of(widened(state.type), names, 2), POS)

    def set_field(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        field = self.rng.choice(self.names.fields)
        value = self.expressions.of(widened(field.type), names, 2)
        return ir.SetField(self.rng.choice(names.folios), field.name, value, POS)

    def ghost_add(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        return ir.GhostAdd(self.rng.choice(self.ghosts), self.rng.choice(names.folios), POS)

    def move(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        return ir.Move(self.rng.choice(names.folios), self.rng.choice(ENDS), self.rng.choice(self.lists), POS)

    def propose(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        return ir.Propose(self.rng.choice(names.folios), POS)

    def branch(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        orelse = self.block(names, depth - 1, event, scanned) if self.rng.random() < 0.5 else ()
        return ir.If(self.expressions.truth(names, 2), self.block(names, depth - 1, event, scanned), orelse, POS)

    def scan(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        name = self.rng.choice([name for name in self.lists if name not in scanned])
        self.count += 1
        folio = f"folio{self.count}"
        inner = names.inner(folio)
        inner.ghosts = self.ghosts
        body = self.block(inner, depth - 1, event, (*scanned, name))
        return ir.Scan(name, self.rng.choice(ENDS), self.bound(names), folio, body, POS)

    def lowest(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        name = self.rng.choice([name for name in self.lists if name not in scanned])
        bound = self.bound(names) or ir.Const(2**64 - 1, U64)
        return ir.EvictLowest(self.rng.choice(self.scores).name, bound, self.rng.choice(ENDS), name, POS)

    def bound(self, names: Names) -> ir.Expr | None:
        numbers = [ir.Const(number, U64) for number in (0, 1, 2, 3, 5, 2**64 - 1)]
        return self.rng.choice([None, None, *numbers, self.expressions.of(U64, names, 1)])
