"""Comments that silence a rule: `// lint: allow L0103 because it only counts`.

Such a comment is for the line that it ends, or for the next line that has more than comments. It names codes, and says
why. One that silences nothing is a finding itself, and so is one that cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from antlr4 import InputStream, Token

from cpol.compiler.diagnostics import Diagnostic, Severity
from cpol.compiler.diagnostics.edit import Edit
from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.lint.finding import Finding
from cpol.compiler.nodes import dataclass
from cpol.grammar.generated.CpolLexer import CpolLexer

UNUSED = "L0190"
UNREADABLE = "L0191"

_COMMENT = re.compile(r"///?\s*lint\s*:\s*(.*)", re.DOTALL)
_ALLOW = re.compile(r"allow\s+(L\d+(?:\s*,\s*L\d+)*)(?:\s+because\s+(\S.*))?\s*")
FORM = "write `// lint: allow CODE because REASON`"


@dataclass(frozen=True)
class Allow:
    """Silences `codes` on `line`. `span` is the comment."""

    codes: tuple[str, ...]
    reason: str
    line: int
    span: Span


def silenced(findings: Sequence[Finding], source: Source, known: Sequence[str]) -> list[Finding]:
    """The findings, some of them with a reason, and those about comments. `known` are the codes of the rules."""
    allows, wrong = _read(source, known)
    used = set[tuple[Span, str]]()
    result = list[Finding]()
    for each in findings:
        span = each.diagnostic.span
        line = 0 if span is None else source.pos(span.start).line
        allow = next((allow for allow in allows if allow.line == line and each.code in allow.codes), None)
        if allow is not None:
            used.add((allow.span, each.code))
            each = replace(each, reason=allow.reason)
        result.append(each)
    for allow in allows:
        idle = [code for code in allow.codes if (allow.span, code) not in used]
        if idle:
            what = f"{listing(idle)} {'is' if len(idle) == 1 else 'are'} not found here"
            edits = (_without(source.text, allow.span),) if len(idle) == len(allow.codes) else ()
            wrong.append(_finding(UNUSED, source, allow.span, what, f"remove {listing(idle)}", edits))
    return result + wrong


def _read(source: Source, known: Sequence[str]) -> tuple[list[Allow], list[Finding]]:
    """The comments of `source` that silence rules, and those that cannot be read."""
    allows, wrong = list[Allow](), list[Finding]()
    for span, text, line in _comments(source):
        match = _COMMENT.match(text)
        if match is None:
            continue
        form = None if text.startswith("///") else _ALLOW.fullmatch(match[1])
        codes = re.findall(r"L\d+", form[1]) if form else []
        strange = [code for code in codes if code not in known]
        if form is None:
            wrong.append(_finding(UNREADABLE, source, span, "this comment silences nothing", FORM))
        elif strange:
            help = suggest(strange[0], known) or "`cpolc explain` lists the rules"
            wrong.append(_finding(UNREADABLE, source, span, f"there is no rule {listing(strange)}", help))
        elif not form[2]:
            wrong.append(_finding(UNREADABLE, source, span, "this comment gives no reason", FORM))
        else:
            allows.append(Allow(tuple(codes), form[2].strip(), line, span))
    return allows, wrong


def _comments(source: Source) -> Iterator[tuple[Span, str, int]]:
    """Each comment with the line that it is about."""
    tokens = CpolLexer(InputStream(source.text)).getAllTokens()
    hidden = {CpolLexer.DOC, CpolLexer.COMMENT}
    code = [token.line for token in tokens if token.type not in hidden]
    beside = set(code)
    for token in tokens:
        if token.type in hidden and token.channel != Token.DEFAULT_CHANNEL:
            line = token.line
            if line not in beside:
                line = next((number for number in code if number > line), line)
            yield Span(token.start, token.stop + 1), token.text, line


def _without(text: str, span: Span) -> Edit:
    """Removes a comment, with its line if it stands alone, and else with the spaces before it."""
    start, end = span.start, span.end
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    alone = start == 0 or text[start - 1] == "\n"
    if alone and end < len(text):
        end = text.index("\n", end) + 1 if "\n" in text[end:] else len(text)
    return Edit(Span(start, end), "")


def _finding(code: str, source: Source, span: Span, message: str, help: str, edits: tuple[Edit, ...] = ()) -> Finding:
    return Finding(Diagnostic(code, message, source, span, "", "", help, (), Severity.WARNING), edits)
