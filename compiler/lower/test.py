"""Lowers tests of the typed AST to IR."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from cpol.compiler import device, ir
from cpol.compiler.check.symbols import InputSym, Typed
from cpol.compiler.comm import UNKNOWN
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.lower.expr import folios, lower_expr
from cpol.compiler.syntax import ast
from cpol.compiler.vocabulary.event import EVENTS
from cpol.compiler.vocabulary.folio import DIRTY, EXECUTABLE, MAPPED, WRITEBACK

_MARKS = {
    "dirty": (0, DIRTY),
    "writeback": (DIRTY, WRITEBACK),
    "clean": (DIRTY | WRITEBACK, 0),
    "mapped": (0, MAPPED),
    "executable": (0, EXECUTABLE),
    "unmapped": (MAPPED | EXECUTABLE, 0),
}
"""The bits of FOLIO_FLAGS that a step of a test removes, and those that it adds."""

_RANGES = {event.step: event for event in EVENTS.values() if event.step}
"""The events of steps about files."""

Busy: TypeAlias = frozenset[tuple[int, int]]


def lower_test(typed: Typed, source: Source, test: ast.Test) -> tuple[ir.Test, ...]:
    """The IR of `test`, which has no errors: one for each of its cases."""
    return tuple(_lower(typed, source, test, case) for case in test.cases or (None,))


def _lower(typed: Typed, source: Source, test: ast.Test, case: ast.Case | None) -> ir.Test:
    settings = {label: typed.values[value] for label, value in _written(test, None) if value in typed.values}
    name, row, place = test.name.text, "", test.span
    if case is not None:
        settings |= {
            cell.name.text: typed.values[cell.values[0]] for cell in case.cells if cell.values[0] in typed.values
        }
        name, place = f"{name}.{case.name.text}", case.span
        row = ", ".join(" ".join(source.slice(cell.span).split()) for cell in case.cells)
    capacity, batch, seed = settings.pop("capacity", 1), settings.pop("batch", 1), settings.pop("seed", 1)
    area = next((value for label, value in _written(test, case) if label == "area"), None)
    usual = ir.Surroundings()
    around = ir.Surroundings(
        (area.first, area.last) if isinstance(area, ast.Folios) else usual.area,
        settings.pop("slots", usual.slots),
        settings.pop("window", usual.window),
        settings.pop("size", usual.size),
    )
    steps = _Steps(typed, source)
    steps.append(test.steps if case is None else case.steps, frozenset())
    pos = source.pos(place.start)
    return ir.Test(name, row, test.doc, capacity, batch, seed, tuple(settings.items()), tuple(steps.all), pos, around)


def _written(test: ast.Test, case: ast.Case | None) -> Iterator[tuple[str, ast.Expr]]:
    """The settings of a test, and the cells of a case that have one value."""
    yield from ((name.text, value) for name, value in test.settings)
    yield from ((cell.name.text, cell.values[0]) for cell in (case.cells if case is not None else ()))


class _Steps:
    """Lowers the steps of a test. All rounds of a `repeat` share the IR of a step: there may be many."""

    def __init__(self, typed: Typed, source: Source) -> None:
        self.typed = typed
        self.source = source
        self.all: list[ir.Step] = []
        self.known: dict[ast.Step, ir.Step] = {}

    def append(self, written: tuple[ast.Step, ...], busy: Busy) -> Busy:
        """Append the IR of these steps, and return the folios that are busy after them."""
        for step in written:
            if isinstance(step, ast.Repeat):
                for _ in range(step.times.first):
                    busy = self.append(step.steps, busy)
            elif isinstance(step, ast.TestAction) and step.verb.text in ("busy", "idle"):
                named = frozenset(folios(step.folios))
                busy = busy | named if step.verb.text == "busy" else busy - named
            elif isinstance(step, ast.TestAction) and step.verb.text == "reclaim":
                self.all.append(ir.Reclaim(step.folios[0].first, busy, self.source.pos(step.span.start)))
            else:
                if step not in self.known:
                    self.known[step] = self._step(step)
                self.all.append(self.known[step])
        return busy

    def _step(self, step: ast.TestAction | ast.Fill | ast.Expect) -> ir.Step:
        pos = self.source.pos(step.span.start)
        if isinstance(step, ast.Expect):
            text = " ".join(self.source.slice(step.cond.span).split())
            return ir.Expect(lower_expr(self.typed, step.cond), text, pos)
        if isinstance(step, ast.Fill):
            return self._fill(step, pos)
        if step.verb.text == "tick":
            return ir.Tick(step.folios[0].first, pos)
        if step.verb.text == "room":
            return ir.Room(step.folios[0].first, pos)
        if step.verb.text == "readers":
            return ir.Readers(step.folios[0].file, step.folios[0].first, pos)
        if step.verb.text in ("device", "cgroup"):
            return self._settle(step, pos)
        task, comm = step.task or 0, step.comm or UNKNOWN
        how = {word.text for word in step.how}
        if step.verb.text == "fault":
            faults = tuple(page for part in step.folios for page in range(part.first, part.last + 1))
            state: Literal["", "cached", "prefetched"] = "prefetched" if "prefetched" in how else ""
            return ir.Fault(faults, step.slot or 0, state or ("cached" if "cached" in how else ""), task, comm, pos)
        if step.verb.text == "request":
            only, wanted = step.folios[0], 1 if step.size is None else step.size.pages
            kinds = ("sequential" in how, "marker" in how, "mapped" in how)
            return ir.Request(only.file, only.first, wanted, *kinds, task, comm, pos)
        if step.verb.text == "swap":
            only, pages = step.folios[0], 1 if step.size is None else step.size.pages
            return ir.Out(only.first, pages, "shared" in how, "workingset" in how, task, comm, pos)
        if step.verb.text in _RANGES:
            only, pages = step.folios[0], 1 if step.size is None else step.size.pages
            event = _RANGES[step.verb.text]
            where = (only.first, 0, 0) if event.whole else (only.file, only.first, pages)
            return ir.Range(event.name, *where, task, comm, pos)
        named = tuple(folios(step.folios))
        if step.verb.text in _MARKS:
            return ir.Mark(named, *_MARKS[step.verb.text], pos)
        if step.verb.text == "remove":
            return ir.Remove(named, pos)
        pages = 1 if step.size is None else step.size.pages
        ahead = step.verb.text == "readahead"
        write = step.verb.text == "write"
        return ir.Access(named, task, comm, pos, pages, ahead, write)

    def _settle(self, step: ast.TestAction, pos: ir.Pos) -> ir.Settle:
        only = step.folios[0]
        if step.verb.text == "cgroup":
            return ir.Settle("cgroup", only.first, pos)
        return ir.Settle("device", device.number(only.file, only.first), pos)

    def _fill(self, step: ast.Fill, pos: ir.Pos) -> ir.Fill:
        input = self.typed.refs[step.input]
        assert isinstance(input, InputSym)
        first, *others = step.args
        if input.array:
            entries = tuple(self.typed.values[arg] for arg in others)
            return ir.Fill(input.name, (self.typed.values[first],), entries, pos)
        key = first.comm if isinstance(first, ast.CommLit) else (self.typed.values[first],)
        values = [*key, *(self.typed.values[arg] for arg in others)]
        if step.method.text == "remove":
            return ir.Fill(input.name, tuple(values), None, pos)
        value = values.pop() if input.map else 1
        return ir.Fill(input.name, tuple(values), value, pos)
