"""Random arguments, most of them valid, some at an edge, some wrong."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from .interface import Param, limit

STEPS = (1, 2, 8, 31, 32, 33, 64, 512)
ODD_STEPS = ("0", "65536", "65537", "0x100000000ULL", "~0ULL")
MOST_TIMES = 4000
"""That a statement runs in one call. The kernel bounds steps of iterators, at more than a storm has time for."""
ODD_LISTS = ("-1", "-2147483647 - 1", "2147483647", "65535", "65536", "65537")


@dataclass(frozen=True)
class Settings:
    """What all programs of a policy share. `lists`: how many the policy has."""

    lists: int
    data_size: int


@dataclass(frozen=True)
class Scope:
    """What a statement may use."""

    member: str
    folios: tuple[str, ...] = ()
    records: tuple[tuple[str, int], ...] = ()
    """Pointers to records, with their sizes."""
    lists: tuple[str, ...] = ()
    """Lists that an iterator is on."""
    depth: int = 0
    times: int = 1
    """How often the statement runs in one call, at most, with lists of 1,000 folios."""
    loop: bool = False
    """Whether break and continue have a loop."""
    callback: bool = False
    held: tuple[str, ...] = ()
    """Locks of tree.Hold."""

    def deeper(self, **changes: object) -> Scope:
        return replace(self, depth=self.depth + 1, **changes)  # type: ignore[arg-type]  # names are checked at run time


@dataclass
class Values:
    rng: Random
    settings: Settings
    home: str = "0"
    """The list that sequences.py prefers in a handler."""
    unique: int = field(default=0)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def name(self, prefix: str) -> str:
        self.unique += 1
        return f"{prefix}{self.unique}"

    def number(self, scope: Scope) -> str:
        """A value that differs from call to call."""
        choices = ["bpf_get_prandom_u32()", "bpf_ktime_get_ns()", "__sync_fetch_and_add(&count, 1)", "count"]
        choices += [f"{folio}->index" for folio in scope.folios]
        if scope.member == "evict_folios":
            choices += ["c->nr_evicted", "c->request_nr_folios"]
        choices += [f"*({record} + {self.rng.randrange(size)})" for record, size in scope.records if size]
        return self.rng.choice(choices)

    def list(self, scope: Scope) -> str:
        """The number of a list."""
        lists = self.settings.lists
        if self.chance(0.05) or not lists:
            return self.rng.choice((*ODD_LISTS, str(lists), str(limit("KERNEL_LISTS"))))
        # Mostly one of the first few: folios that are spread over many lists seldom meet.
        among = lists if self.chance(0.1) else min(lists, 3)
        if self.chance(0.15) and among > 1:
            return f"(s32)({self.number(scope)} % {among})"
        return str(self.rng.randrange(among))

    def other_list(self, scope: Scope) -> str:
        """A list without an iterator, if that is easily found."""
        for _ in range(4):
            found = self.list(scope)
            if found not in scope.lists:
                break
        return found

    def end(self) -> str:
        """Flags of a scan or a selection."""
        return self.rng.choice(("2", "0xffffffff", "0x80000000")) if self.chance(0.03) else self.rng.choice("01")

    def steps(self, scope: Scope) -> str:
        """The limit of a scan or a selection."""
        if scope.member != "evict_folios" and self.chance(0.95):
            return "1"
        if self.chance(0.2) and scope.times == 1:
            return self.rng.choice(ODD_STEPS)
        return str(self.rng.choice([steps for steps in STEPS if steps == 1 or steps * scope.times <= MOST_TIMES]))

    def tail(self, scope: Scope) -> str:
        return f"{self.number(scope)} & 1" if self.chance(0.2) else self.rng.choice(("true", "false"))

    def score(self, scope: Scope) -> str:
        if self.chance(0.3):
            return self.rng.choice(("0", "1", "~0ULL", "1ULL << 63"))
        return self.number(scope) if self.chance(0.8) else f"~(u64){self.number(scope)}"

    def field(self) -> str:
        """A field of the record, as bpf_cache_ext_select() takes it."""
        size = self.settings.data_size
        if self.chance(0.1) or not size:
            return self.rng.choice(("0", "1 << 16", "3 << 16", "1 | 2 << 16", "64 | 1 << 16", "0xffffffff", "16 << 16"))
        width = self.rng.choice([width for width in (1, 2, 4, 8) if width <= size])
        return f"{self.rng.randrange(size // width) * width} | {width} << 16"

    def record_size(self) -> int:
        """A size that the folio's record has; or one that is too large, so that there is none."""
        if self.chance(0.05):
            return self.rng.choice((self.settings.data_size + 1, 64, 65, 4096))
        return self.settings.data_size if self.chance(0.7) else self.rng.randint(0, self.settings.data_size)

    def argument(self, param: Param, scope: Scope) -> str:
        """An argument for any kfunc."""
        match param.type, param.name:
            case "struct mem_cgroup *", _:
                return "m"
            case "struct folio *", _:
                return self.rng.choice(scope.folios)
            case "struct cache_ext_evict_ctx *", _:
                return "c"
            case "const u32", _:
                return str(self.record_size())
            case "bool", _:
                return self.tail(scope)
            case _, "list":
                return self.list(scope)
            case _, "nr":
                return self.rng.choice(("0", "1", "2", "3", "7", "4096", "16449", "0xffffffff"))
            case _, "pages":
                return self.rng.choice(("0", "1", "7", "4096", "1ULL << 63", "~0ULL"))
            case _, "gone":
                return self.rng.choice(
                    ("0", "1ULL << 63", "~0ULL", "bpf_cache_ext_gone(m)", "bpf_cache_ext_gone(m) - 7")
                )
            case _, "flags":
                return self.end()
            case _, "limit":
                return self.steps(scope)
            case _, "score":
                return self.score(scope)
            case _, "field":
                return self.field()
            case "const char *", _:
                return self.rng.choice(("text_odd", "text_none", "text_long"))
            case _, "code":
                return self.rng.choice(("0", "-1", "7", "2147483647", "-2147483647 - 1"))
        raise ValueError(f"no random value for `{param.type} {param.name}`: extend Values.argument()")

    def condition(self, scope: Scope) -> str:
        """A condition that holds now and then."""
        if scope.member == "evict_folios" and self.chance(0.35):
            return self.rng.choice(
                (
                    "c->nr_evicted >= c->request_nr_folios",
                    "c->nr_evicted",
                    "c->request_nr_folios < 32",
                    "!c->nr_evicted",
                )
            )
        divisor = self.rng.choice((2, 3, 5, 16, 64))
        return f"{self.number(scope)} % {divisor} == {self.rng.randrange(divisor)}"

    def verdict(self, scope: Scope) -> tuple[str, str]:
        """A condition on what a kfunc returns, and that kfunc."""
        choices = [
            (
                "bpf_cache_ext_list_size",
                f"bpf_cache_ext_list_size(m, {self.list(scope)}) > {self.rng.choice((0, 32, 500))}",
            ),
            ("bpf_cache_ext_size", f"bpf_cache_ext_size(m) > {self.rng.choice((0, 100, 1000))}"),
            ("bpf_cache_ext_capacity", f"bpf_cache_ext_capacity(m) < {self.rng.choice((1, 500, 2000))}"),
        ]
        for folio in scope.folios[-2:]:
            choices.append(("bpf_cache_ext_folio_list", f"bpf_cache_ext_folio_list({folio}) == {self.list(scope)}"))
            move = f"bpf_cache_ext_list_move({folio}, {self.list(scope)}, {self.tail(scope)})"
            choices.append(("bpf_cache_ext_list_move", move))
            choices.append(("bpf_cache_ext_list_del", f"bpf_cache_ext_list_del({folio})"))
            if scope.member == "evict_folios":
                choices.append(("bpf_cache_ext_evict", f"!bpf_cache_ext_evict(c, {folio})"))
                choices.append(("bpf_cache_ext_offer", f"!bpf_cache_ext_offer(c, {folio}, {self.score(scope)})"))
        name, text = self.rng.choice(choices)
        return text, name
