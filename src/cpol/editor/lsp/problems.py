"""The compiler's diagnostics as the protocol has them, and quick fixes: the edits that some of them carry.

A fix is offered only if the compiler, asked about the text with it, has no new error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types

from cpol.compiler.diagnostics import Diagnostic
from cpol.compiler.diagnostics.edit import Edit, apply
from cpol.compiler.diagnostics.render import calls
from cpol.compiler.diagnostics.source import Source, Span
from cpol.editor.lsp.places import Lines
from cpol.editor.lsp.texts import Text, Texts, is_error

SOURCE = "cpolc"
UNUSED = ("W0401",)
"""Warnings about what can go."""


def published(text: Text) -> list[types.Diagnostic]:
    """What the compiler says of a text."""
    return [published_one(found, text) for found in text.diagnostics]


def published_one(found: Diagnostic, text: Text, severity: types.DiagnosticSeverity | None = None) -> types.Diagnostic:
    """A diagnostic as the protocol has it. `severity`: None if it is the compiler's."""
    others = [(label.text, label.span) for label in (*found.others, *calls(found))]
    span = own_span(found, text)
    if found.span is not None and found.source.place(found.span)[0].path != text.path:
        others.insert(0, (found.message, found.span))
    elif found.label:
        others.insert(0, (found.label, found.span or Span(0, 0)))
    parts = [found.message, *(f"{word}: {said}" for word, said in (("why", found.why), ("help", found.help)) if said)]
    related = [
        types.DiagnosticRelatedInformation(_location(found.source, where), said or found.message)
        for said, where in others
    ]
    return types.Diagnostic(
        range=text.lines.range(span),
        message="\n".join(parts),
        severity=severity or (types.DiagnosticSeverity.Error if is_error(found) else types.DiagnosticSeverity.Warning),
        code=found.code,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if found.code in UNUSED else None,
        related_information=related or None,
    )


def own_span(found: Diagnostic, text: Text) -> Span:
    """The place of a diagnostic in the text itself: of one in a library, the import; in none, its first word."""
    if found.span is None:
        return Span(0, min(len(text.text), 1))
    source, span, call = found.source.place(found.span)
    while source.path != text.path and call is not None:
        source, span, call = found.source.place(call)
    if source.path == text.path:
        return span
    for item in text.imports:
        if Path(source.path).stem == Path(item.source.text).stem:
            return item.source.span
    return Span(0, min(len(text.text), 1))


def _location(source: Source, span: Span) -> types.Location:
    source, span, _ = source.place(span)
    return types.Location(uri_of(source.path), Lines(source.text).range(span))


def uri_of(path: str) -> str:
    """The address of a file. That of a text without one is what the editor calls it."""
    return Path(path).as_uri() if path.startswith("/") else path


def fixes(texts: Texts, path: str, within: types.Range) -> list[types.CodeAction]:
    """Quick fixes of the diagnostics that touch a range."""
    text = texts.text(path)
    start, end = text.lines.offset(within.start), text.lines.offset(within.end)
    out: list[types.CodeAction] = []
    for found in text.diagnostics:
        if found.fix is None or found.span is None:
            continue
        span = own_span(found, text)
        if span.end < start or span.start > end:
            continue
        edits = own_edits(found, text)
        if edits and _mends(texts, text, found, edits):
            changes = [types.TextEdit(text.lines.range(edit.span), edit.text) for edit in edits]
            out.append(
                types.CodeAction(
                    found.fix.title,
                    kind=types.CodeActionKind.QuickFix,
                    diagnostics=[published_one(found, text)],
                    is_preferred=True if found.fix.only else None,
                    edit=types.WorkspaceEdit(changes={uri_of(text.path): changes}),
                )
            )
    return out


def own_edits(found: Diagnostic, text: Text) -> list[Edit]:
    """The edits of a diagnostic; none if they are of another file."""
    placed = [(found.source.place(edit.span), edit.text) for edit in (found.fix.edits if found.fix is not None else ())]
    if any(source.path != text.path for (source, _, _), _ in placed):
        return []
    return [Edit(span, new) for (_, span, _), new in placed]


def _mends(texts: Texts, text: Text, found: Diagnostic, edits: list[Edit]) -> bool:
    """Whether a diagnostic goes with the edits, and no error comes that the text has not now.

    With wrong syntax, the last state with right syntax tells which errors are there besides.
    """
    then = texts.attempt(text.path, apply(text.text, edits))
    before, after = _said(text.diagnostics), _said(then.diagnostics)
    known = before | _said(texts.parsed(text.path)[0].diagnostics)
    errors = _said(filter(is_error, then.diagnostics))
    own = found.code, found.message
    return after[own] < before[own] and errors <= known and (then.tree is not None or text.tree is None)


def _said(diagnostics: Iterable[Diagnostic]) -> Counter[tuple[str, str]]:
    return Counter((each.code, each.message) for each in diagnostics)
