"""The smallest part of some rounds that still fails: whatever can be dropped is dropped.

Rounds, processes and programs are one tree; `units` lists what could go next, the coarse before the fine. A try costs
a machine, so whole halves go first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from .activity import Round
from .tree import Hold, If, Program, Repeat, Stmt

Rounds = tuple[Round, ...]
Path = tuple[str | int, ...]
LEVELS = ("round", "program", "worker", "op", "handler", "statement", "setting")
_LISTS = ("before", "during", "after")
_NEEDED = ("init", "folio_added", "evict_folios")


@dataclass
class Reducer:
    """`fails` carries rounds out in a fresh machine; `budget` bounds how often; `tell` hears of progress."""

    fails: Callable[[Rounds], bool]
    budget: int
    tell: Callable[[str], object]

    def reduce(self, rounds: Rounds) -> Rounds:
        """Return rounds that fail, of which nothing can be dropped any more unless the budget is used up."""
        while True:
            before = rounds
            for level in LEVELS:
                rounds = self._level(rounds, level)
            rounds = self._hoist(rounds)
            if rounds == before or self.budget <= 0:
                return rounds

    def _try(self, rounds: Rounds) -> bool:
        if self.budget <= 0:
            return False
        self.budget -= 1
        return self.fails(rounds)

    def _level(self, rounds: Rounds, level: str) -> Rounds:
        size = max(1, len(list(units(rounds, level))))
        while size >= 1:
            # From the end: what comes late matters least often. Paths of what comes earlier stay as they are.
            at = len(list(units(rounds, level)))
            while at > 0:
                gone = list(units(rounds, level))[max(0, at - size) : at]
                smaller = without(rounds, set(gone))
                if smaller not in (rounds, ()) and self._try(smaller):
                    rounds = smaller
                    self.tell(f"{level}: dropped {len(gone)}; {self.budget} tries left")
                at -= size
            size //= 2
        return rounds

    def _hoist(self, rounds: Rounds) -> Rounds:
        """Replaces statements by their bodies."""
        number = 0
        while (smaller := hoisted(rounds, number)) is not None:
            if smaller != rounds and self._try(smaller):
                rounds = smaller
                self.tell(f"hoisted a body; {self.budget} tries left")
            else:
                number += 1
        return rounds


def units(rounds: Rounds, level: str) -> Iterator[Path]:
    """What a level could drop."""
    for number, one in enumerate(rounds):
        match level:
            case "round":
                yield (number,)
            case "program":
                yield from ((number, "program", program.name) for program in one.programs)
            case "worker":
                yield from ((number, "worker", at) for at in range(len(one.workers)))
            case "op":
                for name in _LISTS:
                    yield from ((number, name, at) for at in range(len(getattr(one, name))))
                for which, worker in enumerate(one.workers):
                    yield from ((number, "worker", which, at) for at in range(len(worker.ops)))
            case _:
                for program in one.programs:
                    yield from ((number, "program", program.name, *path) for path in _of_program(program, level))


def _of_program(program: Program, level: str) -> Iterator[Path]:
    if level == "setting":
        settings = ("data_size", "flags", "tick_ms", "waste_percent", "pin_pages", "keep_pages")
        yield from (("set", name) for name in settings if getattr(program, name))
        return
    for member, body in program.handlers:
        if level == "handler":
            if member not in _NEEDED:
                yield ("do", member)
        else:
            for path in _of_body(body):
                yield ("do", member, *path)


def _of_body(body: tuple[Stmt, ...]) -> Iterator[Path]:
    for at, stmt in enumerate(body):
        yield (at,)
        yield from ((at, *path) for path in _of_body(stmt.below))


def without(rounds: Rounds, gone: set[Path]) -> Rounds:
    """The rounds without what the paths name."""
    return tuple(_round_without(one, (number,), gone) for number, one in enumerate(rounds) if (number,) not in gone)


def evicting(rounds: Rounds) -> Rounds:
    """The rounds on a kernel whose policies cannot prefetch: without these programs, and what is done with them."""
    programs = ((number, program) for number, one in enumerate(rounds) for program in one.programs)
    return without(
        rounds, {(number, "program", program.name) for number, program in programs if program.kind == "prefetch"}
    )


def _round_without(one: Round, here: Path, gone: set[Path]) -> Round:
    programs = tuple(
        _program_without(program, (*here, "program", program.name), gone)
        for program in one.programs
        if (*here, "program", program.name) not in gone
    )
    left = {program.name for program in programs}
    lists = {
        name: tuple(
            op
            for at, op in enumerate(getattr(one, name))
            if (*here, name, at) not in gone
            and (op[0] not in ("attach", "attaching", "detach", "kill", "replace") or op[1] in left)
            and (op[0] != "replace" or op[2] in left)
        )
        for name in _LISTS
    }
    workers = tuple(
        replace(worker, ops=tuple(op for at, op in enumerate(worker.ops) if (*here, "worker", which, at) not in gone))
        for which, worker in enumerate(one.workers)
        if (*here, "worker", which) not in gone
    )
    return replace(
        one,
        programs=programs,
        workers=workers,
        before=lists["before"],
        during=lists["during"],
        after=lists["after"],
    )


def _program_without(program: Program, here: Path, gone: set[Path]) -> Program:
    handlers = tuple(
        (member, _body_without(body, (*here, "do", member), gone))
        for member, body in program.handlers
        if (*here, "do", member) not in gone
    )
    dropped = {path[-1] for path in gone if path[:-1] == (*here, "set")}
    ticks = any(member == "tick" for member, _ in handlers)
    return replace(
        program,
        handlers=handlers,
        data_size=0 if "data_size" in dropped else program.data_size,
        flags=0 if "flags" in dropped else program.flags,
        tick_ms=program.tick_ms if ticks and "tick_ms" not in dropped else 0,
        waste_percent=0 if "waste_percent" in dropped else program.waste_percent,
        pin_pages=0 if "pin_pages" in dropped else program.pin_pages,
        keep_pages=0 if "keep_pages" in dropped else program.keep_pages,
    )


def _body_without(body: tuple[Stmt, ...], here: Path, gone: set[Path]) -> tuple[Stmt, ...]:
    kept = []
    for at, stmt in enumerate(body):
        path = (*here, at)
        if path not in gone:
            kept.append(stmt.with_body(_body_without(stmt.below, path, gone)))
    return tuple(kept)


def hoisted(rounds: Rounds, number: int) -> Rounds | None:
    """The rounds with a body in its statement's place: that of the `number`-th which can stand alone, or None."""
    left = number

    def in_body(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        nonlocal left
        out: list[Stmt] = []
        for stmt in body:
            plain = isinstance(stmt, If | Hold) or (isinstance(stmt, Repeat) and stmt.how == "iter")
            if plain and stmt.below:
                left -= 1
                if left == -1:
                    out += stmt.below
                    continue
            out.append(stmt.with_body(in_body(stmt.below)))
        return tuple(out)

    result = tuple(
        replace(
            one,
            programs=tuple(
                replace(program, handlers=tuple((member, in_body(body)) for member, body in program.handlers))
                for program in one.programs
            ),
        )
        for one in rounds
    )
    return result if left < 0 else None
