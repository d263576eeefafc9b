"""Lowers tests of the typed AST to IR."""

from __future__ import annotations

from typing import TypeAlias

from cpol.compiler import ir
from cpol.compiler.check.symbols import InputSym, Typed
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.lower.expr import folios, lower_expr
from cpol.compiler.syntax import ast

Busy: TypeAlias = frozenset[tuple[int, int]]


def lower_test(typed: Typed, source: Source, test: ast.Test) -> ir.Test:
    """The IR of `test`, which has no errors."""
    settings = {name.text: typed.values[value] for name, value in test.settings}
    capacity, batch, seed = settings.pop("capacity"), settings.pop("batch", 1), settings.pop("seed", 1)
    steps: list[ir.Step] = []
    _steps(typed, source, test.steps, frozenset(), steps)
    pos = source.pos(test.span.start)
    return ir.Test(test.name.text, test.doc, capacity, batch, seed, tuple(settings.items()), tuple(steps), pos)


def _steps(typed: Typed, source: Source, written: tuple[ast.Step, ...], busy: Busy, steps: list[ir.Step]) -> Busy:
    """Append the IR of these steps, and return the folios that are busy after them."""
    for step in written:
        if isinstance(step, ast.Repeat):
            for _ in range(step.times.first):
                busy = _steps(typed, source, step.steps, busy, steps)
        elif isinstance(step, ast.TestAction) and step.verb.text in ("busy", "idle"):
            named = frozenset(folios(step.folios))
            busy = busy | named if step.verb.text == "busy" else busy - named
        else:
            steps.append(_step(typed, source, step, busy))
    return busy


def _step(typed: Typed, source: Source, step: ast.TestAction | ast.Fill | ast.Expect, busy: Busy) -> ir.Step:
    pos = source.pos(step.span.start)
    if isinstance(step, ast.Expect):
        text = " ".join(source.slice(step.cond.span).split())
        return ir.Expect(lower_expr(typed, step.cond), text, pos)
    if isinstance(step, ast.Fill):
        return _fill(typed, step, pos)
    if step.verb.text == "tick":
        return ir.Tick(step.folios[0].first, pos)
    if step.verb.text == "reclaim":
        return ir.Reclaim(step.folios[0].first, busy, pos)
    named = tuple(folios(step.folios))
    return ir.Access(named, step.task or 0, pos) if step.verb.text == "access" else ir.Remove(named, pos)


def _fill(typed: Typed, step: ast.Fill, pos: ir.Pos) -> ir.Fill:
    input = typed.refs[step.input]
    assert isinstance(input, InputSym)
    values = [typed.values[arg] for arg in step.args]
    if step.method.text == "remove":
        return ir.Fill(input.name, tuple(values), None, pos)
    value = values.pop() if input.map else 1
    return ir.Fill(input.name, tuple(values), value, pos)
