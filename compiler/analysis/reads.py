"""What a policy reads of its surroundings: the file and index of folios, the task, the time."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler.analysis.facts import Fact, Read
from cpol.compiler.check.symbols import FolioSym, InputSym, OutSym, RecordFieldSym, Typed
from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.syntax import ast

_FOLIO: dict[str, Fact] = {
    "file": "file",
    "index": "page",
    "dirty": "rw",
    "writeback": "writeback",
    "mapped": "mapped",
    "unread": "unread",
    "device": "device",
    "cgroup": "cgroup",
}
_OUT: dict[str, Fact] = {"process": "process", "comm": "comm"}
_BUILT_IN: dict[str, Fact] = {
    "task.thread": "thread",
    "task.process": "process",
    "task.comm": "comm",
    "task.writes": "rw",
    "cache.time": "time",
}


def reads(typed: Typed, source: Source) -> list[Read]:
    """What handlers, `every` blocks, scores and fns read, in text order. Tests and invariants do not count.

    `hash(f, k)` does not count: it spreads folios, whatever they are called.
    """
    found = [Read(fact, " ".join(source.slice(span).split()), span) for fact, span in _facts(typed)]
    return sorted(found, key=lambda read: (read.span.start, read.fact))


def _facts(typed: Typed) -> Iterator[tuple[Fact, Span]]:
    aside = [item.span for item in typed.policy.items if isinstance(item, ast.Test | ast.Invariant)]
    for expr in typed.types:
        if not any(expr.span in span for span in aside):
            for fact in _of(typed, expr):
                yield fact, expr.span
    for every in typed.symbols.everies:
        if every.unit.text != "events":
            yield "time", every.head


def _of(typed: Typed, expr: ast.Expr) -> tuple[Fact, ...]:
    if isinstance(expr, ast.Path):
        if expr.text in _BUILT_IN:
            return (_BUILT_IN[expr.text],)
        symbol = typed.refs.get(expr)
        if isinstance(symbol, RecordFieldSym):
            facts: dict[str, tuple[Fact, ...]] = {"file": ("file",), "task": ("thread",)}
            return facts.get(symbol.record, ())
        if isinstance(symbol, OutSym):
            return (_OUT[expr.parts[1].text],) if len(expr.parts) == 2 and expr.parts[1].text in _OUT else ()
        if isinstance(typed.refs.get(expr), FolioSym) and len(expr.parts) == 2:
            member = expr.parts[1].text
            return (_FOLIO[member],) if member in _FOLIO and member not in typed.symbols.fields else ()
    if isinstance(expr, ast.Call) and len(expr.callee.parts) == 2:
        symbol = typed.refs.get(expr.callee.parts[0])
        if isinstance(symbol, InputSym) and symbol.decl is not None and symbol.decl.key.text == "page":
            return ("file", "page")
    return ()
