"""Findings as SARIF 2.1.0, which code review and editors read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cpol.compiler.diagnostics import Diagnostic
from cpol.compiler.diagnostics.errors import registry
from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.lint.finding import Finding
from cpol.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(findings: Sequence[Finding]) -> dict[str, Any]:
    """The log of one run. What a comment silences is in it, too, as suppressed."""
    codes = sorted({each.code for each in findings})
    driver = {"name": "cpolc lint", "version": __version__, "rules": [_rule(code) for code in codes]}
    results = [_result(each, codes.index(each.code)) for each in findings]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }


def _rule(code: str) -> dict[str, Any]:
    entry = registry()[code]
    return {
        "id": code,
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": entry.explanation},
        "help": {"text": entry.render()},
    }


def _result(finding: Finding, index: int) -> dict[str, Any]:
    found = finding.diagnostic
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": index,
        "level": found.severity.value,
        "message": {"text": _message(found)},
        "locations": [_location(found.source, found.span)],
    }
    if finding.offered:
        result["fixes"] = [_fix(found, finding)]
    if finding.reason:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.reason}]
    return result


def _message(found: Diagnostic) -> str:
    parts = (found.message, found.why, found.help)
    return " ".join(part[0].upper() + part[1:] + ("" if part[-1] in ".?!" else ".") for part in parts if part)


def _location(source: Source, span: Span | None) -> dict[str, Any]:
    if span is None:
        return {"physicalLocation": {"artifactLocation": _artifact(source)}}
    source, span, _ = source.place(span)
    return {"physicalLocation": {"artifactLocation": _artifact(source), "region": _region(source, span)}}


def _fix(found: Diagnostic, finding: Finding) -> dict[str, Any]:
    source = found.source.place(finding.offered[0].span)[0]
    replacements = [
        {"deletedRegion": _region(*found.source.place(edit.span)[:2]), "insertedContent": {"text": edit.text}}
        for edit in finding.offered
    ]
    change = {"artifactLocation": _artifact(source), "replacements": replacements}
    return {"description": {"text": found.help}, "artifactChanges": [change]}


def _artifact(source: Source) -> dict[str, str]:
    """A relative path stays one, so that a log means the same in another checkout."""
    path = Path(source.path)
    return {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())}


def _region(source: Source, span: Span) -> dict[str, int]:
    start, end = source.pos(span.start), source.pos(span.end)
    return {"startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column}
