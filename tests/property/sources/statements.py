"""Random statements as source text: what each handler may hold.

On each path a folio is moved at most once, and not used after that.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from cpol.compiler.vocabulary.event import RECLAIMING

from .expressions import Expressions
from .scope import (
    ASKING,
    BOOL,
    FIX,
    MEMBERS,
    MOOD,
    NAME_ONLY,
    S64,
    U64,
    Action,
    Counts,
    Declared,
    Scope,
    owned,
    widened,
)

ENDS = ("head", "tail")
PEEKS = ("added", "first_accessed", "accessed", "removed")
"""Handlers that may look at one folio of a list."""
PINS = ("added", "first_accessed", "accessed", "evict")
GHOSTLY = ("added", "first_accessed", "accessed", "removed", "evict")


class Statements:
    def __init__(self, rng: random.Random, declared: Declared, counts: Counts) -> None:
        self.rng = rng
        self.known = declared
        self.counts = counts
        self.expressions = Expressions(rng, declared, counts)
        self.names = 0

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def some_list(self, scope: Scope, but: tuple[str, ...] = ()) -> str:
        lists = [name for name in [*self.known.lists, *self.known.lanes] if name not in but]
        name = self.rng.choice(lists)
        return f"{name}[{self.expressions.of(U64, scope, 1)}]" if name in self.known.lanes else name

    def end(self) -> str:
        return self.counts.wrote(end := self.rng.choice(ENDS), end)

    # Blocks

    def plain(self, scope: Scope, depth: int, scanned: tuple[str, ...] = ()) -> str:
        """Return statements that move no folio of the scope."""
        return "\n".join(self.statement(scope, depth, scanned) for _ in range(self.rng.choice((1, 1, 2))))

    def block(
        self, scope: Scope, depth: int, scanned: tuple[str, ...] = (), last: Callable[[Scope], str] | None = None
    ) -> str:
        inner = scope.inner()
        text = self.plain(inner, depth, scanned)
        return f"{{ {text} {last(inner) if last else ''} }}"

    def statement(self, scope: Scope, depth: int, scanned: tuple[str, ...]) -> str:
        makers: list[Callable[[], str]] = [
            lambda: self.let(scope),
            lambda: self.var(scope),
            lambda: self.assign(scope),
            lambda: self.assign(scope),
        ]
        if scope.folios and scope.place in GHOSTLY and self.known.ghosts:
            makers += [lambda: self.ghost(scope)] * 2
        if scope.place == "every" and self.known.ghosts:
            makers.append(
                lambda: self.counts.wrote(
                    "forget_oldest", f"{self.rng.choice(list(self.known.ghosts))}.forget_oldest()"
                )
            )
        if scope.folios and self.known.pins and scope.place in PINS:
            makers += [lambda: self.pin(scope)] * 2
        if self.known.wants and scope.place in (*RECLAIMING, "every"):
            makers.append(lambda: self.want(scope))
        calls = [action for action in self.known.actions if "list" not in action.params]
        if scope.place in ASKING:
            calls = []
        if not scope.folios or scope.place not in GHOSTLY:
            calls = [action for action in calls if "folio" not in action.params]
        if calls:
            makers += [lambda: self.do(self.rng.choice(calls), scope)] * 2
        if depth > 0:
            makers += [lambda: self.branch(scope, depth, scanned), lambda: self.loop(scope, depth, scanned)]
            makers.append(lambda: self.match(scope, depth, scanned))
            if scope.place in PEEKS and not scanned:
                makers += [lambda: self.scan(scope, depth, scanned)]
        return self.rng.choice(makers)()

    def pin(self, scope: Scope) -> str:
        word = self.rng.choice(("pin", "pin", "unpin"))
        return self.counts.wrote(word, f"{word} {self.rng.choice(scope.folios)}")

    def want(self, scope: Scope) -> str:
        pages = self.rng.choice(("1", "3", "cache.size - 4", "0.5 * cache.size", self.expressions.of(U64, scope, 1)))
        return self.counts.wrote("reclaim", f"reclaim {pages}")

    def do(self, action: Action, scope: Scope, folio: str = "") -> str:
        """Return a call of `action`."""
        given = [
            folio or self.rng.choice(scope.folios)
            if type == "folio"
            else self.some_list(scope)
            if type == "list"
            else self.expressions.stored(type, scope, 1)
            for type in action.params
        ]
        self.counts["do of a chosen list"] += any(
            "[" in text for type, text in zip(action.params, given, strict=True) if type == "list"
        )
        return self.counts.wrote("do", f"do {action.name}({', '.join(given)})")

    def action(self, name: str) -> str:
        """Return an action: on values, on a folio too, or one that moves a folio at its end."""
        kind = self.rng.choice(("plain", "folio", "moves"))
        values = tuple(self.rng.choice(("u8", "s16", U64, FIX, BOOL, MOOD)) for _ in range(self.rng.randint(0, 2)))
        scope = Scope("init" if kind == "plain" else "removed", folios=[] if kind == "plain" else [f"{name}_f"])
        params = []
        for n, type in enumerate(values):
            params.append(f"{name}_{n}: {type}")
            scope.locals.append((f"{name}_{n}", widened(type)))
        body = self.plain(scope, 2, ("no scan",))
        types = values
        if kind != "plain":
            params.insert(0, f"{name}_f: folio")
            types = ("folio", *values)
        if kind == "moves":
            params.append(f"{name}_to: list")
            types = (*types, "list")
            body = f"{body}\n move {name}_f to {self.end()} of {name}_to"
        self.known.actions.append(Action(name, types))
        return self.counts.wrote(f"action {kind}", f"action {name}({', '.join(params)}) {{ {body} }}")

    def let(self, scope: Scope) -> str:
        type = self.rng.choice((U64, S64, FIX, BOOL, MOOD))
        value, name = self.expressions.of(type, scope, 2), self.name("v")
        # A whole literal alone is a u64.
        if type == S64:
            value = f"signed({value})"
        scope.locals.append((name, type))
        return self.counts.wrote("let", f"let {name} = {value}")

    def var(self, scope: Scope) -> str:
        type = self.rng.choice(("u2", "u8", "u32", "s16", U64, S64, FIX, BOOL, MOOD))
        value, name = self.expressions.stored(type, scope, 2), self.name("n")
        scope.variables.append((name, type))
        return self.counts.wrote("var", f"var {name}: {type} = {value}")

    def assign(self, scope: Scope) -> str:
        known = self.known
        targets = [("variable", name, type) for name, type in scope.variables] * 2
        targets += [("state", name, type) for name, type in known.states.items()]
        if scope.place not in NAME_ONLY and scope.place in GHOSTLY:
            targets += [
                ("field", f"{folio}.{name}", type) for folio in scope.folios for name, type in known.fields.items()
            ]
            targets += [
                ("field element", f"{folio}.{name}[{self.expressions.place()}]", type)
                for folio in scope.folios
                for name, type in known.arrays.items()
            ]
        targets += [(f"{kind} field", text, type) for kind, text, type in owned(known, scope)]
        targets += [
            ("element", self.expressions.element(name, dimensions, scope, 1), type)
            for name, (type, dimensions) in known.tables.items()
        ]
        kind, target, type = self.rng.choice(targets)
        op = "=" if type in (BOOL, MOOD) else self.rng.choice(("=", "+=", "-=", "*="))
        return self.counts.wrote(f"{kind} {op}", f"{target} {op} {self.expressions.stored(type, scope, 2)}")

    def ghost(self, scope: Scope) -> str:
        ghost, folio = self.rng.choice(list(self.known.ghosts)), self.rng.choice(scope.folios)
        kind = self.rng.choice(("add", "add", "take") if scope.place != "removed" else ("add",))
        if kind == "take":
            return self.counts.wrote("ghost take alone", f"{ghost}.take({folio})")
        given = [
            f", {name}: {self.expressions.stored(type, scope, 1)}"
            for name, type in self.known.ghosts[ghost].items()
            if self.rng.random() < 0.7
        ]
        return self.counts.wrote("ghost add", f"{ghost}.add({folio}{''.join(given)})")

    def branch(
        self, scope: Scope, depth: int, scanned: tuple[str, ...], last: Callable[[Scope], str] | None = None
    ) -> str:
        text = self.counts.wrote(
            "if", f"if {self.expressions.truth(scope, 2)} {self.block(scope, depth - 1, scanned, last)}"
        )
        if self.rng.random() < 0.3:
            more = self.expressions.truth(scope, 1)
            text += self.counts.wrote("else if", f" else if {more} {self.block(scope, depth - 1, scanned, last)}")
        if self.rng.random() < 0.5:
            text += self.counts.wrote("else", f" else {self.block(scope, depth - 1, scanned, last)}")
        return text

    def match(
        self, scope: Scope, depth: int, scanned: tuple[str, ...], last: Callable[[Scope], str] | None = None
    ) -> str:
        """Return a choice by a member, or by a truth where nothing is one."""
        known = self.known
        names = [name for name, of in (*scope.locals, *scope.variables) if of == MOOD]
        names += [name for values in (known.states, known.params) for name, of in values.items() if of == MOOD]
        if scope.place not in NAME_ONLY and scope.place in GHOSTLY:
            names += [f"{folio}.{name}" for folio in scope.folios for name, of in known.fields.items() if of == MOOD]
        if not names:
            return self.branch(scope, depth, scanned, last)
        members = self.rng.sample(MEMBERS, len(MEMBERS))
        taken = self.rng.choice((1, 2, 3))
        arms = [members[:taken]] if taken < 3 and self.rng.random() < 0.5 else [[name] for name in members[:taken]]
        text = [f"{', '.join(arm)} {self.block(scope, depth - 1, scanned, last)}" for arm in arms]
        if taken < 3:
            block = self.block(scope, depth - 1, scanned, last)
            text.append(self.counts.wrote("match otherwise", f"otherwise {block}"))
        self.counts["match several"] += any(len(arm) > 1 for arm in arms)
        return self.counts.wrote("match", f"match {self.rng.choice(names)} {{ {' '.join(text)} }}")

    def loop(self, scope: Scope, depth: int, scanned: tuple[str, ...]) -> str:
        inner = scope.inner()
        name = self.name("i")
        inner.locals.append((name, U64))
        if self.rng.random() < 0.4:
            return self.rounds(scope, depth, scanned)
        last = self.rng.choice(("3", "0", f"min({self.expressions.of(U64, scope, 1)}, 5)"))
        stop = (lambda _: self.counts.wrote("stop in for", "stop")) if self.rng.random() < 0.2 else None
        return self.counts.wrote(
            "for", f"for {name} in {self.rng.choice('013')}..{last} {self.block(inner, depth - 1, scanned, stop)}"
        )

    def rounds(self, scope: Scope, depth: int, scanned: tuple[str, ...]) -> str:
        """Return a `while`. Half of them count in a variable of outside."""
        truth, before = self.expressions.truth(scope, 2), ""
        bound = self.rng.choice(("3", "0.5 * 7", f"min({self.expressions.of(U64, scope, 1)}, 5)"))
        inner = scope.inner()
        counts, name = self.rng.random() < 0.5, ""
        stops = not counts and self.rng.random() < 0.2
        if counts:
            name = self.name("n")
            before, truth = f"var {name}: u8 = 0\n", f"{name} < {self.rng.choice('135')}"
            scope.variables.append((name, "u8"))
            inner = scope.inner()

        def last(_: object) -> str:
            return f"{name} += 1" if counts else self.counts.wrote("stop in while", "stop")

        step = last if counts or stops else None
        return self.counts.wrote(
            "while", f"{before}while {truth} up to {bound} {self.block(inner, depth - 1, scanned, step)}"
        )

    # What becomes of a folio

    def scan(self, scope: Scope, depth: int, scanned: tuple[str, ...]) -> str:
        """Return a scan; outside of evict, of one folio."""
        of, folio = self.some_list(scope, scanned), self.name("f")
        inner = scope.inner(folio)
        within = (*scanned, of.partition("[")[0])
        bound = " up to 1"
        if scope.place == "evict":
            bound = self.rng.choice(
                ("", " up to 1", " up to 64", f" up to {self.expressions.of(U64, scope, 1)}", " up to 0.5 * cache.size")
            )
        self.counts["scan" if scope.place == "evict" else "scan elsewhere"] += 1
        self.counts["up to"] += bool(bound)

        def fate(at: Scope) -> str:
            return self.fate(folio, at, within)

        parts = [self.plain(inner, depth - 1, within)] if self.rng.random() < 0.6 else []
        if self.rng.random() < 0.3:
            parts.append(self.counts.wrote("fate without arms", fate(inner)))
        else:
            for _ in range(self.rng.randint(0, 2)):
                truth = self.expressions.truth(inner, 2)
                parts.append(self.counts.wrote("when", f"when {truth} {self.block(inner, depth - 1, within, fate)}"))
            parts.append(self.counts.wrote("otherwise", f"otherwise {self.block(inner, depth - 1, within, fate)}"))
        return f"scan {of} from {self.end()}{bound} as {folio} {{ {' '.join(parts)} }}"

    def fate(self, folio: str, scope: Scope, scanned: tuple[str, ...]) -> str:
        """Return the last statement for a scanned folio."""
        kinds = ["move", "keep", "stop", "nothing"]
        if scope.place == "evict":
            kinds += ["evict"] * 4 + (["inner"] if len(scanned) < min(2, len(self.known.lists)) else [])
        kind = self.rng.choice(kinds)
        if kind == "inner":
            return self.counts.wrote("scan in scan", self.scan(scope, 1, scanned))
        if kind == "move":
            return self.move(folio, scope)
        text = {"evict": f"evict {folio}", "nothing": ""}.get(kind, kind)
        return self.counts.wrote(kind, text)

    def move(self, folio: str, scope: Scope) -> str:
        calls = [action for action in self.known.actions if "list" in action.params]
        if calls and self.rng.random() < 0.5:
            return self.counts.wrote("do that moves", self.do(self.rng.choice(calls), scope, folio))
        return self.counts.wrote("move", f"move {folio} to {self.end()} of {self.some_list(scope)}")

    def lowest(self, scope: Scope) -> str:
        score = self.rng.choice(self.known.scores)
        bound = self.rng.choice(("1", "32", "512", self.expressions.of(U64, scope, 1)))
        kind = self.rng.choice(("evict lowest", "evict highest"))
        return self.counts.wrote(kind, f"{kind} {score} of up to {bound} from {self.end()} of {self.some_list(scope)}")

    def place(self, scope: Scope, depth: int = 2) -> str:
        """Return what places the folio `f` once on each path."""
        # Not all are left: then nothing would happen.
        kinds = {
            2: ("place", "place", "if", "if"),
            1: ("place", "place", "leave", "if"),
            0: ("place", "place", "leave"),
        }
        kind = self.rng.choice(kinds[depth])
        if kind == "leave":
            return self.counts.wrote("leave", "leave f")
        if kind == "place":
            return self.counts.wrote("place", f"place f at {self.end()} of {self.some_list(scope)}")
        parts = [
            f"{{ {self.plain(inner, 1)} {self.place(inner, depth - 1)} }}" for inner in (scope.inner(), scope.inner())
        ]
        return self.counts.wrote("place in if", f"if {self.expressions.truth(scope, 2)} {parts[0]} else {parts[1]}")
