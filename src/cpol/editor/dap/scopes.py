"""The state of a machine as an editor shows it: scopes, and variables with parts, of which many come page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from cpol.compiler import ir
from cpol.compiler.literals import show_value
from cpol.runtime.explore.step import Session
from cpol.runtime.explore.step.text import effects
from cpol.runtime.machine.events import show_flags
from cpol.runtime.machine.interp import Folio, Machine
from cpol.runtime.machine.interp.explain import show_task
from cpol.runtime.machine.interp.snapshot import entry_name, show_name, title

MOST = 1000
"""Parts that are told at once, if an editor does not say how many it wants."""

Parts = Callable[[int, int], list["Variable"]]
"""Makes the parts of a variable from one of them on, so many."""


@dataclass(frozen=True)
class Variable:
    """A variable, and how to make its parts. `indexed`: how many parts it has, if they are numbered."""

    name: str
    value: str
    type: str = ""
    parts: Parts | None = None
    indexed: int = 0


def all_of(made: Callable[[], Iterator[Variable]]) -> Parts:
    return lambda first, count: list(islice(made(), first, first + count))


def scopes(session: Session) -> list[Variable]:
    """The scopes of the state after the step that is shown."""
    machine, policy = session.machine, session.policy
    found = [
        Variable("Lists", "", parts=all_of(lambda: lists(machine)), indexed=0),
        Variable("Records", "", parts=all_of(lambda: records(machine))),
        Variable("Ghosts", "", parts=all_of(lambda: ghosts(machine))),
        Variable("State", "", parts=all_of(lambda: states(machine))),
        Variable("Params", "", parts=all_of(lambda: params(machine))),
        Variable("Event", "", parts=all_of(lambda: event(session))),
    ]
    has = {
        "Records": bool(policy.cells),
        "Ghosts": bool(policy.ghosts),
        "Params": bool(policy.params),
    }
    return [scope for scope in found if has.get(scope.name, True)]


def lists(machine: Machine) -> Iterator[Variable]:
    """Each list from head to tail; empty lists of an array are left out."""
    for label, folios in machine.lists.items():
        if folios or "." not in label:
            yield a_list(machine, label, folios)
    if machine.proposed:
        yield a_list(machine, "proposed", machine.proposed)
    if machine.left:
        yield a_list(machine, "left to the kernel", list(machine.left.values()))


def a_list(machine: Machine, label: str, folios: Sequence[Folio]) -> Variable:
    pages = sum(folio.pages for folio in folios)
    few = " ".join(show_name(*folio.name) for folio in islice(folios, 8)) + (" …" if len(folios) > 8 else "")
    value = f"{pages} page{'s'[: pages != 1]}" + (f": {few}" if few else "")

    def parts(first: int, count: int) -> list[Variable]:
        chosen = enumerate(islice(folios, first, first + count), first)
        return [a_folio(machine, folio, f"[{number}]") for number, folio in chosen]

    return Variable(label, value, "list", parts if folios else None, len(folios))


def a_folio(machine: Machine, folio: Folio, name: str = "") -> Variable:
    """A folio: its record, and what else is known of it."""
    cells = machine.policy.cells
    shown = ", ".join(f"{cell.name} {show_value(folio.fields[cell.name], cell.type)}" for cell in cells)
    own = show_name(*folio.name)

    def made() -> Iterator[Variable]:
        for cell in cells:
            yield Variable(cell.name, show_value(folio.fields[cell.name], cell.type), str(cell.type))
        yield Variable("pages", str(folio.pages), "u64")
        yield Variable("flags", show_flags(folio.flags) if folio.flags else "none")
        yield Variable("pinned", str(bool(folio.pinned)).lower(), "bool")

    return Variable(name or own, (f"{own}: {shown}" if shown else own) if name else shown, "folio", all_of(made))


def records(machine: Machine) -> Iterator[Variable]:
    """The records of all folios in the cache, by name."""
    for name in sorted(machine.cache):
        yield a_folio(machine, machine.cache[name])


def ghosts(machine: Machine) -> Iterator[Variable]:
    for declared in machine.policy.ghosts:
        yield a_ghost(machine, declared)


def a_ghost(machine: Machine, declared: ir.GhostDecl) -> Variable:
    """A ghost, from its oldest entry."""
    ghost = machine.ghosts[declared.name]

    def parts(first: int, count: int) -> list[Variable]:
        chosen = islice(ghost.entries.items(), first, first + count)
        return [
            Variable(
                entry_name(declared, name),
                ", ".join(f"{f.name} {show_value(record[f.name], f.type)}" for f in declared.fields) or "remembered",
            )
            for name, record in chosen
        ]

    value = f"{len(ghost.entries)} of {ghost.capacity}"
    return Variable(title(declared), value, "ghost", parts if ghost.entries else None, len(ghost.entries))


def states(machine: Machine) -> Iterator[Variable]:
    """The cache, the states, tables and inputs."""
    cache = {
        "size": machine.size, "capacity": machine.capacity, "clock": machine.clock, "time": machine.ms,
    }  # fmt: skip
    values = [Variable(name, str(value), "u64") for name, value in cache.items()]
    yield Variable("cache", f"{machine.size} of {machine.capacity} pages", parts=all_of(lambda: iter(values)))
    yield Variable("task", show_task(machine.task))
    for state in machine.policy.states:
        yield Variable(state.name, show_value(machine.state[state.name], state.type), str(state.type))
    for table in machine.policy.tables:
        yield a_table(machine, table)
    for name, source in machine.inputs.items():
        yield an_input(name, [Variable(str(key), str(value)) for _, key, value in source.settings])


def an_input(name: str, held: list[Variable]) -> Variable:
    return Variable(name, f"{len(held)} entries", "input", all_of(lambda: iter(held)) if held else None)


def a_table(machine: Machine, declared: ir.TableDecl) -> Variable:
    """A table: the elements that are not as they were at first."""
    table = machine.tables[declared.name]

    def made() -> Iterator[Variable]:
        for position, value in sorted(table.changed.items()):
            indices = ", ".join(map(str, table.indices(position)))
            yield Variable(f"[{indices}]", show_value(value, declared.type), str(declared.type))

    init = show_value(declared.init, declared.type)
    value = f"{len(table.changed)} elements are not {init}"
    return Variable(declared.name, value, "table", all_of(made) if table.changed else None)


def params(machine: Machine) -> Iterator[Variable]:
    for param in machine.policy.params:
        value = show_value(machine.params[param.name], param.type)
        yield Variable(param.name, f"{value} {param.unit}".rstrip(), str(param.type))


def event(session: Session) -> Iterator[Variable]:
    """What the step did, in words."""
    step = session.here()
    yield Variable("event", step.event)
    for text in effects(step):
        what, _, rest = text.partition(": ")
        yield Variable(what, rest)
    if step.problem is not None:
        yield Variable("problem", step.problem)


def named(session: Session, name: str) -> Variable | None:
    """The list, ghost, table, input, state or param of this name."""
    machine = session.machine
    found: list[Variable] = [*lists(machine), *ghosts(machine), *states(machine), *params(machine)]
    titles: dict[str, Any] = {f"ghost {ghost.name}": ghost.name for ghost in machine.policy.ghosts}
    return next((each for each in found if titles.get(each.name, each.name) == name), None)
