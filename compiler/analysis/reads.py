"""What a policy reads of its surroundings: the file and index of folios, the task, the time."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler.analysis.facts import Read
from cpol.compiler.check.symbols import FolioSym, InputSym, OutSym, RecordFieldSym, RequestSym, Typed
from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.syntax import ast
from cpol.compiler.vocabulary.around import CACHE, TASK
from cpol.compiler.vocabulary.attribute import Attribute
from cpol.compiler.vocabulary.folio import FILE, FOLIO
from cpol.compiler.vocabulary.request import OUT

_BUILT_IN = {
    f"{owner}.{name}": attribute
    for owner, attributes in (("cache", CACHE), ("task", TASK))
    for name, attribute in attributes.items()
}


def reads(typed: Typed, source: Source) -> list[Read]:
    """What handlers, `every` blocks, scores and fns read, in text order. Tests and invariants do not count.

    `hash(f, k)` does not count: it spreads folios, whatever they are called.
    """
    found = [Read(fact, " ".join(source.slice(span).split()), span) for fact, span in _facts(typed)]
    return sorted(found, key=lambda read: (read.span.start, read.fact))


def _facts(typed: Typed) -> Iterator[tuple[str, Span]]:
    aside = [item.span for item in typed.policy.items if isinstance(item, ast.Test | ast.Invariant)]
    for expr in typed.types:
        if not any(expr.span in span for span in aside):
            for fact in _of(typed, expr):
                yield fact, expr.span
    for every in typed.symbols.everies:
        if every.unit.text != "events":
            yield "time", every.head


def _of(typed: Typed, expr: ast.Expr) -> tuple[str, ...]:
    if isinstance(expr, ast.Path):
        if expr.text in _BUILT_IN:
            return _fact(_BUILT_IN[expr.text])
        symbol = typed.refs.get(expr)
        if isinstance(symbol, RecordFieldSym):
            facts: dict[str, tuple[str, ...]] = {"file": ("file",), "task": ("thread",)}
            return facts.get(symbol.record, ())
        if isinstance(symbol, OutSym):
            return _fact(OUT.get(expr.parts[1].text)) if len(expr.parts) == 2 else ()
        if isinstance(symbol, FolioSym | RequestSym) and len(expr.parts) == 3:
            return _fact(FILE[expr.parts[2].text])
        if isinstance(symbol, FolioSym) and len(expr.parts) == 2:
            member = expr.parts[1].text
            return _fact(FOLIO.get(member)) if member not in typed.symbols.fields else ()
    if isinstance(expr, ast.Call) and len(expr.callee.parts) == 2:
        symbol = typed.refs.get(expr.callee.parts[0])
        if isinstance(symbol, InputSym) and symbol.decl is not None and symbol.decl.key.text == "page":
            return ("file", "page")
    return ()


def _fact(attribute: Attribute | None) -> tuple[str, ...]:
    """The fact that an attribute tells, if there is one."""
    return (attribute.fact,) if attribute is not None and attribute.fact else ()
