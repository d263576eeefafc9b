"""Random policies: every statement in every handler that may contain it, nested, with random expressions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from random_decl import MOOD, POS, Declarations
from random_expr import Expressions, Names, Owner, any_type, widened

from cpol.compiler import ir
from cpol.compiler.ir import BOOL, FIX, S64, U64, End
from cpol.compiler.vocabulary.event import RECLAIMING

ENDS = (End.HEAD, End.TAIL)

AGREEING = (0, 1, 2, 3, 4, 15, 27)
"""Policies, by number, that executors are compared on. Some of them notice the faults of test_conversions.py."""


class Policies(Declarations):
    """Makes random policies, with the whole language if `everything`, else with its first version."""

    def __init__(self, rng: random.Random, everything: bool = False) -> None:
        self.rng = rng
        self.everything = everything
        self.expressions = Expressions(rng)
        self.count = 0
        self.lists = [f"list{n}" for n in range(rng.randint(1, 3))]
        self.arrays = ["lane", "track"][: rng.choice((0, 1, 1, 2))] if everything else []
        self.ghosts = [f"ghost{n}" for n in range(rng.randint(0, 2))]
        enum = ir.EnumType("list", ("none", *self.lists, *self.arrays))
        self.enums = [MOOD] if everything else []
        self.names = Names(
            enum,
            params=[self.param(f"param{n}") for n in range(rng.randint(0, 3))],
            states=[self.variable(f"state{n}", self.type(enum)) for n in range(rng.randint(1, 5))]
            + [self.variable("wide", U64), self.variable("signed", S64)],
            fields=[self.field(n, self.type(enum)) for n in range(rng.choice((0, 2, 3, 4, 4)))],
            enums=self.enums,
            arrays=self.arrays,
            draws=everything,
            pins=everything,
        )
        if everything:
            self.names.records = {ghost: self.record(enum) for ghost in self.ghosts}
            owners: tuple[Owner, ...] = ("file", "task", "area")
            self.names.owners = {of: self.owner_record(enum) for of in owners if self.rng.random() < 0.5}
            self.names.tables = [self.table(f"table{n}", enum) for n in range(rng.randint(0, 2))]
            self.names.inputs = [self.input(f"input{n}") for n in range(rng.randint(0, 3))]
            for n in range(rng.choice((0, 2, 3, 4))):
                self.names.fns = [*self.names.fns, self.fn(f"fn{n}")]
        self.scores = [self.score(f"score{n}") for n in range(rng.randint(0, 2))]

    def policy(self, name: str) -> ir.Policy:
        handlers = {"added": self.added(), "evict": self.evict()}
        optional = ["init", "first_accessed", "accessed", "removed", *(["missed", "admit"] if self.everything else [])]
        for event in optional:
            if self.rng.random() < 0.7:
                handlers[event] = self.handler(event)
        for event in ir.PREFETCH_EVENTS if self.everything else ():
            if self.rng.random() < 0.5:
                handlers[event] = self.asking(event)
        return ir.Policy(
            name=name,
            doc="",
            path=f"{name}.cpol",
            params=tuple(self.names.params),
            states=tuple(self.names.states),
            lists=self.names.lists.members[1:],
            ghosts=(
                *(ir.GhostDecl(ghost, self.size(), POS, self.names.records.get(ghost, ())) for ghost in self.ghosts),
                *(ir.GhostDecl(of, self.size(), POS, fields, of) for of, fields in self.names.owners.items()),
            ),
            fields=tuple(self.names.fields),
            scores=tuple(self.scores),
            handlers=handlers,
            list_arrays=tuple(ir.ListArray(name, ir.Const(self.rng.randint(1, 4), U64), POS) for name in self.arrays),
            tables=tuple(self.names.tables),
            inputs=tuple(self.names.inputs),
            fns=tuple(self.names.fns),
            pin=ir.PinDecl(self.size(), POS) if self.everything else None,
            keep=ir.PinDecl(self.size(), POS) if self.everything else None,
            everies=tuple(self.every() for _ in range(self.rng.randint(0, 2))) if self.everything else (),
        )

    def handler(self, event: str) -> ir.Handler:
        folio = None if event == "init" else "f"
        names = self.names.inner(*([folio] if folio else []))
        names.ghosts = self.ghosts if folio else []
        names.takes = event not in ("removed", "missed", "admit")
        names.with_task = self.everything and event not in ("init", "removed")
        names.named_only = event in ("missed", "admit")
        why = "why" if event == "removed" else None
        if why:
            names.locals.append((why, ir.REASON))
        return ir.Handler(event, folio, why, self.block(names, 2, event), POS)

    def asking(self, event: str) -> ir.Handler:
        names = self.names.inner()
        names.asked = event
        names.with_task = event != "swap"
        return ir.Handler(event, "p", None, self.block(names, 3, event), POS)

    def added(self) -> ir.Handler:
        names = self.names.inner("f")
        names.ghosts = self.ghosts
        names.with_task = self.everything
        before = self.block(names, 2, "added")
        place: ir.Stmt = self.place(names)
        for _ in range(self.rng.randint(0, 2)):
            other = ir.Leave("f", POS) if self.everything and self.rng.random() < 0.2 else self.place(names)
            place = ir.If(self.expressions.truth(names, 2), (place,), (other,), POS)
        return ir.Handler("added", "f", None, (*before, place, *self.block(names, 1, "added")), POS)

    def place(self, names: Names) -> ir.Place:
        to = self.some_list(names, self.names.lists.members[1:])
        return ir.Place("f", self.rng.choice(ENDS), to, POS)

    def some_list(self, names: Names, lists: Sequence[str]) -> ir.ListRef:
        """Return a list; one of an array gets an index."""
        name = self.rng.choice(lists)
        return ir.ListRef(name, self.expressions.of(U64, names, 1) if name in self.arrays else None)

    def evict(self) -> ir.Handler:
        """Return an evict handler; most end with a scan that evicts, so that some requests need no fallback."""
        names = self.names.inner()
        names.in_evict = True
        body = [*self.block(names, 3, "evict"), *self.block(names, 3, "evict")]
        if self.rng.random() < 0.7:
            to = self.some_list(names, self.names.lists.members[1:])
            end = self.rng.choice(ENDS)
            body.append(ir.Scan(to, end, None, "last", (ir.Evict("last", end.far, POS),), POS))
        return ir.Handler("evict", None, None, tuple(body), POS)

    def every(self) -> ir.Every:
        unit: Literal["events", "ms"] = "events" if self.rng.random() < 0.5 else "ms"
        period: ir.Expr = ir.Const(self.rng.choice([1, 2, 3, 7, 100]), U64)
        if unit == "events" and self.rng.random() < 0.5:
            part = ir.Arith(self.rng.choice(("mul", "div")), ir.CacheAttr("capacity"), ir.Const(3, U64), U64)
            period = ir.Arith("max", part, ir.Const(1, U64), U64)
        names = self.names.inner()
        names.in_every = True
        return ir.Every(period, unit, self.block(names, 2, "every"), POS)

    # Statements. `scanned`: the lists of the enclosing scans; scanning them again is an error.

    def block(self, names: Names, depth: int, event: str, scanned: tuple[str, ...] = ()) -> tuple[ir.Stmt, ...]:
        names = names.inner()
        body: list[ir.Stmt] = []
        for _ in range(self.rng.randint(1, 3)):
            body.append(self.statement(names, depth, event, scanned))
            if isinstance(body[-1], ir.Var) and self.kept(names):
                body.append(self.keep_variable(names, depth, event, scanned))
        return tuple(body)

    def statement(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        rng = self.rng
        makers = [self.let, self.var, self.set_state, self.set_state]
        if self.results(names):
            makers += [self.keep_result] * 5
        if self.kept(names):
            makers += [self.keep_variable] * 2
        if names.variables:
            makers += [self.set_var] * 2
        if names.folios and not names.named_only:
            if names.fields:
                makers += [self.set_field] * 4
            if self.ghosts:
                makers += [self.ghost_add]
                if self.everything and names.takes:
                    makers += [self.ghost_drop]
            if event in ("first_accessed", "accessed", "evict"):
                makers += [self.move] * 3
            elif self.everything and len(names.folios) > 1:
                makers += [self.move_scanned] * 3
            if event == "evict":
                makers += [self.propose] * 2
            if self.everything and event in ("added", "first_accessed", "accessed", "evict"):
                makers += [self.pin] * 2
        if self.everything and event in (*RECLAIMING, "every"):
            makers += [self.want]
        if event in ("prefetch", "readahead"):
            makers += [self.prefetch] * 4
            if rng.random() < 0.1:
                return ir.Default(POS)
        if event == "swap" and rng.random() < 0.3:
            return ir.Hold(POS)
        if event in ir.RANGE_EVENTS:
            makers += [self.about_range] * 3
        if self.expressions.owned(names):
            makers += [self.set_record] * 2
        if names.tables:
            makers += [self.set_table] * 2
        if event == "every" and self.ghosts:
            makers += [self.forget]
        if event == "admit" and rng.random() < 0.2:
            return ir.Refuse("f", POS)
        if depth > 0:
            makers += [self.branch] * 2
            if self.everything:
                makers += [self.loop]
            if event == "evict" and len(scanned) < min(2, len(self.names.lists.members) - 1):
                makers += [self.scan] * 4
                if self.scores:
                    makers += [self.lowest]
            if self.everything and event in ("added", "first_accessed", "accessed", "removed") and not scanned:
                makers += [self.peek] * 2
        if (scanned or any(name.startswith("i") for name, _ in names.locals)) and rng.random() < 0.05:
            return ir.Stop(POS)
        return rng.choice(makers)(names, depth, event, scanned)

    def pin(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        kind = ir.Pin if self.rng.random() < 0.7 else ir.Unpin
        return kind(self.rng.choice(names.folios), POS)

    def want(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        """Return a `reclaim`, often of a few pages, or of what is over a quota."""
        pages: ir.Expr = ir.Const(self.rng.choice([0, 1, 2, 5, 40]), U64)
        if self.rng.random() < 0.4:
            pages = ir.Arith("sub", ir.CacheAttr("size"), ir.Const(self.rng.randint(1, 5), U64), U64)
        return ir.WantEviction(self.expressions.of(U64, names, 2) if self.rng.random() < 0.2 else pages, POS)

    def prefetch(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        """Return a `prefetch`, often of what is near."""
        of: Literal["slot", "page", "index"] = "index"
        near: ir.Expr = ir.RequestAttr("index", U64)
        if event == "prefetch":
            of = "slot" if self.rng.random() < 0.5 else "page"
            near = ir.FaultAttr(of, U64)
        target = self.expressions.of(S64, names, 2)
        if self.rng.random() < 0.6:
            distance = ir.Const(self.rng.randint(-9, 9), S64)
            target = ir.Arith("add", ir.Convert(near, S64), distance, S64)
        one, none = ir.Const(1, U64), ir.Const(0, S64)
        if event == "prefetch":
            return ir.Prefetch(of, target, one, none, POS)
        count = self.rng.choice([ir.Const(number, U64) for number in (0, 1, 5, 64, 200)])
        stride = self.rng.choice([ir.Const(number, S64) for number in (-2, 0, 1, 1, 3, 2**63 - 1)])
        if self.rng.random() < 0.3:
            count, stride = self.expressions.of(U64, names, 1), self.expressions.of(S64, names, 1)
        return ir.Prefetch("index", target, count, stride, POS)

    def about_range(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        """Return what a handler may say of its file or range."""
        if self.rng.random() < 0.25:
            return ir.LeaveFile(POS)
        if event == "opened":
            return ir.Ahead(self.expressions.of(U64, names, 1), POS)
        if event == "read" or self.rng.random() < 0.4:
            return ir.Drop(POS)
        return ir.Flush(self.rng.random() < 0.5, POS)

    def set_table(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        table = self.rng.choice(self.names.tables)
        indices = tuple(self.expressions.of(U64, names, 1) for _ in table.sizes)
        return ir.SetTable(table.name, indices, self.expressions.stored(table.type, names, 2), POS)

    def forget(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        return ir.GhostForget(self.rng.choice(self.ghosts), POS)

    def ghost_drop(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        return ir.GhostDrop(self.rng.choice(self.ghosts), self.rng.choice(names.folios), POS)

    def loop(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        """Return a loop of few rounds; other tests cover the bound on rounds."""
        self.count += 1
        low = ir.Arith("min", self.expressions.of(U64, names, 1), ir.Const(2**64 - 3, U64), U64)
        high = ir.Arith("add", low, ir.Const(self.rng.randint(0, 3), U64), U64)
        if self.rng.random() < 0.5:
            low, high = (ir.Const(self.rng.choice([0, 1, 2**64 - 1]), U64) for _ in range(2))
            if low.value < high.value - 3:
                high = ir.Const(low.value + 2, U64)
        name = f"i{self.count}"
        inner = names.inner()
        inner.locals.append((name, U64))
        return ir.For(name, low, high, self.block(inner, depth - 1, event, scanned), POS)

    def peek(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        """Return a scan of one folio, outside of evict."""
        to = self.some_list(names, self.names.lists.members[1:])
        self.count += 1
        folio = f"folio{self.count}"
        body = self.block(names.inner(folio), depth - 1, event, (*scanned, to.name))
        return ir.Scan(to, self.rng.choice(ENDS), ir.Const(1, U64), folio, body, POS)

    def move_scanned(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        return replace(self.move(names, depth, event, scanned), folio=names.folios[-1])

    def let(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        type = self.rng.choice((U64, S64, FIX, BOOL))
        value = self.expressions.of(type, names, 2)
        self.count += 1
        names.locals.append((f"let{self.count}", type))
        return ir.Let(f"let{self.count}", value, POS)

    def var(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        type = any_type(self.rng, names.lists)
        value = self.expressions.stored(type, names, 2)
        self.count += 1
        names.variables.append((f"var{self.count}", type))
        return ir.Var(f"var{self.count}", type, value, POS)

    def set_var(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        name, type = self.rng.choice(names.variables)
        return ir.SetVar(name, type, self.expressions.stored(type, names, 2), POS)

    def set_state(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        state = self.rng.choice(self.names.states)
        return ir.SetState(state.name, self.expressions.stored(state.type, names, 2), POS)

    def results(self, names: Names) -> list[tuple[ir.FnDecl, ir.VarDecl]]:
        """Return the fns that can be called here, and the states that can keep what they return."""
        usable = [fn for fn in names.fns if self.expressions.takes(fn, names)]
        return [(fn, state) for fn in usable for state in names.states if widened(fn.type) == widened(state.type)]

    def keep_result(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        fn, state = self.rng.choice(self.results(names))
        value = self.expressions.call(fn, names, 2)
        return ir.SetState(state.name, self.expressions.to(value, state.type), POS)

    def kept(self, names: Names) -> list[tuple[ir.Local, ir.VarDecl]]:
        """Return the variables, each with the states that can keep it."""
        locals = [ir.Local(name, of) for name, of in names.variables]
        return [(of, state) for of in locals for state in names.states if widened(of.type) == widened(state.type)]

    def keep_variable(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        local, state = self.rng.choice(self.kept(names))
        return ir.SetState(state.name, self.expressions.to(local, state.type), POS)

    def set_field(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        field = self.rng.choice(self.names.fields)
        value = self.expressions.stored(field.type, names, 2)
        return ir.SetField(self.rng.choice(names.folios), field.name, value, POS, self.expressions.place(field))

    def set_record(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        field = self.rng.choice(self.expressions.owned(names))
        value = self.expressions.stored(field.type, names, 2)
        return ir.SetRecord(field.record, field.folio, field.name, value, POS)

    def ghost_add(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        ghost = self.rng.choice(self.ghosts)
        values = tuple(self.expressions.stored(field.type, names, 1) for field in self.names.records.get(ghost, ()))
        return ir.GhostAdd(ghost, self.rng.choice(names.folios), POS, values)

    def move(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Move:
        to = self.some_list(names, self.names.lists.members[1:])
        return ir.Move(self.rng.choice(names.folios), self.rng.choice(ENDS), to, POS)

    def propose(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        return ir.Evict(self.rng.choice(names.folios), self.rng.choice(ENDS), POS)

    def branch(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        orelse = self.block(names, depth - 1, event, scanned) if self.rng.random() < 0.5 else ()
        return ir.If(self.expressions.truth(names, 2), self.block(names, depth - 1, event, scanned), orelse, POS)

    def scan(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        to = self.some_list(names, self.not_scanned(scanned))
        self.count += 1
        folio = f"folio{self.count}"
        inner = names.inner(folio)
        inner.ghosts = self.ghosts
        body = self.block(inner, depth - 1, event, (*scanned, to.name))
        return ir.Scan(to, self.rng.choice(ENDS), self.bound(names), folio, body, POS)

    def not_scanned(self, scanned: tuple[str, ...]) -> list[str]:
        return [name for name in self.names.lists.members[1:] if name not in scanned]

    def lowest(self, names: Names, depth: int, event: str, scanned: tuple[str, ...]) -> ir.Stmt:
        to = self.some_list(names, self.not_scanned(scanned))
        bound = self.bound(names) or ir.Const(2**64 - 1, U64)
        return ir.EvictByScore(
            self.rng.choice(self.scores).name, bound, self.rng.choice(ENDS), to, POS, self.rng.random() < 0.4
        )

    def bound(self, names: Names) -> ir.Expr | None:
        numbers = [ir.Const(number, U64) for number in (0, 1, 2, 3, 5, 2**64 - 1)]
        return self.rng.choice([None, None, *numbers, self.expressions.of(U64, names, 1)])
