"""Random expressions as source text: every operator, function, attribute and kind of name."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from cpol.compiler.vocabulary.folio import FOLIO, FOLIO_HIDDEN
from cpol.compiler.vocabulary.function import FUNCTIONS, MATH, Function
from cpol.compiler.vocabulary.request import FAULT, OUT, RANGE, REQUEST

from .scope import (
    ASKING,
    BOOL,
    FIX,
    MEMBERS,
    MOOD,
    NAME_ONLY,
    OF_RANGES,
    S64,
    U64,
    WIDE,
    WITH_TASK,
    Counts,
    Declared,
    Fn,
    Scope,
    limits,
    owned,
    widened,
)

KEYWORDS = ("if", "then", "else", "and", "or", "not", "true", "false")
CONSTANT_WORDS = frozenset((*MATH, *KEYWORDS, *MEMBERS, "ms", "s", "min", "h"))
OF_CACHES = (
    "cache size",
    "cache capacity",
    "cache clock",
    "list size",
    "ghost size",
    "array size",
    "ghost field",
    "ghost oldest",
    "ghost full",
)
"""Kinds of names that no handler of prefetching reads."""
Maker = Callable[[], str]


class Expressions:
    def __init__(self, rng: random.Random, declared: Declared, counts: Counts) -> None:
        self.rng = rng
        self.known = declared
        self.counts = counts

    def of(self, type: str, scope: Scope, depth: int) -> str:
        """Return an expression of a wide type, `bool` or the enum; compounds are in parentheses."""
        if depth == 2 and self.rng.random() < 0.5:
            depth = 1  # long expressions are rare
        if depth and self.rng.random() < 0.1:
            parts = self.truth(scope, depth - 1), self.of(type, scope, depth - 1), self.of(type, scope, depth - 1)
            return self.counts.wrote("if then else", "(if {} then {} else {})".format(*parts))
        if type == BOOL:
            return self.truth(scope, depth)
        if type == MOOD:
            return self.rng.choice([*self.leaves(type, scope), *self.makers(type, scope, depth)])()
        if depth == 0:
            return self.leaf(type, scope)
        made = self.makers(type, scope, depth)
        return self.rng.choice([lambda: self.leaf(type, scope), lambda: self.arith(type, scope, depth), *made])()

    def stored(self, type: str, scope: Scope, depth: int) -> str:
        """Return a value for a target of this type: a constant has to fit it."""
        text = self.of(widened(type), scope, depth)
        return text if self.varies(text) else self.literal(type)

    def varies(self, text: str) -> bool:
        """Tell whether a value is computed only at run time, where it saturates."""
        words = re.findall(r"\b[a-zA-Z]\w*", re.sub(r'"[^"]*"', "", text))
        return bool(set(words) - CONSTANT_WORDS - set(self.known.consts))

    def literal(self, type: str) -> str:
        """Return a constant that fits the type."""
        if type == BOOL:
            return self.rng.choice(("true", "false"))
        if type == MOOD:
            return self.rng.choice(MEMBERS)
        if type == FIX:
            return self.counts.wrote("fix literal", self.rng.choice(("0.5", "1.0", "-0.25", "1_000.125", "99999999.0")))
        low, high = limits(type)
        near = [value for value in (0, 1, 2, 3, 10, 1000, low, high, high - 1, -1, -7) if low <= value <= high]
        value = self.rng.choice(near)
        if type == U64 and self.rng.random() < 0.1:
            return self.counts.wrote("duration", self.rng.choice(("250 ms", "5 s", "2 min", "1 h")))
        if value >= 0 and self.rng.random() < 0.1:
            return self.counts.wrote("hexadecimal", f"{value:#x}")
        return f"{value:_}" if self.rng.random() < 0.2 else str(value)

    def leaf(self, type: str, scope: Scope) -> str:
        return self.rng.choice(self.leaves(type, scope))()

    def leaves(self, type: str, scope: Scope) -> list[Maker]:
        known = self.known
        found: list[tuple[str, str]] = [("local", name) for name, of in scope.locals if of == type]
        found += [("variable", name) for name, of in scope.variables if widened(of) == type]
        found += [("const", name) for name, of in known.consts.items() if widened(of) == type]
        found += [("param", name) for name, of in known.params.items() if widened(of) == type]
        found += [("state", name) for name, of in known.states.items() if widened(of) == type]
        in_cache = scope.place not in NAME_ONLY
        for folio in scope.folios:
            if in_cache:
                found += [("field", f"{folio}.{name}") for name, of in known.fields.items() if widened(of) == type]
                found += [
                    ("field element", f"{folio}.{name}[{self.place()}]")
                    for name, of in known.arrays.items()
                    if widened(of) == type
                ]
            for ghost, record in known.ghosts.items():
                found += [
                    ("ghost field", f"{ghost}.{name}({folio})") for name, of in record.items() if widened(of) == type
                ]
            found += [
                (f"folio {known.name}", f"{folio}.{known.name}")
                for known in FOLIO.values()
                if str(known.type) == type != "list"
                and (in_cache or known.named)
                and (known.name != "pinned" or self.known.pins)
            ]
        if type == BOOL and known.simulated and scope.place in WITH_TASK:
            found.append(("task writes", "task.writes"))
        of_files = {
            "readahead": ("request", "r", REQUEST),
            **dict.fromkeys(OF_RANGES, ("range", "r", RANGE)),
            "swap": ("pages that go out", "p", OUT),
        }
        known_of = of_files.get(scope.place, ("fault", "p", FAULT))
        for name, of in known_of[2].items() if scope.place in ASKING else ():
            if widened(str(of.type)) == type and of.only in ("", scope.place):
                found.append((f"{known_of[0]} {name}", f"{known_of[1]}.{name}"))
        found += [(f"{kind} field", text) for kind, text, of in owned(known, scope) if widened(of) == type]
        if scope.place not in ASKING:
            for ghost, record in known.ghosts.items():
                fields = [name for name, of in record.items() if widened(of) == type]
                found += [("ghost oldest", f"{ghost}.oldest.{name}") for name in fields]
            if type == BOOL:
                found += [("ghost full", f"{name}.full") for name in known.ghosts]
        if type == U64:
            found += [(f"records of {of}", f"{of}.size") for of in known.owners]
            found.append(("cache time", "cache.time"))
            if scope.place not in ASKING:
                found += [(f"cache {name}", f"cache.{name}") for name in ("size", "capacity", "clock")]
                found += [("list size", f"{name}.size") for name in known.lists]
                found += [("ghost size", f"{name}.size") for name in known.ghosts]
            found += [("table size", f"{name}.size") for name in known.tables]
            found += [("size of an input", f"{name}.size") for name, (key, _) in known.inputs.items() if key == "index"]
            if scope.place not in ASKING:
                found += [("array size", f"{name}.size") for name in known.lanes]
            if scope.place == "evict":
                found.append(("evict.wanted", "evict.wanted"))
            if scope.place == "every":
                found.append(("every.periods", "every.periods"))
            if scope.place in WITH_TASK:
                found += [(f"task {name}", f"task.{name}") for name in ("thread", "process", "comm")]

        def named(kind: str, text: str) -> Maker:
            return lambda: self.read(kind, text, scope)

        made: list[Maker] = [named(kind, text) for kind, text in found]
        return [*made, lambda: self.plain(type)] if made else [lambda: self.plain(type)]

    def read(self, kind: str, text: str, scope: Scope) -> str:
        scope.reads_task |= kind.startswith("task ")
        of_folios = ("field", "field element", "folio pages", *(f"folio {name}" for name in FOLIO_HIDDEN))
        scope.reads_folio |= kind in of_folios
        scope.reads_cache |= kind in OF_CACHES
        return self.counts.wrote(kind, text)

    def plain(self, type: str) -> str:
        """Return a literal that has this type wherever it stands."""
        if type == S64:
            return (
                f"signed({self.rng.choice(('0', '1', '7', '9223372036854775807'))})"
                if self.rng.random() < 0.5
                else "-7"
            )
        if type == U64 and self.rng.random() < 0.1:
            return self.counts.wrote("command", self.rng.choice(('"rsync"', '"a b"', r'"\xff\x5c"')))
        return self.literal(type)

    def makers(self, type: str, scope: Scope, depth: int) -> list[Maker]:
        """Return makers of calls and of elements with this type."""
        if depth == 0:
            return []
        known, counts = self.known, self.counts

        def some(of: str) -> str:
            return self.of(of, scope, depth - 1)

        made: list[Maker] = []
        for name, (of, dimensions) in known.tables.items():
            if widened(of) == type:
                made.append(
                    lambda name=name, n=dimensions: counts.wrote("table element", self.element(name, n, scope, depth))
                )
        for name, (key, value) in known.inputs.items():
            if value and widened(value) == type and key == "index":
                made.append(lambda name=name: counts.wrote("entry of an input", f"{name}[{some(U64)}]"))
            elif value and widened(value) == type and (key != "page" or scope.folios):
                made.append(
                    lambda name=name, key=key: counts.wrote(
                        f"input of {key}", f"{name}.of({self.key(key, scope, depth)})"
                    )
                )
        for fn in known.fns:
            if widened(fn.type) == type and self.callable(fn, scope):
                made.append(lambda fn=fn: self.call(fn, scope, depth))
        if type == U64:
            made += [
                lambda: counts.wrote("floor", f"floor({some(FIX)})"),
                lambda: counts.wrote("ceil", f"ceil({some(FIX)})"),
            ]
            made.append(lambda: counts.wrote("unsigned", f"unsigned({some(self.rng.choice(WIDE))})"))
            made += [lambda f=f: counts.wrote("hash", f"hash({f}, {some(U64)})") for f in scope.folios]
            if not scope.pure:
                made.append(lambda: counts.wrote("random", f"random({some(U64)})"))
            if known.lanes and scope.place not in ASKING:
                made.append(lambda: self.pages_of_an_element(some(U64), scope))
            if scope.place in OF_RANGES:
                made.append(lambda: counts.wrote("hash of a range", f"hash(r, {some(U64)})"))
            if scope.place == "readahead":
                made.append(lambda: counts.wrote("hash of a request", f"hash(r, {some(U64)})"))
        if type == S64:
            made.append(lambda: self.signed(some(self.rng.choice(WIDE))))
            made.append(lambda: counts.wrote("negative", f"(-{self.leaf(S64, scope).replace('-7', 'signed(7)')})"))
        for known in FUNCTIONS.values():
            if known.compute and str(known.type) == type:
                made.append(lambda known=known: counts.wrote(known.name, self.computed(known, some)))
        if type == FIX:
            made.append(lambda: self.mixed(some(self.rng.choice((U64, S64))), some(FIX)))
        return made

    def pages_of_an_element(self, index: str, scope: Scope) -> str:
        scope.reads_cache = True
        return self.counts.wrote("array element size", f"{self.rng.choice(self.known.lanes)}[{index}].size")

    def computed(self, known: Function, some: Callable[[str], str]) -> str:
        """Return a call of a function that is one node of the IR."""
        return f"{known.name}({', '.join(some(str(of)) for of in known.operands)})"

    def signed(self, text: str) -> str:
        """Return a conversion. A constant would have to fit."""
        return self.counts.wrote("signed", f"signed({text if self.varies(text) else '7'})")

    def mixed(self, whole: str, fraction: str) -> str:
        whole = whole if self.varies(whole) else "cache.time"
        return self.counts.wrote("whole to fix", f"({whole} {self.rng.choice('+-*')} {fraction})")

    def callable(self, fn: Fn, scope: Scope) -> bool:
        if (fn.reads_task and scope.place not in WITH_TASK) or (fn.reads_cache and scope.place in ASKING):
            return False
        return "folio" not in fn.params or bool(scope.folios and not (fn.reads_folio and scope.place in NAME_ONLY))

    def call(self, fn: Fn, scope: Scope, depth: int) -> str:
        scope.reads_folio |= fn.reads_folio
        scope.reads_task |= fn.reads_task
        scope.reads_cache |= fn.reads_cache
        given = [
            self.rng.choice(scope.folios) if of == "folio" else self.argument(of, scope, depth - 1) for of in fn.params
        ]
        return self.counts.wrote("fn call", f"{fn.name}({', '.join(given)})")

    def argument(self, of: str, scope: Scope, depth: int) -> str:
        """Return an argument, which is often beyond what a narrow parameter holds."""
        text = self.stored(of, scope, depth)
        if widened(of) == of or of in (U64, S64) or not self.varies(text) or self.rng.random() < 0.5:
            return text
        low, high = limits(of)
        beyond = f"max({text}, {high + 1})" if low == 0 or self.rng.random() < 0.5 else f"min({text}, {low - 1})"
        return self.counts.wrote("extreme argument", beyond)

    def place(self) -> str:
        """Return an index that draws no number: in a compound assignment it is computed twice."""
        return self.rng.choice(("0", "1", "3", "cache.time % 3", self.rng.choice(MEMBERS)))

    def element(self, table: str, dimensions: int, scope: Scope, depth: int) -> str:
        return f"{table}[{', '.join(self.index(scope, depth) for _ in range(dimensions))}]"

    def index(self, scope: Scope, depth: int) -> str:
        if self.rng.random() < 0.2:
            return self.counts.wrote("enum as index", self.of(MOOD, scope, 0))
        return self.of(U64, scope, max(depth - 1, 0))

    def key(self, key: str, scope: Scope, depth: int) -> str:
        return self.rng.choice(scope.folios) if key == "page" else self.of(U64, scope, max(depth - 1, 0))

    def arith(self, type: str, scope: Scope, depth: int) -> str:
        ops = ("+", "-", "*", "/", "%", "min", "max", *("&", "|", "^", "<<", ">>", "~") * (type == U64))
        op = self.rng.choice(ops)
        left = self.of(type, scope, depth - 1)
        right = self.of(type, scope, depth - 1)
        if op in ("min", "max"):
            more = [self.of(type, scope, depth - 1)] if self.rng.random() < 0.2 else []
            return self.counts.wrote(op, f"{op}({', '.join([left, right, *more])})")
        if op == "~":
            return self.counts.wrote(op, f"(~{right})")
        if op in ("<<", ">>") and self.rng.random() < 0.5:
            right = self.rng.choice(("1", "8", "63", "64", f"({right} % 70)"))
        if op in ("/", "%"):
            right = self.divisor(type, scope, depth)
        return self.counts.wrote(op, f"({left} {op} {right})")

    def divisor(self, type: str, scope: Scope, depth: int) -> str:
        kinds = ["constant", "max", "if"]
        if type == U64:
            kinds += ["size"] * bool(self.known.tables) + ["wanted"] * 4 * (scope.place == "evict")
        kind = self.rng.choice(kinds)
        self.counts[f"divisor: {kind}"] += 1
        constant = "2.5" if type == FIX else str(self.rng.choice((1, 3, 64, 4095)))
        if kind == "max":
            return f"max({self.of(type, scope, depth - 1)}, {constant})"
        if kind == "if":
            return f"(if {self.truth(scope, depth - 1)} then {constant} else {constant})"
        if kind == "size":
            return f"{self.rng.choice(list(self.known.tables))}.size"
        return "evict.wanted" if kind == "wanted" else constant

    def truth(self, scope: Scope, depth: int) -> str:
        if depth == 0 or self.rng.random() < 0.3:
            return self.asked(scope, depth)
        kind = self.rng.choice(("not", "and", "or", "compare", "compare", "same"))
        if kind == "not":
            return self.counts.wrote("not", f"(not {self.truth(scope, depth - 1)})")
        if kind in ("and", "or"):
            return self.counts.wrote(kind, f"({self.truth(scope, depth - 1)} {kind} {self.truth(scope, depth - 1)})")
        if kind == "same":
            type, op = self.rng.choice((BOOL, MOOD)), self.rng.choice(("==", "!="))
            return self.counts.wrote(op, f"({self.of(type, scope, depth - 1)} {op} {self.of(type, scope, depth - 1)})")
        type, op = self.rng.choice(WIDE), self.rng.choice(("==", "!=", "<", "<=", ">", ">="))
        return self.counts.wrote(op, f"({self.of(type, scope, depth - 1)} {op} {self.of(type, scope, depth - 1)})")

    def asked(self, scope: Scope, depth: int) -> str:
        """Return a question without operands of its own."""
        known, counts = self.known, self.counts
        made = [*self.leaves(BOOL, scope), *self.makers(BOOL, scope, depth)]
        for folio in scope.folios:
            for ghost in known.ghosts:
                made.append(lambda f=folio, g=ghost: self.in_ghost(g, f, scope))
                if not scope.pure and scope.place not in ("removed", *NAME_ONLY):
                    made.append(lambda f=folio, g=ghost: counts.wrote("ghost take", f"{g}.take({f})"))
            if scope.place not in NAME_ONLY and known.lists:
                made.append(lambda f=folio: self.on_list(f, scope))
        for name, (key, _) in known.inputs.items():
            if key != "index" and (key != "page" or scope.folios):
                made.append(
                    lambda name=name, key=key: counts.wrote("input has", f"{name}.has({self.key(key, scope, depth)})")
                )
        if scope.reason:
            made.append(
                lambda: counts.wrote("reason", f"({scope.reason} == {self.rng.choice(('evicted', 'deleted'))})")
            )
        return self.rng.choice(made)()

    def in_ghost(self, ghost: str, folio: str, scope: Scope) -> str:
        scope.reads_cache = True
        return self.counts.wrote("ghost has", f"{ghost}.has({folio})")

    def on_list(self, folio: str, scope: Scope) -> str:
        scope.reads_folio = True
        lists = [*self.known.lists, *self.known.lanes]
        return self.counts.wrote("folio list", f"({folio}.list == {self.rng.choice(lists)})")
