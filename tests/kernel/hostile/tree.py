"""Programs as trees of statements. What is dropped from a tree leaves a tree, so a reducer needs to know no more."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from .interface import Kind, kfuncs


@dataclass(frozen=True)
class Stmt:
    """A statement; those with a body have statements below them."""

    @property
    def below(self) -> tuple[Stmt, ...]:
        return getattr(self, "body", ())

    def with_body(self, body: tuple[Stmt, ...]) -> Stmt:
        return replace(self, body=body) if self.below else self  # type: ignore[call-arg]  # those with one below have it

    def names(self) -> tuple[str, ...]:
        """The kfuncs that the statement itself calls."""
        return ()


@dataclass(frozen=True)
class Call(Stmt):
    kfunc: str
    args: tuple[str, ...]

    def names(self) -> tuple[str, ...]:
        return (self.kfunc,)


@dataclass(frozen=True)
class Each(Stmt):
    """An iterator. `mode`: loop; once (the first folio); pairs (a step more in each round); idle (no step)."""

    iterator: str
    folio: str
    args: tuple[str, ...]
    mode: str = "loop"
    body: tuple[Stmt, ...] = ()

    def names(self) -> tuple[str, ...]:
        parts = ("new", "destroy") if self.mode == "idle" else ("new", "next", "destroy")
        return tuple(f"bpf_iter_{self.iterator}_{part}" for part in parts)


@dataclass(frozen=True)
class Record(Stmt):
    """The body runs if the folio has a record of at least `size` bytes; `name` points to it."""

    folio: str
    size: int
    name: str
    body: tuple[Stmt, ...] = ()

    def names(self) -> tuple[str, ...]:
        return ("bpf_cache_ext_folio_data",)


@dataclass(frozen=True)
class Write(Stmt):
    """Noise into a record."""

    record: str
    offset: int
    width: int
    value: str


@dataclass(frozen=True)
class If(Stmt):
    """`names_in`: kfuncs that the condition calls."""

    condition: str
    body: tuple[Stmt, ...] = ()
    names_in: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        return self.names_in


@dataclass(frozen=True)
class Repeat(Stmt):
    """`how`: iter (bpf_iter_num) or callback (bpf_loop, whose function gets at `folios` by its context)."""

    how: str
    name: str
    times: int
    folios: tuple[str, ...] = ()
    body: tuple[Stmt, ...] = ()


@dataclass(frozen=True)
class Hold(Stmt):
    """The body runs with preemption off, or under RCU. `lock`: preempt or rcu."""

    lock: str
    body: tuple[Stmt, ...] = ()


@dataclass(frozen=True)
class Keep(Stmt):
    """The folio outlives its iterator as `kept`."""

    folio: str


@dataclass(frozen=True)
class Plain(Stmt):
    """C that names no folio: a wait, a count."""

    text: str


@dataclass(frozen=True)
class Leave(Stmt):
    """`how`: return, break or continue; `value`: what a program returns."""

    how: str
    value: str = ""


@dataclass(frozen=True)
class Program:
    """A policy. `handlers`: members with their statements, in the order of the contract."""

    kind: Kind

    name: str
    data_size: int
    flags: int
    tick_ms: int
    handlers: tuple[tuple[str, tuple[Stmt, ...]], ...]
    fallthrough: tuple[tuple[str, str], ...]
    """What init and admit_folio return at their end."""
    waste_percent: int = 0
    keep_pages: int = 0
    pin_pages: int = 0
    nr_lists: int = 0

    def walk(self) -> Iterator[tuple[str, Stmt]]:
        """Each statement with the member that it belongs to."""
        for member, body in self.handlers:
            for stmt in walk(body):
                yield member, stmt

    def without(self, members: Collection[str]) -> Program:
        handlers = tuple(entry for entry in self.handlers if entry[0] not in members)
        return replace(self, handlers=handlers, tick_ms=0 if "tick" in members else self.tick_ms)


def walk(body: tuple[Stmt, ...]) -> Iterator[Stmt]:
    for stmt in body:
        yield stmt
        yield from walk(stmt.below)


def covered(program: Program) -> set[tuple[str, str]]:
    """The kfuncs that the program calls, with the member that calls them."""
    known = kfuncs(program.kind)
    return {(name, member) for member, stmt in program.walk() for name in stmt.names() if name in known}
