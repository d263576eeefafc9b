"""Prints diagnostics on standard error, as text or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from cpol.cli.errors import use_colour
from cpol.cli.messages import as_json, wants_json
from cpol.compiler.diagnostics import Diagnostic
from cpol.compiler.diagnostics.edit import Edit
from cpol.compiler.diagnostics.render import calls, render
from cpol.compiler.diagnostics.source import Source, Span


def show(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics: as text, each followed by an empty line, or as JSON, one object a line."""
    for found in diagnostics:
        if wants_json():
            edits = found.fix.edits if found.fix is not None else ()
            text = as_json(
                found.severity.value,
                found.message,
                found.code,
                _spans(found),
                found.why,
                found.help,
                fix_facts(found.source, edits),
            )
        else:
            text = render(found, use_colour(sys.stderr)) + "\n"
        click.echo(text, err=True)


def _spans(found: Diagnostic) -> list[dict[str, Any]]:
    """The places of a diagnostic, with the primary one first."""
    spans = [span_facts(found.source, found.span, found.label, primary=True)]
    others = (*found.others, *calls(found))
    return spans + [span_facts(found.source, other.span, other.text, primary=False) for other in others]


def fix_facts(source: Source, edits: Sequence[Edit]) -> list[dict[str, Any]]:
    """Edits as JSON: places, and the text that goes there."""
    keys = ("file", "line", "column", "end_line", "end_column")
    places = [(span_facts(source, edit.span, "", primary=True), edit.text) for edit in edits]
    return [{**{key: place[key] for key in keys}, "text": text} for place, text in places]


def span_facts(source: Source, span: Span | None, label: str, *, primary: bool) -> dict[str, Any]:
    """A place as JSON. Lines and columns count from 1, columns in characters; the end is exclusive."""
    if span is not None:
        source, span, _ = source.place(span)
    start, end = (source.pos(span.start), source.pos(span.end)) if span else (None, None)
    return {
        "file": source.path,
        "line": start and start.line,
        "column": start and start.column,
        "end_line": end and end.line,
        "end_column": end and end.column,
        "label": label or None,
        "primary": primary,
    }
