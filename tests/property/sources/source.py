"""Random policies as source text, over the whole language of docs/language.md."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from .declarations import Declarations
from .scope import ASKING, FIX, OF_RANGES, S64, U64, Action, Counts, Declared, Fn, Scope
from .statements import Statements


class Source(Statements):
    def __init__(self, rng: random.Random, admits: bool, prefetches: bool) -> None:
        super().__init__(rng, Declared(), Counts())
        self.admits = admits
        self.prefetches = prefetches

    def policy(self, name: str) -> str:
        """Return the text of a policy."""
        imports = list(self.imports())
        declarations = list(Declarations(self.rng, self.known, self.counts).all())
        actions = [self.action(f"act{n}") for n in range(self.rng.choice((0, 1, 3)))]
        items = [*imports, *declarations, *actions, *self.handlers(), *self.everies(), *self.tests()]
        return f"/// a random policy\npolicy {name} {{\n  " + "\n\n  ".join(items) + "\n}\n"

    def imports(self) -> Iterator[str]:
        """Return imports of the libraries that come with cpol."""
        known, some = self.known, self.rng.random() < 0.3
        if some and self.rng.random() < 0.5:
            known.fns.append(Fn("estimate", ("folio",), U64, False, False))
            known.actions += [Action("count", ("folio",)), Action("age", (U64,))]
            yield self.counts.wrote("import", "import count, estimate, age from sketch")
        if some and self.rng.random() < 0.5:
            known.fns.append(Fn("ewma", (FIX, FIX, FIX), FIX, False, False))
            yield self.counts.wrote("import", "import ewma from ewma")
        if some and self.rng.random() < 0.5:
            known.fns.append(Fn("raised", (FIX, U64, U64), FIX, False, False, True))
            yield self.counts.wrote("import", "import raised from balance")
        if some and self.rng.random() < 0.5:
            known.states["height"] = FIX
            known.actions.append(Action("climb", (U64, FIX, FIX, FIX)))
            yield self.counts.wrote("import", "import climb, height from climb")

    def handlers(self) -> Iterator[str]:
        rng = self.rng
        yield self.handler("added", lambda scope: f"{self.place(scope)} {self.plain(scope, 1)}")
        if rng.random() < 0.3:
            yield self.counts.wrote("one handler for two", self.handler("first_accessed, accessed", self.moved))
        else:
            yield from (
                self.handler(event, self.moved) for event in ("first_accessed", "accessed") if rng.random() < 0.7
            )
        if rng.random() < 0.6:
            yield self.removed()
        if rng.random() < 0.4:
            yield self.counts.wrote("on init", f"on init {self.block(Scope('init'), 2)}")
        if rng.random() < 0.4:
            yield self.handler("missed", lambda scope: "")
        if self.admits and rng.random() < 0.4:
            yield self.handler("admit", self.refused)
        yield self.evict()
        if self.prefetches:
            yield from (self.asking(event) for event in ASKING if rng.random() < 0.4)

    def asking(self, event: str) -> str:
        """Return a handler of prefetching, or one that is told of files."""
        if event in OF_RANGES:
            scope = Scope(event)
            said = " ".join(self.about(scope) for _ in range(self.rng.randint(0, 3)))
            return self.counts.wrote(f"on {event}", f"on {event}(r) {{ {self.plain(scope, 2)} {said} }}")
        if event == "swap":
            scope = Scope(event)
            said = [self.counts.wrote("keep pages", f"if {self.expressions.truth(scope, 1)} {{ keep p }}")]
            said = said * self.rng.randint(0, 2) if self.known.keeps else []
            return self.counts.wrote("on swap", f"on swap(p) {{ {self.plain(scope, 2)} {' '.join(said)} }}")
        scope, name = Scope(event), "r" if event == "readahead" else "p"
        targets = [self.target(scope) for _ in range(self.rng.randint(0, 2))] if event != "fault" else []
        if event != "fault" and self.rng.random() < 0.5:
            truth = self.expressions.truth(scope, 1)
            targets.append(self.counts.wrote("default", f"if {truth} {{ default }}"))
        body = f"{self.plain(scope, 2)} {' '.join(targets)}"
        return self.counts.wrote(f"on {event}", f"on {event}({name}) {{ {body} }}")

    def about(self, scope: Scope) -> str:
        """Return what a handler may say of its file or range."""
        makers = {
            "opened": [
                lambda: self.counts.wrote("readahead", f"readahead {self.expressions.of(U64, scope, 1)}"),
                lambda: self.counts.wrote("leave a file", "leave r"),
            ],
            "read": [
                lambda: self.counts.wrote("drop", "drop r"),
                lambda: self.counts.wrote("leave a file", "leave r"),
            ],
            "written": [
                lambda: self.counts.wrote("drop", "drop r"),
                lambda: self.counts.wrote("flush", "flush r"),
                lambda: self.counts.wrote("flush and wait", "flush r and wait"),
                lambda: self.counts.wrote("leave a file", "leave r"),
            ],
        }
        said = self.rng.choice(makers[scope.place])()
        return f"if {self.expressions.truth(scope, 1)} {{ {said} }}" if self.rng.random() < 0.5 else said

    def target(self, scope: Scope) -> str:
        """Return a `prefetch`."""
        of = self.rng.choice((U64, S64))
        number = self.expressions.of(of, scope, 1)
        if scope.place == "prefetch":
            kind = self.rng.choice(("slot", "page"))
            return self.counts.wrote(f"prefetch {kind}", f"prefetch {kind} {number}")
        text = f"prefetch {number}"
        if self.rng.random() < 0.7:
            text += self.counts.wrote("up to pages", f" up to {self.rng.choice(('0', '1', '64', 'r.wanted * 2'))}")
            if self.rng.random() < 0.5:
                text += self.counts.wrote("stride", f" by {self.rng.choice(('2', '-1', 'signed(r.wanted)'))}")
        return self.counts.wrote("prefetch index", text)

    def handler(self, events: str, last: Callable[[Scope], str]) -> str:
        self.counts.update(f"on {event}" for event in events.split(", "))
        scope = Scope(events.partition(",")[0], folios=["f"])
        return f"on {events}(f) {{ {self.plain(scope, 2)} {last(scope)} }}"

    def moved(self, scope: Scope) -> str:
        """Return what moves the folio on some paths, at their end."""
        kind = self.rng.choice(("move", "if", "nothing"))
        if kind == "if":
            return self.branch(scope, 2, (), lambda at: self.move("f", at) if self.rng.random() < 0.7 else "")
        return self.move("f", scope) if kind == "move" else ""

    def refused(self, scope: Scope) -> str:
        return self.counts.wrote("refuse", f"if {self.expressions.truth(scope, 2)} {{ refuse f }}")

    def removed(self) -> str:
        reason = "why" if self.rng.random() < 0.5 else None
        scope = Scope("removed", folios=["f"], reason=reason)
        head = "on removed(f, why)" if reason else "on removed(f)"
        return self.counts.wrote("on removed", f"{head} {self.block(scope, 2)}")

    def evict(self) -> str:
        scope = Scope("evict")
        parts = [self.plain(scope, 2)] if self.rng.random() < 0.5 else []
        for _ in range(self.rng.randint(1, 2)):
            makers = [lambda: self.scan(scope, 2, ()), lambda: self.scan_sometimes(scope)]
            if self.known.scores:
                makers.append(lambda: self.lowest(scope))
            parts.append(self.rng.choice(makers)())
        parts += [f"scan {name} from head as last{n} {{ evict last{n} }}" for n, name in enumerate(self.known.lists)]
        for name in self.known.lanes:
            parts.append(f"for i in 0..15 {{ scan {name}[i] from head as last {{ evict last }} }}")
        return self.counts.wrote("on evict", f"on evict {{ {' '.join(parts)} }}")

    def scan_sometimes(self, scope: Scope) -> str:
        if self.rng.random() < 0.5:
            return self.counts.wrote(
                "scan in if", f"if {self.expressions.truth(scope, 2)} {{ {self.scan(scope, 2, ())} }}"
            )
        if self.rng.random() < 0.5:
            truth, bound = self.expressions.truth(scope, 2), self.rng.choice(("2", "5"))
            scan = self.scan(scope.inner(), 1, ())
            return self.counts.wrote("scan in while", f"while {truth} up to {bound} {{ {scan} }}")
        inner, name = scope.inner(), self.name("i")
        inner.locals.append((name, "u64"))
        return self.counts.wrote(
            "scan in for", f"for {name} in 0..{self.rng.choice('013')} {{ {self.scan(inner, 1, ())} }}"
        )

    def everies(self) -> Iterator[str]:
        for _ in range(self.rng.randint(0, 2)):
            unit = self.rng.choice(("events", "ms"))
            period = self.rng.choice(("1", "7", "100"))
            if unit == "ms" and self.rng.random() < 0.5:
                unit, period = "time", self.rng.choice(("1 s", "2 min"))
            if unit == "events" and self.rng.random() < 0.5:
                unit, period = "capacity", self.rng.choice(("cache.capacity events", "0.1 * cache.capacity events"))
            what = period if unit in ("time", "capacity") else f"{period} {unit}"
            yield self.counts.wrote(f"every {unit}", f"every {what} {self.block(Scope('every'), 2)}")

    def tests(self) -> Iterator[str]:
        if self.rng.random() < 0.3:
            steps = "access 1, 2..4, 3:7 as 5  tick 10  remove 2, 3:7  expect cache.size <= 1000 and not cache.has(9)"
            steps += "  write 4 as 7  device 8:1  cgroup 3"
            steps += '  access 5 as "rsync"  access 6 as 7 of "a b"'
            yield self.counts.wrote("test", f"/// runs\n  test runs(capacity: 8, batch: 2, seed: 3) {{ {steps} }}")
        if self.rng.random() < 0.2:
            rows = "case few(capacity: 4, n: 2, which: 1..3)  case many(capacity: 9, n: 5, which: [2, 3:1..2])"
            steps = "repeat n { access 1..n, which as n }  expect cache.size <= 1000 and not cache.has(9, which)"
            yield self.counts.wrote("test case", f"test rows(batch: 2) {{ {rows}  {steps} }}")


def source(number: int, seed: int, admits: bool = True, simulated: bool = True) -> tuple[str, Counts]:
    """Return policy `number` of a seed, and which constructs it holds.

    Without `admits` it has no handler of `admit`, for kernels that do not have the event. Unless it is to be
    `simulated`, it reads nothing that no kernel tells, and prefetches nothing.
    """
    made = Source(random.Random(f"source {seed} {number}"), admits, simulated)
    made.known.simulated = simulated
    made.known.pins = simulated and number % 4 == 3
    made.known.wants = simulated and number % 3 != 1
    made.known.keeps = simulated and number % 4 != 2
    return made.policy(f"source{number}"), made.counts
