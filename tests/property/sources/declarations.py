"""Random declarations as source text."""

from __future__ import annotations

import random
from collections.abc import Iterator

from .expressions import Expressions
from .scope import BOOL, FIX, MEMBERS, MOOD, S64, U64, Counts, Declared, Fn, Scope, limits

WIDTHS = (1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 48, 64)
UNITS = ("percent", "permille", "pages", "folios", "entries", "accesses", "events", "ms", "lists")
KEYS = ("thread", "process", "comm", "file", "page", "device", "cgroup")


def bits_taken(width: int) -> int:
    """At most so many bits of a record. Two fields of more than 32 bits do not share 64."""
    return width + 7 if width <= 32 else 64


class Declarations:
    def __init__(self, rng: random.Random, declared: Declared, counts: Counts) -> None:
        self.rng = rng
        self.known = declared
        self.counts = counts
        self.expressions = Expressions(rng, declared, counts)

    def all(self) -> Iterator[str]:
        """Return declarations in an order in which each finds what it reads."""
        rng, wrote = self.rng, self.counts.wrote
        yield wrote("enum", f"enum {MOOD} {{ {', '.join(MEMBERS)} }}")
        yield from (self.const(f"C{n}") for n in range(rng.randint(0, 2)))
        yield from (self.param(f"p{n}") for n in range(rng.randint(0, 3)))
        self.known.lists = [f"list{n}" for n in range(rng.choice((1, 2, 3, 3, 8)))]
        yield wrote("list", f"list {', '.join(self.known.lists)}")
        if rng.random() < 0.5:
            self.known.lanes = ["lane", "track", "way", "path"][: rng.choice((1, 1, 2, 4))]
            self.counts["several arrays of lists"] += len(self.known.lanes) > 1
            for name in self.known.lanes:
                yield wrote("array of lists", f"list {name}[{self.number(1, 16)}]")
        if self.known.pins:
            unit = rng.choice(("", " pages"))
            yield wrote("quota", f"pin up to {self.number(1, 16)}{unit}")
        if self.known.keeps:
            yield wrote("quota of kept pages", f"keep up to {self.number(1, 16)}")
        if self.known.wants and rng.random() < 0.4:
            quota = rng.choice((f"{self.number(1, 16)} pages", "0.5 * cache.capacity", "1 MiB"))
            yield wrote("quota of cached pages", f"cache up to {quota}")
        yield from self.record()
        yield from (self.state(f"s{n}") for n in range(rng.randint(1, 5)))
        yield from (self.table(f"t{n}") for n in range(rng.randint(0, 3)))
        yield from (self.ghost(f"g{n}") for n in range(rng.randint(0, 3)))
        yield from (self.owner(of) for of in ("file", "task", "area") if rng.random() < 0.4)
        yield from (self.input(f"in{n}") for n in range(rng.randint(0, 3)))
        yield from (self.fn(f"fn{n}") for n in range(rng.randint(0, 3)))
        yield from (self.score(f"score{n}") for n in range(rng.randint(0, 2)))
        for _ in range(rng.randint(0, 2)):
            low = rng.choice(self.known.lists)
            yield wrote(
                "invariant",
                f"invariant {low}.size <= cache.size or {self.expressions.of(BOOL, Scope('invariant'), 1)} or true",
            )

    def narrow(self) -> str:
        return (
            f"{self.rng.choice('us')}{max(8, w)}"
            if (w := self.rng.choice(WIDTHS)) < 8 and self.rng.random() < 0.3
            else f"u{w}"
            if w not in (8, 16, 32, 64)
            else f"{self.rng.choice('us')}{w}"
        )

    def type(self) -> str:
        return self.rng.choice([self.narrow(), self.narrow(), U64, S64, FIX, BOOL, MOOD])

    def const(self, name: str) -> str:
        type = self.rng.choice([self.narrow(), U64, FIX])
        self.known.consts[name] = type
        return self.counts.wrote("const", f"const {name}: {type} = {self.expressions.literal(type)}")

    def param(self, name: str) -> str:
        type, live = self.type(), self.rng.random() < 0.3
        self.known.params[name] = type
        if type in (BOOL, MOOD):
            text = f"param {name}: {type} = {self.expressions.literal(type)}"
        elif type == FIX:
            text = f"param {name}: fix = 0.5 in -1.0..100.0"
        else:
            low, high = limits(type)
            low, high = max(low, self.rng.choice((0, 1, low))), min(high, self.rng.choice((1, 100, high)))
            text = f"param {name}: {type} = {self.rng.choice((low, high))} in {low}..{high}"
        if self.rng.random() < 0.5 and type not in (BOOL, MOOD):
            text = self.counts.wrote("unit", f"{text} {self.rng.choice(UNITS)}")
        if live:
            text = self.counts.wrote("live", f"{text} live")
        return self.counts.wrote("param", f"/// what {name} is for\n  {text}")

    def number(self, low: int, high: int) -> str:
        """Return a constant within these bounds."""
        return str(self.rng.choice([number for number in (1, 2, 3, 5, 8, 16, 64, 1000) if low <= number <= high]))

    def size(self) -> str:
        sizes = ("cache.capacity", "0.5 * cache.capacity", "min(cache.capacity, 100)", "max(cache.capacity / 8, 4)")
        return (
            self.counts.wrote("size by capacity", self.rng.choice(sizes))
            if self.rng.random() < 0.7
            else self.number(1, 64)
        )

    def fields(self, room: int, prefix: str) -> dict[str, str]:
        """Return a record of at most `room` bits."""
        found: dict[str, str] = {}
        for n in range(self.rng.randint(1, 5)):
            type = self.type()
            room -= {BOOL: 8, MOOD: 8, FIX: 64}.get(type) or bits_taken(int(type[1:]))
            if room < 0:
                break
            found[f"{prefix}{n}"] = type
        return found

    def written(self, record: dict[str, str]) -> str:
        return ", ".join(f"{name}: {type} = {self.expressions.literal(type)}" for name, type in record.items())

    def record(self) -> Iterator[str]:
        self.known.fields = self.fields(300, "x") if self.rng.random() < 0.8 else {}
        written = [self.written(self.known.fields)] if self.known.fields else []
        if self.rng.random() < 0.4:
            self.known.arrays["many"] = type = self.type()
            length = self.rng.choice(("1", "2", "3", "6 / 2"))
            written.append(
                self.counts.wrote("field array", f"many: {type}[{length}] = {self.expressions.literal(type)}")
            )
        if written:
            yield self.counts.wrote("folio record", f"folio {{ {', '.join(written)} }}")

    def state(self, name: str) -> str:
        self.known.states[name] = type = self.type()
        return self.counts.wrote("state", f"state {name}: {type} = {self.expressions.literal(type)}")

    def table(self, name: str) -> str:
        type, dimensions = self.type(), self.rng.randint(1, 2)
        sizes = ", ".join(self.size() if n == 0 else self.number(1, 16) for n in range(dimensions))
        self.known.tables[name] = type, dimensions
        return self.counts.wrote(
            f"table of {dimensions}", f"table {name}: {type}[{sizes}] = {self.expressions.literal(type)}"
        )

    def ghost(self, name: str) -> str:
        record = self.fields(120, "y") if self.rng.random() < 0.5 else {}
        self.known.ghosts[name] = record
        if not record:
            return self.counts.wrote("ghost", f"ghost {name} {{ capacity: {self.size()} }}")
        fields = f"folio {{ {self.written(record)} }}"
        return self.counts.wrote("ghost record", f"ghost {name} {{ capacity: {self.size()}  {fields} }}")

    def owner(self, of: str) -> str:
        self.known.owners[of] = record = self.fields(120, "z")
        return self.counts.wrote(f"{of} record", f"{of} up to {self.size()} {{ {self.written(record)} }}")

    def input(self, name: str) -> str:
        if self.rng.random() < 0.3:
            type = self.rng.choice([self.narrow(), U64, S64, FIX, BOOL])
            self.known.inputs[name] = "index", type
            return self.counts.wrote("input array", f"input {name}: array[{self.size()}] of {type}")
        key = self.rng.choice(KEYS)
        if self.rng.random() < 0.5:
            self.known.inputs[name] = key, None
            return self.counts.wrote("set", f"input {name}: set of {key}")
        type = self.rng.choice([self.narrow(), U64, S64, FIX, BOOL])
        self.known.inputs[name] = key, type
        return self.counts.wrote("map", f"input {name}: map of {key} to {type} = {self.expressions.literal(type)}")

    def fn(self, name: str) -> str:
        scope, params, types = Scope("fn"), [], []
        for n in range(self.rng.randint(0, 3)):
            type = self.rng.choice(["folio", self.type()])
            types.append(type)
            params.append(f"{name}_{n}: {type}")
            if type == "folio":
                scope.folios.append(f"{name}_{n}")
            else:
                scope.variables.append((f"{name}_{n}", type))
        type = self.type()
        lets = "".join(self.let(f"{name}_let{n}", scope) for n in range(self.rng.choice((0, 0, 1, 3))))
        body = self.expressions.stored(type, scope, 2)
        self.known.fns.append(Fn(name, tuple(types), type, scope.reads_folio, scope.reads_task, scope.reads_cache))
        head = f"fn {name}({', '.join(params)}): {type}"
        if lets or self.rng.random() < 0.2:
            return self.counts.wrote("fn as block", f"{head} {{ {lets}return {body} }}")
        return self.counts.wrote("fn", f"{head} = {body}")

    def let(self, name: str, scope: Scope) -> str:
        """Return a `let` of a fn."""
        type = self.rng.choice((U64, S64, FIX, BOOL, MOOD))
        value = self.expressions.of(type, scope, 2)
        scope.locals.append((name, type))
        # A whole literal alone is a u64.
        return self.counts.wrote("let in fn", f"let {name} = {f'signed({value})' if type == S64 else value} ")

    def score(self, name: str) -> str:
        self.known.scores.append(name)
        type = self.rng.choice((U64, S64, FIX))
        return self.counts.wrote(
            "score", f"score {name}(f) = {self.expressions.of(type, Scope('score', folios=['f']), 2)}"
        )
