"""Random statements, for programs of both kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .interface import Kfunc
from .sequences import trips
from .tree import Call, Each, Hold, If, Leave, Plain, Record, Repeat, Stmt, Write
from .values import MOST_TIMES, Scope, Values

DEEPEST = 4


class Statements:
    def __init__(self, values: Values) -> None:
        self.values = values
        self.rng = values.rng

    def some(self, scope: Scope, most: int) -> tuple[Stmt, ...]:
        return tuple(self.any(scope) for _ in range(self.rng.randint(0, most)))

    def any(self, scope: Scope) -> Stmt:
        """A random statement."""
        ways: list[tuple[Callable[[Scope], Stmt], float]] = [(self.call, 8), (self._plain, 0.7)]
        if scope.folios and self.values.settings.data_size:
            ways.append((self._record, 3))
        if scope.records:
            ways.append((self._write, 4))
        if scope.depth < DEEPEST:
            ways += [(self._if, 2), (self._hold, 0.4), (self._repeat, 0.8)]
            if self.iterates(scope):
                ways.append((self._each, 2.5 if scope.depth < 2 else 0.8))
        if scope.depth:
            ways.append((self._leave, 0.5))
        return self.rng.choices([way for way, _ in ways], [weight for _, weight in ways])[0](scope)

    def callable(self, scope: Scope) -> list[Kfunc]:
        """The kfuncs that a call may name there."""
        raise NotImplementedError

    def iterates(self, scope: Scope) -> bool:
        """Whether there are iterators of folios there."""
        return False

    def call(self, scope: Scope) -> Stmt:
        kfuncs = self.callable(scope)
        if not kfuncs:
            return self._plain(scope)
        kfunc = self.rng.choice(kfuncs)
        call = Call(kfunc.name, tuple(self.values.argument(param, scope) for param in kfunc.params))
        if not kfunc.name.endswith("_ext_error"):
            return call
        # It ends the policy.
        return If("bpf_get_prandom_u32() % 8192 == 0", (call,))

    def _plain(self, scope: Scope) -> Stmt:
        return Plain(
            f"DAWDLE({self.rng.choice([n for n in (10, 100, 1000) if n == 10 or n * scope.times <= MOST_TIMES])})"
        )

    def _write(self, scope: Scope) -> Stmt:
        record, size = self.rng.choice(scope.records)
        width = self.rng.choice([width for width in (1, 2, 4, 8) if width <= size])
        return Write(record, self.rng.randint(0, size - width), width, self.values.score(scope))

    def _record(self, scope: Scope) -> Stmt:
        folio, name = self.rng.choice(scope.folios), self.values.name("r")
        size = self.values.record_size()
        # No statement but a write may follow where the size says that there is no record.
        readable = size if size <= 64 else 0
        inside = scope.deeper(records=((name, readable),) if readable else ())
        body = [self._write(inside) for _ in range(self.rng.randint(1, 3))] if readable else []
        return Record(folio, size, name, (*body, *self.some(inside, 2)))

    def _if(self, scope: Scope) -> Stmt:
        condition, names = self.values.condition(scope), ()
        if self.values.chance(0.4):
            condition, name = self.values.verdict(scope)
            return If(condition, self.some(scope.deeper(), 3), (name,))
        return If(condition, self.some(scope.deeper(), 3), names)

    def _hold(self, scope: Scope) -> Stmt:
        lock = self.rng.choice(("preempt", "rcu"))
        if lock in scope.held:
            return self.call(scope)
        return Hold(lock, self.some(scope.deeper(held=(*scope.held, lock), loop=False), 3))

    def _repeat(self, scope: Scope) -> Stmt:
        times = self.rng.choice([n for n in (2, 5, 40) if n == 2 or n * scope.times <= MOST_TIMES])
        inside = scope.deeper(loop=True, times=times * scope.times)
        if self.values.chance(0.5):
            return Repeat("iter", self.values.name("n"), times, (), self.some(inside, 3))
        folios = scope.folios[-4:]
        inside = replace(inside, folios=folios, records=(), loop=False, callback=True)
        return Repeat("callback", self.values.name("again"), times, folios, self.some(inside, 3))

    def _each(self, scope: Scope) -> Stmt:
        values, folio = self.values, self.values.name("f")
        evicting = scope.member == "evict_folios"
        list_ = values.other_list(scope) if values.chance(0.8) else values.list(scope)
        steps = values.steps(scope)
        mode = self.rng.choices(("loop", "once", "pairs", "idle"), (6, 3, 1, 0.5))[0]
        inside = scope.deeper(folios=(*scope.folios, folio), lists=(*scope.lists, list_), loop=True)
        if mode in ("loop", "pairs"):
            inside = replace(inside, times=scope.times * trips(steps))
        body = () if mode == "idle" else self.some(inside, 4)
        # This one has no limit.
        if evicting and (trips(steps) == 1000 or (mode in ("once", "idle") and values.chance(0.4))):
            return Each("cache_ext_list", folio, (list_,), mode, body)
        return Each("cache_ext_scan", folio, (list_, values.end(), steps), mode, body)

    def _leave(self, scope: Scope) -> Stmt:
        how = self.rng.choice(("break", "continue", "return")) if scope.loop else "return"
        value = {"init": "0", "admit_folio": "false"}.get(scope.member, "")
        return Leave(how, value)
