"""Makes a program for struct cache_ext_ops from its seed and index, and from nothing else."""

from __future__ import annotations

from random import Random

from .interface import REQUIRED, UNATTACHED, WITH_FOLIO, Kfunc, kfuncs, limit, members
from .sequences import EVICTING
from .statements import Statements
from .tree import Call, If, Leave, Program, Stmt
from .values import Scope, Settings, Values

SIZES = (0, 1, 2, 4, 8, 12, 16, 24, 32, 63, 64)
_PRESENT = {"tick": 0.6, "admit_folio": 0.3, "exit": 0.7}
_FIRST = ("init", "exit", "tick")


def generate(seed: int, index: int) -> Program:
    """Return program `index` of `seed`."""
    rng = Random(f"{seed}/{index}")
    lists = rng.choice((1, 1, 2, 2, 3, 4, 8, 9, 33, 300, limit("KERNEL_LISTS")))
    return _Evicting(Values(rng, Settings(lists, rng.choice(SIZES))), f"h{index}").program()


class _Evicting(Statements):
    def __init__(self, values: Values, name: str) -> None:
        super().__init__(values)
        self.name = name

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
            kind="cache",
            name=self.name,
            data_size=self.values.settings.data_size,
            flags=self.rng.randrange(4),
            tick_ms=self.rng.choice((0, 1, 4, 20, 200, 3600000)) if ticks else 0,
            handlers=tuple(handlers),
            fallthrough=(("init", "0"), ("admit_folio", self.rng.choice(("true", "false", "count & 1")))),
            pin_pages=self.rng.choice((0, 1, 512, 4096, 2**40)),
            nr_lists=self.values.settings.lists,
        )

    # ---- Handlers --------------------------------------------------------------------------------------------------

    def _init(self, scope: Scope) -> tuple[Stmt, ...]:
        parts = list(self.some(scope, 4))
        if self.values.chance(0.06):
            parts.append(If(self.values.condition(scope), (Leave("return", self.rng.choice(("-12", "1", "-4096"))),)))
        return tuple(parts)

    def _exit(self, scope: Scope) -> tuple[Stmt, ...]:
        return self.some(scope, 4)

    def _folio_added(self, scope: Scope) -> tuple[Stmt, ...]:
        add: Stmt = Call(
            self.rng.choice(("bpf_cache_ext_list_add", "bpf_cache_ext_list_add_tail")), ("f", self.values.list(scope))
        )
        if self.values.chance(0.1):
            add = If(self.values.condition(scope), (add,))
        return (*self.some(scope, 3), add, *self.some(scope, 3))

    def _evict_folios(self, scope: Scope) -> tuple[Stmt, ...]:
        parts: list[Stmt] = []
        self.values.home = self.values.list(scope)
        for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3))):
            ways, weights = zip(*EVICTING, strict=True)
            parts += self.rng.choices(ways, weights)[0](self.values, scope)
        for _ in range(self.rng.randrange(4)):
            parts.insert(self.rng.randint(0, len(parts)), self.any(scope))
        if self.values.chance(0.2):
            parts.insert(self.rng.randint(0, len(parts)), If(self.values.condition(scope), (Leave("return"),)))
        return tuple(parts)

    def _event(self, scope: Scope) -> tuple[Stmt, ...]:
        return self.some(scope, 5)

    # ---- What statements ask ---------------------------------------------------------------------------------------

    def callable(self, scope: Scope) -> list[Kfunc]:
        return [
            kfunc
            for kfunc in kfuncs().values()
            if scope.member in kfunc.where
            and not kfunc.iterator
            and kfunc.name != "bpf_cache_ext_folio_data"
            and (scope.folios or not kfunc.takes("struct folio *"))
        ]

    def iterates(self, scope: Scope) -> bool:
        return scope.member not in UNATTACHED and scope.member != "admit_folio"
