"""Makes a program for struct prefetch_ext_ops from its seed and index, and from nothing else.

A program names its first argument `a`: a fault, a request for readahead, a range of a file, or pages that go out.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from .interface import UNATTACHED, Kfunc, Param, fields, kfuncs, members, told
from .statements import Statements
from .tree import Call, If, Leave, Program, Repeat, Stmt
from .values import Scope, Settings, Values

_ODD = ("0", "1", "~0ULL", "1ULL << 63", "0x7fffffffffffffffULL", "1ULL << 32")
_COUNTS = ("0", "1", "2", "8", "63", "64", "65", "4096", "1ULL << 40", "~0ULL")
_STRIDES = ("0", "1", "1", "-1", "2", "8", "-8", "512", "1LL << 62", "-0x7fffffffffffffffLL - 1")
_PRESENT = {"init": 0.4, "exit": 0.4, "swap_prefetch": 0.8, "file_readahead": 0.8}
_ENOUGH = ("swap_fault", "swap_prefetch", "file_readahead")
"""Members of which a policy has at least one."""


def generate_prefetcher(seed: int, index: int) -> Program:
    """Return prefetching program `index` of `seed`."""
    return _Prefetching(_Values(Random(f"prefetch {seed}/{index}"), Settings(0, 0)), f"h{index}").program()


class _Values(Values):
    """Numbers near those that the program is told."""

    def told(self, scope: Scope) -> str | None:
        """A number of what the program is told."""
        struct = told(scope.member)
        return f"a->{self.rng.choice(fields(struct))}" if struct else None

    def number(self, scope: Scope) -> str:
        choices = ["bpf_get_prandom_u32()", "bpf_ktime_get_ns()", "__sync_fetch_and_add(&count, 1)", "count"]
        near = self.told(scope)
        return near if near and self.chance(0.6) else self.rng.choice(choices)

    def place(self, what: str, scope: Scope) -> str:
        """A slot or a page: near one that the program is told, mostly its own, anywhere below it, or at an edge."""
        near = self.told(scope)
        if near and self.chance(0.6):
            near = f"a->{what}"
        if near is None or self.chance(0.1):
            return self.rng.choice(_ODD)
        match self.rng.randrange(4):
            case 0:
                return f"(u64){near} {self.rng.choice('+-')} {self.rng.choice((0, 1, 2, 7, 32, 64, 512))}"
            case 1:
                return f"(u64){near} {self.rng.choice('+-')} (bpf_get_prandom_u32() & {self.rng.choice((7, 63, 1023))})"
            case 2:
                return f"bpf_get_prandom_u32() % ((u64){near} | 1)"
            case _:
                return f"(u64){near} + (u64){self.rng.choice(('count', near))} * {self.rng.choice((1, 3, 8))}"

    def argument(self, param: Param, scope: Scope) -> str:
        match param.type, param.name:
            case text, _ if text == f"struct {told(scope.member)} *":
                return "a"
            case _, "slot" | "page" | "index":
                return self.place(param.name, scope)
            case _, "nr":
                return self.rng.choice(_COUNTS) if self.chance(0.8) else self.number(scope)
            case "s64", "stride":
                return self.rng.choice(_STRIDES) if self.chance(0.8) else f"(s64){self.number(scope)}"
            case "u64", _:
                return self.rng.choice((*_COUNTS, *_ODD)) if self.chance(0.6) else self.number(scope)
        return super().argument(param, scope)

    def condition(self, scope: Scope) -> str:
        near = self.told(scope)
        if near and self.chance(0.2):
            return f"{near} {self.rng.choice('<>&')} {self.rng.choice((1, 2, 4, 32, 1000))}"
        divisor = self.rng.choice((2, 3, 5, 16, 64))
        return f"{self.number(scope)} % {divisor} == {self.rng.randrange(divisor)}"

    def verdict(self, scope: Scope) -> tuple[str, str]:
        asked = [kfunc for kfunc in kfuncs("prefetch").values() if scope.member in kfunc.where and _answers(kfunc)]
        if not asked:
            return self.condition(scope), ""
        kfunc = self.rng.choice(asked)
        arguments = ", ".join(self.argument(param, scope) for param in kfunc.params)
        return f"{kfunc.name}({arguments}) {self.rng.choice(('< 0', '> 0', '== 0', '== -7'))}", kfunc.name


def _answers(kfunc: Kfunc) -> bool:
    return not kfunc.name.endswith("_error")


class _Prefetching(Statements):
    def __init__(self, values: _Values, name: str) -> None:
        super().__init__(values)
        self.name = name

    def program(self) -> Program:
        present = [member for member in members("prefetch") if self.values.chance(_PRESENT.get(member, 0.5))]
        if not {*present} & {*_ENOUGH}:
            present.append(self.rng.choice(_ENOUGH))
        handlers = [(member, self._handler(Scope(member))) for member in members("prefetch") if member in present]
        program = Program(
            kind="prefetch",
            name=self.name,
            data_size=0,
            flags=0,
            tick_ms=0,
            handlers=tuple(handlers),
            fallthrough=(("init", "0"),),
            waste_percent=self.rng.choice((0, 1, 50, 100, 100, 100)),
            keep_pages=self.rng.choice((0, 1, 64, 4096, 2**40, 2**64 - 1)),
        )
        in_one_call = {"swap_fault", "swap_prefetch"} <= {*present} and self.values.chance(0.5)
        return replace(program, flags=1) if in_one_call else program

    def _handler(self, scope: Scope) -> tuple[Stmt, ...]:
        if self.values.chance(0.05):
            return ()
        if scope.member in UNATTACHED:
            parts = [*self.some(scope, 3)]
            if scope.member == "init" and self.values.chance(0.08):
                fails = Leave("return", self.rng.choice(("-12", "1", "-4096")))
                parts.append(If(self.values.condition(scope), (fails,)))
            return tuple(parts)
        ways = [self._many, self._ahead, self._random]
        return tuple(stmt for _ in range(self.rng.randint(1, 2)) for stmt in self.rng.choice(ways)(scope))

    def _random(self, scope: Scope) -> tuple[Stmt, ...]:
        return self.some(scope, 6)

    def _many(self, scope: Scope) -> tuple[Stmt, ...]:
        """More than a call may have, one by one; what was recorded already among them."""
        times = self.rng.choice((8, 40, 64, 65, 100))
        inside = scope.deeper(loop=True, times=times)
        body = tuple(self.call(inside) for _ in range(self.rng.randint(1, 2)))
        return (*self.some(scope, 1), Repeat("iter", self.values.name("n"), times, (), body), *self.some(scope, 1))

    def _ahead(self, scope: Scope) -> tuple[Stmt, ...]:
        """What a decent policy does."""
        match scope.member:
            case "swap_prefetch":
                what = self.rng.choice(("page", "slot"))
                place = f"a->{what} + 1 + __sync_fetch_and_add(&count, 1) % 8"
                body: tuple[Stmt, ...] = (Call(f"bpf_prefetch_ext_{what}", ("a", place)),)
                return (Repeat("iter", self.values.name("n"), 8, (), body),)
            case "file_readahead":
                return (Call("bpf_prefetch_ext_file", ("a", "a->index + a->wanted", "32", self.rng.choice("128"))),)
            case "file_written":
                flush = Call("bpf_prefetch_ext_flush", ("a", self.rng.choice(("true", "false"))))
                return (flush, Call("bpf_prefetch_ext_drop", ("a",)))
            case "file_read":
                return (Call("bpf_prefetch_ext_drop", ("a",)),)
            case "swap_out":
                return (Call("bpf_prefetch_ext_keep", ("a",)),)
        return self.some(scope, 3)

    # ---- What statements ask ---------------------------------------------------------------------------------------

    def callable(self, scope: Scope) -> list[Kfunc]:
        return [kfunc for kfunc in kfuncs("prefetch").values() if scope.member in kfunc.where]
