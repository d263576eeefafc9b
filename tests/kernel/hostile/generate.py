"""Makes a program from its seed and index, and from nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from .interface import REQUIRED, SLEEPING, WITH_FOLIO, Kfunc, kfuncs, limit, members
from .sequences import EVICTING, trips
from .tree import Call, Each, Hold, If, Leave, Plain, Program, Record, Repeat, Stmt, Write
from .values import MOST_TIMES, Scope, Settings, Values

DEEPEST = 4
SIZES = (0, 1, 2, 4, 8, 12, 16, 24, 32, 63, 64)
_PRESENT = {"tick": 0.6, "admit_folio": 0.3, "exit": 0.7}
_FIRST = ("init", "exit", "tick")


def generate(seed: int, index: int) -> Program:
    """Return program `index` of `seed`."""
    return _Generator(Random(f"{seed}/{index}"), f"h{index}").program()


class _Generator:
    def __init__(self, rng: Random, name: str) -> None:
        self.rng = rng
        self.name = name
        lists = rng.choice((1, 1, 2, 2, 3, 4, 8, 9, 33, 300, limit("KERNEL_LISTS")))
        self.values = Values(rng, Settings(lists, rng.choice(SIZES)))

    def program(self) -> Program:
        handlers = []
        for member in members():
            if member in REQUIRED or self.values.chance(_PRESENT.get(member, 0.75)):
                folios = ("f",) if member in WITH_FOLIO else ()
                idle = self.values.chance(0.01 if member == "init" else 0.04)
                body = () if idle else getattr(self, f"_{member}", self._event)(Scope(member, folios))
                handlers.append((member, body))
        ticks = any(member == "tick" for member, _ in handlers)
        return Program(
            name=self.name,
            data_size=self.values.settings.data_size,
            flags=self.rng.randrange(4),
            tick_ms=self.rng.choice((0, 1, 4, 20, 200, 3600000)) if ticks else 0,
            handlers=tuple(handlers),
            fallthrough=(("init", "0"), ("admit_folio", self.rng.choice(("true", "false", "count & 1")))),
        )

    # ---- Handlers --------------------------------------------------------------------------------------------------

    def _init(self, scope: Scope) -> tuple[Stmt, ...]:
        lists = self.values.settings.lists
        create = Call("bpf_cache_ext_lists_create", ("m", str(lists)))
        if lists < 10 and self.values.chance(0.4):
            made: tuple[Stmt, ...] = (Call("bpf_cache_ext_list_create", ("m",)),) * lists
        elif lists > 8 and self.values.chance(0.5):
            made = (
                Call("bpf_cache_ext_lists_create", ("m", "3")),
                Call("bpf_cache_ext_lists_create", ("m", str(lists - 3))),
            )
        else:
            made = (create,)
        parts = [*made]
        for _ in range(self.rng.randrange(4)):
            parts.insert(self.rng.randint(0, len(parts)), self._any(scope))
        if self.values.chance(0.15):
            parts.append(self._sleep(scope))
        if self.values.chance(0.06):
            parts.append(If(self.values.condition(scope), (Leave("return", self.rng.choice(("-12", "1", "-4096"))),)))
        return tuple(parts)

    def _exit(self, scope: Scope) -> tuple[Stmt, ...]:
        parts = list(self._some(scope, 4))
        if self.values.chance(0.3):
            parts.append(self._sleep(scope))
        return tuple(parts)

    def _folio_added(self, scope: Scope) -> tuple[Stmt, ...]:
        add: Stmt = Call(
            self.rng.choice(("bpf_cache_ext_list_add", "bpf_cache_ext_list_add_tail")), ("f", self.values.list(scope))
        )
        if self.values.chance(0.1):
            add = If(self.values.condition(scope), (add,))
        return (*self._some(scope, 3), add, *self._some(scope, 3))

    def _evict_folios(self, scope: Scope) -> tuple[Stmt, ...]:
        parts: list[Stmt] = []
        self.values.home = self.values.list(scope)
        for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3))):
            ways, weights = zip(*EVICTING, strict=True)
            parts += self.rng.choices(ways, weights)[0](self.values, scope)
        for _ in range(self.rng.randrange(4)):
            parts.insert(self.rng.randint(0, len(parts)), self._any(scope))
        if self.values.chance(0.2):
            parts.insert(self.rng.randint(0, len(parts)), If(self.values.condition(scope), (Leave("return"),)))
        return tuple(parts)

    def _event(self, scope: Scope) -> tuple[Stmt, ...]:
        return self._some(scope, 5)

    # ---- Statements ------------------------------------------------------------------------------------------------

    def _some(self, scope: Scope, most: int) -> tuple[Stmt, ...]:
        return tuple(self._any(scope) for _ in range(self.rng.randint(0, most)))

    def _any(self, scope: Scope) -> Stmt:
        """A random statement."""
        ways: list[tuple[Callable[[Scope], Stmt], float]] = [(self._call, 8), (self._plain, 0.7)]
        if scope.folios and self.values.settings.data_size:
            ways.append((self._record, 3))
        if scope.records:
            ways.append((self._write, 4))
        if scope.depth < DEEPEST:
            ways += [(self._if, 2), (self._hold, 0.4), (self._repeat, 0.8)]
            if scope.member not in SLEEPING and scope.member != "admit_folio":
                ways.append((self._each, 2.5 if scope.depth < 2 else 0.8))
        if scope.depth:
            ways.append((self._leave, 0.5))
        if scope.member in SLEEPING and not scope.held:
            ways.append((self._sleep, 0.5))
        return self.rng.choices([way for way, _ in ways], [weight for _, weight in ways])[0](scope)

    def _callable(self, scope: Scope) -> list[Kfunc]:
        return [
            kfunc
            for kfunc in kfuncs().values()
            if scope.member in kfunc.where
            and not kfunc.iterator
            and kfunc.name != "bpf_cache_ext_folio_data"
            and (scope.folios or not kfunc.takes("struct folio *"))
            # What creates lists sleeps.
            and not (scope.held and kfunc.where == ("init",))
        ]

    def _call(self, scope: Scope) -> Stmt:
        kfunc = self.rng.choice(self._callable(scope))
        call = Call(kfunc.name, tuple(self.values.argument(param, scope) for param in kfunc.params))
        if kfunc.name != "bpf_cache_ext_error":
            return call
        # It ends the policy.
        return If("bpf_get_prandom_u32() % 8192 == 0", (call,))

    def _plain(self, scope: Scope) -> Stmt:
        return Plain(
            f"DAWDLE({self.rng.choice([n for n in (10, 100, 1000) if n == 10 or n * scope.times <= MOST_TIMES])})"
        )

    def _sleep(self, scope: Scope) -> Stmt:
        """Reads the loader's memory, which may be a folio that has to come from the disk."""
        page = "(bpf_get_prandom_u32() & 0xff) * 4096"
        read = f"{{ char text[8]; bpf_copy_from_user_str(text, sizeof(text), (void *)(USER_MEMORY + {page}), 0); }}"
        return Repeat("iter", self.values.name("n"), self.rng.choice((1, 8, 64)), (), (Plain(read),))

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
        return Record(folio, size, name, (*body, *self._some(inside, 2)))

    def _if(self, scope: Scope) -> Stmt:
        condition, names = self.values.condition(scope), ()
        if self.values.chance(0.4):
            condition, name = self.values.verdict(scope)
            return If(condition, self._some(scope.deeper(), 3), (name,))
        return If(condition, self._some(scope.deeper(), 3), names)

    def _hold(self, scope: Scope) -> Stmt:
        lock = self.rng.choice(("preempt", "rcu"))
        if lock in scope.held:
            return self._call(scope)
        return Hold(lock, self._some(scope.deeper(held=(*scope.held, lock), loop=False), 3))

    def _repeat(self, scope: Scope) -> Stmt:
        times = self.rng.choice([n for n in (2, 5, 40) if n == 2 or n * scope.times <= MOST_TIMES])
        inside = scope.deeper(loop=True, times=times * scope.times)
        if self.values.chance(0.5):
            return Repeat("iter", self.values.name("n"), times, (), self._some(inside, 3))
        folios = scope.folios[-4:]
        inside = replace(inside, folios=folios, records=(), loop=False, callback=True)
        return Repeat("callback", self.values.name("again"), times, folios, self._some(inside, 3))

    def _each(self, scope: Scope) -> Stmt:
        values, folio = self.values, self.values.name("f")
        evicting = scope.member == "evict_folios"
        list_ = values.other_list(scope) if values.chance(0.8) else values.list(scope)
        steps = values.steps(scope)
        mode = self.rng.choices(("loop", "once", "pairs", "idle"), (6, 3, 1, 0.5))[0]
        inside = scope.deeper(folios=(*scope.folios, folio), lists=(*scope.lists, list_), loop=True)
        if mode in ("loop", "pairs"):
            inside = replace(inside, times=scope.times * trips(steps))
        body = () if mode == "idle" else self._some(inside, 4)
        # This one has no limit.
        if evicting and (trips(steps) == 1000 or (mode in ("once", "idle") and values.chance(0.4))):
            return Each("cache_ext_list", folio, (list_,), mode, body)
        return Each("cache_ext_scan", folio, (list_, values.end(), steps), mode, body)

    def _leave(self, scope: Scope) -> Stmt:
        how = self.rng.choice(("break", "continue", "return")) if scope.loop else "return"
        value = {"init": "0", "admit_folio": "false"}.get(scope.member, "")
        return Leave(how, value)
