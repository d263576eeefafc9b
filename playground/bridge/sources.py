"""Compiles the text of the editor. Offsets are those of JavaScript, which counts UTF-16 units."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cpol.compiler.diagnostics import CompileError, Diagnostic
from cpol.compiler.diagnostics.render import calls
from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.literals import show_value
from cpol.compiler.stages import Compilation, run

PATH = "policy.cpol"
"""How messages name the text of the editor."""

_latest: list[tuple[str, Compilation]] = []


def compiled(text: str) -> Compilation:
    """Compile a text. The latest is kept: steps, tests and curves follow the diagnostics of the same text.

    Raises:
        CompileError: it has errors.
    """
    if not _latest or _latest[0][0] != text:
        _latest[:] = [(text, run(text, PATH))]
    return _latest[0][1]


def diagnose(text: str) -> dict[str, Any]:
    """The diagnostics of a text, and what the page offers of a policy without errors."""
    try:
        made = compiled(text)
    except CompileError as error:
        return {"ok": False, "diagnostics": [as_data(each) for each in error.diagnostics]}
    return {
        "ok": True,
        "diagnostics": [as_data(each) for each in made.warnings],
        "name": made.policy.name,
        "evicts": made.policy.evicts,
        "tests": [test.name for test in made.policy.tests],
        "params": [
            {
                "name": param.name,
                "default": show_value(param.default, param.type),
                "low": show_value(param.low, param.type),
                "high": show_value(param.high, param.type),
                "unit": param.unit,
                "doc": " ".join(param.doc.split()),
            }
            for param in made.policy.params
        ],
    }


def as_data(found: Diagnostic) -> dict[str, Any]:
    """A diagnostic for the page. `from` is None if no place in the editor is to blame."""
    place = _place(found.source, found.span)
    return {
        "severity": found.severity.value,
        "code": found.code,
        "message": found.message,
        "label": found.label,
        "why": found.why,
        "help": found.help,
        **place,
        "others": list(_others(found)),
    }


def _others(found: Diagnostic) -> Iterator[dict[str, Any]]:
    for label in (*found.others, *calls(found)):
        yield {**_place(found.source, label.span), "text": label.text}


def _place(source: Source, span: Span | None) -> dict[str, Any]:
    if span is None:
        return {"from": None, "to": None, "where": ""}
    own, inner, _ = source.place(span)
    pos = own.pos(inner.start)
    if own is not source:
        return {"from": None, "to": None, "where": f"{own.path.rpartition('/')[2]}:{pos.line}:{pos.column}"}
    start, end = units(source.text, inner.start), units(source.text, inner.end)
    return {"from": start, "to": max(start, end), "where": f"{pos.line}:{pos.column}"}


def units(text: str, offset: int) -> int:
    """An offset in characters as one in UTF-16 units."""
    return offset + sum(char > "\uffff" for char in text[:offset]) if not text.isascii() else offset
