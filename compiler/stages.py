"""The stages of a compilation, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cpol.compiler import ast, ir
from cpol.compiler.build import build
from cpol.compiler.check import check
from cpol.compiler.diagnostics import Diagnostic, Report
from cpol.compiler.lower import lower
from cpol.compiler.parse import deep_stack, parse
from cpol.compiler.source import Source
from cpol.compiler.symbols import Typed


@dataclass(frozen=True)
class Compilation:
    """All that came of one file."""

    source: Source
    ast: ast.Policy
    typed: Typed
    policy: ir.Policy
    warnings: tuple[Diagnostic, ...]


def run(text: str, path: str) -> Compilation:
    """Compile `text`; `path` is for messages. Raises CompileError."""
    report = Report(Source(path, text))
    with deep_stack():
        tree, tokens = parse(report)
        policy = build(tree, tokens, report)
        report.check()
        typed = check(policy, report)
        return Compilation(report.source, policy, typed, lower(typed, report.source), tuple(report.sorted()))


def run_file(path: str | Path) -> Compilation:
    return run(Path(path).read_text(encoding="utf-8"), str(path))
