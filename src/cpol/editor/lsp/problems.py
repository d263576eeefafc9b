"""The compiler's diagnostics as the protocol has them, and quick fixes from what their helps say.

A fix is offered only if the compiler, asked about the text with it, says less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lsprotocol import types

from cpol.compiler.diagnostics import Diagnostic, Severity
from cpol.compiler.diagnostics.render import calls
from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.syntax import ast
from cpol.editor.lsp.names import around
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
        if found.span is None or found.source.place(found.span)[0].path != text.path:
            continue
        span = own_span(found, text)
        if span.end < start or span.start > end:
            continue
        out += _fixes_of(texts, text, found, span)
    return out


def _fixes_of(texts: Texts, text: Text, found: Diagnostic, span: Span) -> Iterator[types.CodeAction]:
    told: set[str] = set()
    for title, where, new in edits(found, span, text.text, text.tree):
        after = text.text[: where.start] + new + text.text[where.end :]
        if after in told or not _better(texts, text, found, after):
            continue
        told.add(after)
        edit = types.TextEdit(text.lines.range(where), new)
        yield types.CodeAction(
            title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[published_one(found, text)],
            is_preferred=True if len(told) == 1 else None,
            edit=types.WorkspaceEdit(changes={uri_of(text.path): [edit]}),
        )


def _better(texts: Texts, text: Text, found: Diagnostic, after: str) -> bool:
    """Whether the compiler says less of the text `after`, and nothing that it did not say before."""
    then = texts.attempt(text.path, after)
    if then.tree is None and text.tree is not None:
        return False
    before = [(each.code, each.message) for each in text.diagnostics]
    now = [(each.code, each.message) for each in then.diagnostics if is_error(each) or not is_error(found)]
    if (found.code, found.message) in now:
        now_again = now.count((found.code, found.message))
        if now_again >= before.count((found.code, found.message)):
            return False
    if text.tree is None and then.tree is not None:
        return True  # the syntax is right now, and the checks behind it may begin to speak
    errors = sum(map(is_error, text.diagnostics))
    return sum(map(is_error, then.diagnostics)) < errors or (errors == 0 and len(now) < len(before))


_QUOTED = re.compile(r"`([^`\n]+)`")
_WRITE = re.compile(r"\b(?:write|did you mean|call it:|use|is called|choose)\b")


def edits(found: Diagnostic, span: Span, text: str, tree: Any = None) -> Iterator[tuple[str, Span, str]]:
    """What a help may mean: a title, the part to replace, and what with. Not all of these are right."""
    help = found.help
    line_start = text.rfind("\n", 0, span.start) + 1
    for said in _QUOTED.findall(help):
        if "…" in said or said.isupper() or not _WRITE.search(help):
            continue
        title = f"Write `{said}`"
        yield title, span, said
        old = text[span.start : span.end]
        for word in _words(text, span):  # the help is about one word of the place
            yield title, word, said
        first = said.split()[0]
        if old.split()[:1] == [first] or not old:
            yield title, span, said
        for wider in _wider(text, span):
            yield title, wider, said
        yield title, Span(span.start, span.start), said + " "
        yield title, Span(span.end, span.end), " " + said
    if help.startswith("remove"):
        for part in _declared(tree, span):
            yield "Remove it", _with_space(text, part), ""
        for said in _QUOTED.findall(help):
            at = text.find(said, span.start)
            if 0 <= at <= span.end:
                yield f"Remove `{said}`", Span(at, at + len(said)), ""
        yield "Remove it", _with_space(text, span), ""
        end = text.find("\n", span.end)
        if found.severity is Severity.WARNING and end >= 0 and text[line_start : span.start].strip():
            yield "Remove the line", Span(line_start, end + 1), ""


def _declared(tree: Any, name: Span) -> Iterator[Span]:
    """The declarations and statements whose name stands at a place."""
    for node in around(tree, name.start):
        own = getattr(node, "name", None)
        if isinstance(own, ast.Name) and own.span == name and node.span != name:
            yield node.span


def _words(text: str, span: Span) -> Iterator[Span]:
    found = [
        Span(span.start + m.start(), span.start + m.end()) for m in re.finditer(r"\w+", text[span.start : span.end])
    ]
    if 1 < len(found) <= 6:
        yield from found


def _wider(text: str, span: Span) -> Iterator[Span]:
    """The place with the call or the operand around it: `(…)` behind it, a sign in front of it."""
    behind = re.compile(r"\s*\([^()\n]*\)").match(text, span.end)
    if behind:
        yield Span(span.start, behind.end())
    before = re.search(r"[-!~]\s*$", text[max(0, span.start - 8) : span.start])
    if before:
        yield Span(span.start - len(before[0]), span.end)
    line_end = text.find("\n", span.end)
    yield Span(span.start, len(text) if line_end < 0 else line_end)


def _with_space(text: str, span: Span) -> Span:
    """A part, with the spaces in front of it on its line."""
    start = span.start
    while start and text[start - 1] in " \t":
        start -= 1
    return Span(start, span.end)
