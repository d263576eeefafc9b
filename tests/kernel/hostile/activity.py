"""A round: a few policies in a few cgroups, and what processes and the administrator do there meanwhile.

storm.c carries out the text that `plan` returns; storm_work.c and storm_admin.c list the words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from .generate import generate
from .prefetch import generate_prefetcher
from .tree import Program

TOGETHER = 5
"""Programs in a round."""
EVICTING = 3
"""The first of these decide about the cache; the others about what is read ahead."""
SWAP_KIB = (256, 1024, 2048)
PAGES = 512
"""Of a scratch file; BIG_PAGES: of one that nobody changes (storm.h)."""
BIG_PAGES = 1024
_SCRATCH = ("e0", "e1", "e2", "x0", "x1", "x2")
_BIG = ("eb", "xb")

Op = tuple[str, ...]


@dataclass(frozen=True)
class Worker:
    """A process in a cgroup."""

    group: str
    ops: tuple[Op, ...]


@dataclass(frozen=True)
class Round:
    number: int
    programs: tuple[Program, ...]
    groups: tuple[Op, ...]
    """Name, parent or `-`, memory.max in KiB."""
    before: tuple[Op, ...]
    workers: tuple[Worker, ...]
    during: tuple[Op, ...]
    after: tuple[Op, ...]


def make_program(seed: int, index: int) -> Program:
    """Return program `index` of `seed`."""
    return generate(seed, index) if index % TOGETHER < EVICTING else generate_prefetcher(seed, index)


def make_round(seed: int, number: int) -> Round:
    """Return round `number` of `seed`: of programs number * TOGETHER and those that follow."""
    programs = tuple(make_program(seed, index) for index in range(number * TOGETHER, (number + 1) * TOGETHER))
    return _Activity(Random(f"round {seed}/{number}"), programs).make(number)


def plan(rounds: Iterable[Round]) -> str:
    """The rounds as storm.c reads them."""
    lines: list[str] = []
    for one in rounds:
        lines.append(f"round {one.number}")
        lines += [" ".join(("group", *group)) for group in one.groups]
        for title, ops in (("before", one.before), ("during", one.during), ("after", one.after)):
            lines += [title, *(" ".join(op) for op in ops)]
        for worker in one.workers:
            lines += [f"worker {worker.group}", *(" ".join(op) for op in worker.ops)]
        lines.append("end")
    return "\n".join([*lines, ""])


class _Activity:
    def __init__(self, rng: Random, programs: tuple[Program, ...]) -> None:
        self.rng = rng
        self.programs = programs
        self.names = [program.name for program in programs[:EVICTING]]
        self.prefetchers = [program.name for program in programs[EVICTING:]]
        self.groups: list[Op] = []

    def make(self, number: int) -> Round:
        self._make_groups()
        homes = self._homes()
        leaves = [name for name, _, _ in self.groups if all(parent != name for _, parent, _ in self.groups)]
        first, second, third = self.names
        before: list[Op] = [("attach", first, homes[first]), ("attach", second, homes[second])]
        during = [op for _ in range(self.rng.randint(5, 12)) for op in (self._admin(), ("nap", self._ms()))]
        late: list[Op] = [("attach", third, homes[third])]
        chance = self.rng.random()
        if chance < 0.25:
            late = [("replace", self.rng.choice((first, second)), third)]
        elif chance < 0.45:
            # Attached to a cgroup that goes while init runs.
            late = [("attaching", third, homes[third]), ("gone", homes[third])]
        if self.rng.random() < 0.25:
            # What is cached already is adopted.
            late.append(before.pop(0))
        for op in late:
            during.insert(self.rng.randint(0, len(during) // 2), op)
        self._add_prefetchers(before, during)
        for name in (*self.names, *self.prefetchers):
            if self.rng.random() < 0.25:
                how = self.rng.choice(("detach", "detach", "kill"))
                during.insert(self.rng.randint(len(during) * 2 // 3, len(during)), (how, name))
        # Each policy has something to govern.
        workers = [Worker(leaf, self._work()) for leaf in (*leaves, self.rng.choice(leaves))]
        self.rng.shuffle(workers)
        return Round(
            number=number,
            programs=self.programs,
            groups=tuple(self.groups),
            before=tuple(before),
            workers=tuple(workers),
            during=tuple(during),
            after=(("detach", self.rng.choice(self.names)), ("drop", "3"), ("run", leaves[-1]), ("drop", "3")),
        )

    def _make_groups(self) -> None:
        """Two or three cgroups; in half of the rounds one is below another."""
        sizes = [str(self.rng.choice((1536, 2048, 3072, 4096, 6144))) for _ in range(3)]
        parents = ["-", "-", "-"]
        if self.rng.random() < 0.5:
            parents[1] = "a"
            if self.rng.random() < 0.3:
                parents[2] = "b"
        self.groups = list(zip("abc", parents, sizes, strict=True))

    def _add_prefetchers(self, before: list[Op], during: list[Op]) -> None:
        """One from the start, mostly where a policy of the cache is, too. Another one elsewhere, or in its place."""
        first, second = self.prefetchers
        home = self.rng.choice(before)[2] if before and self.rng.random() < 0.7 else self._group()
        late: list[Op] = [("attach", second, self._group())]
        chance = self.rng.random()
        if chance < 0.4:
            late = [("replace", first, second)]
        elif chance < 0.55:
            group = self._group()
            late = [("attaching", second, group), ("gone", group), ("come", group)]
        before.append(("attach", first, home))
        if self.rng.random() < 0.5:
            late.append(("swapoff", self.rng.choice("01")))
        for op in late:
            during.insert(self.rng.randint(0, len(during)), op)

    def _homes(self) -> dict[str, str]:
        """A cgroup for each program; now and then two want the same."""
        names = [name for name, _, _ in self.groups]
        self.rng.shuffle(names)
        if self.rng.random() < 0.1:
            names[1] = names[0]
        return dict(zip(self.names, names, strict=True))

    def _ms(self) -> str:
        return str(self.rng.choice((0, 1, 5, 20, 50)))

    def _order(self) -> str:
        """In which pages are used that were swapped out."""
        return self.rng.choice(("seq", "back", "stride", "random", "random"))

    def _memory(self) -> str:
        return self.rng.choice(("own", "reclaimed", "reclaimed", "shared", "huge", "fork"))

    def _pages(self, total: int) -> tuple[str, str]:
        """First page and number."""
        first = self.rng.randrange(total)
        return str(first), str(self.rng.randint(1, max(1, min(256, total - first))))

    def _choose(self, ways: tuple[tuple[Callable[[], Op], float], ...]) -> Op:
        return self.rng.choices([way for way, _ in ways], [weight for _, weight in ways])[0]()

    def _group(self) -> str:
        return self.rng.choice(self.groups)[0]

    def _admin(self) -> Op:
        size = str(self.rng.choice((1024, 1536, 2048, 4096, 8192)))
        return self._choose(
            (
                (lambda: ("max", self._group(), size), 2),
                (lambda: ("high", self._group(), self.rng.choice((size, "max"))), 1),
                (lambda: ("low", self._group(), self.rng.choice((size, "0"))), 1),
                (lambda: ("min", self._group(), self.rng.choice(("512", "0"))), 0.5),
                (lambda: ("reclaim", self._group(), str(self.rng.choice((128, 1024, 8192)))), 3),
                (lambda: ("drop", self.rng.choice("123")), 1.5),
                (lambda: ("compact",), 2),
                (lambda: ("sync",), 1),
                (lambda: ("stat",), 1),
                (lambda: ("lru",), 0.7),
                (lambda: ("gone", self._group()), 0.5),
                (lambda: ("move", self._group()), 0.5),
                (lambda: ("poison", self.rng.choice((*_SCRATCH, *_BIG)), self.rng.choice(("hard", "soft"))), 0.7),
                (lambda: ("press", str(self.rng.choice((8, 64)))), 0.3),
                (lambda: ("swapoff", self.rng.choice("01")), 0.7),
                (lambda: ("swap.max", self._group(), self.rng.choice((size, "max", "0"))), 0.7),
                (lambda: ("cluster", self.rng.choice("0135")), 0.5),
                (lambda: ("ahead", self.rng.choice(("0", "16", "128", "2048"))), 0.5),
            )
        )

    def _work(self) -> tuple[Op, ...]:
        return tuple(self._step() for _ in range(self.rng.randint(4, 9)))

    def _step(self) -> Op:
        scratch = self.rng.choice(_SCRATCH)
        name, total = (scratch, PAGES) if self.rng.random() < 0.5 else (self.rng.choice(_BIG), BIG_PAGES)
        pages = self._pages(total)
        return self._choose(
            (
                (lambda: ("read", name, *pages), 6),
                (lambda: ("read", name, "0", str(total)), 6),
                (lambda: ("points", name, str(total), str(self.rng.choice((20, 100, 300)))), 3),
                (lambda: ("write", scratch, *self._pages(PAGES)), 4),
                (lambda: ("truncate", scratch, str(8 * self.rng.randrange(PAGES * 512))), 2),
                (lambda: ("punch", scratch, *self._pages(PAGES)), 1),
                (lambda: ("fsync", scratch), 2),
                (lambda: ("dontneed", name, *pages), 1.5),
                (lambda: ("willneed", name, *pages), 1.5),
                (lambda: ("map", name, *pages), 2),
                (lambda: ("dirty", scratch, *self._pages(PAGES)), 1),
                (lambda: ("pageout", name, *pages), 1),
                (lambda: ("cold", name, *pages), 0.5),
                (lambda: ("lock", name, *pages), 0.5),
                (lambda: ("splice", name, *pages), 1),
                (lambda: ("direct", scratch, *self._pages(PAGES)), 0.5),
                (
                    lambda: (
                        "rename",
                        scratch,
                        self.rng.choice([other for other in _SCRATCH if other[0] == scratch[0]]),
                    ),
                    0.7,
                ),
                (lambda: ("unlink", scratch), 1),
                (lambda: ("anon", str(self.rng.choice((64, 512)))), 0.7),
                (lambda: ("swap", str(self.rng.choice(SWAP_KIB)), self._order(), self._memory()), 7),
                (lambda: ("hard", scratch, *self._pages(PAGES)), 0.4),
                (lambda: ("soft", name, *pages), 0.4),
                (lambda: ("collapse", name), 0.7),
                (lambda: ("nap", self._ms()), 1),
            )
        )
