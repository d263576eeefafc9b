"""What `cpolc lint` finds in open policies, with fixes. It looks while nobody types: no keystroke waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from lsprotocol import types

from cpol.compiler.analysis.profile import Profile
from cpol.compiler.diagnostics.edit import apply
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.run import lint
from cpol.editor.lsp import problems
from cpol.editor.lsp.places import moved
from cpol.editor.lsp.texts import Text, Texts
from cpol.kernel import profiles

PAUSE = 0.3
"""Seconds after the last keystroke."""

OFF = "off"
LEVELS = {
    OFF: None,
    "hint": types.DiagnosticSeverity.Hint,
    "information": types.DiagnosticSeverity.Information,
    "warning": types.DiagnosticSeverity.Warning,
}
DEFAULT = "hint"


class Lints:
    """What was found in open texts."""

    def __init__(self) -> None:
        self.level: types.DiagnosticSeverity | None = LEVELS[DEFAULT]
        self._found: dict[str, tuple[Text, list[Finding]]] = {}

    @cached_property
    def _kernels(self) -> list[Profile]:
        return [profiles.load(name) for name in profiles.USUAL]

    def configure(self, wanted: object) -> str:
        """Set the level. What is wrong with it; empty: nothing is."""
        if not isinstance(wanted, str) or wanted not in LEVELS:
            return f"the setting cpol.lint is one of {', '.join(LEVELS)}, not {wanted!r}"
        self.level = LEVELS[wanted]
        return ""

    def look(self, text: Text) -> bool:
        """Ask the rules about a policy without errors. Whether there is news: something is found now, or was before."""
        before = self._found.pop(text.path, None)
        if self.level is not None and text.compiled is not None:
            found = [each for each in lint(text.compiled, self._kernels) if not each.reason]
            self._found[text.path] = text, found
        return any(known is not None and known[1] for known in (before, self._found.get(text.path)))

    def forget(self, path: str) -> None:
        self._found.pop(path, None)

    def published(self, text: Text) -> list[types.Diagnostic]:
        """What was found, at its places in the text as it is now. While that has errors, only these are of interest."""
        return [problems.published_one(each.diagnostic, text, self.level) for each in self._now(text)]

    def fixes(self, texts: Texts, path: str, within: types.Range) -> Iterator[types.CodeAction]:
        """Quick fixes of the findings that touch a range. The text with each compiles."""
        text = texts.text(path)
        start, end = text.lines.offset(within.start), text.lines.offset(within.end)
        known = self._found.get(path)
        if known is None or known[0].text != text.text:  # the rules have not looked at it yet
            return
        for each in self._now(text):
            span = problems.own_span(each.diagnostic, text)
            if not each.edits or span.end < start or span.start > end:
                continue
            if texts.attempt(path, apply(text.text, each.edits)).compiled is None:
                continue
            edits = [types.TextEdit(text.lines.range(edit.span), edit.text) for edit in each.edits]
            yield types.CodeAction(
                f"Mend {each.code}: {each.diagnostic.help or each.diagnostic.message}",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[problems.published_one(each.diagnostic, text, self.level)],
                edit=types.WorkspaceEdit(changes={problems.uri_of(path): edits}),
            )

    def _now(self, text: Text) -> list[Finding]:
        known = self._found.get(text.path)
        if known is None or self.level is None or text.compiled is None:
            return []
        then, found = known
        return found if then.text == text.text else [_moved(each, then.text, text) for each in found]


def _moved(finding: Finding, then: str, now: Text) -> Finding:
    found = finding.diagnostic
    span = found.span and Span(*(moved(at, now.text, then) for at in (found.span.start, found.span.end)))
    return replace(finding, diagnostic=replace(found, source=replace(found.source, text=now.text), span=span))
