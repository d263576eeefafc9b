"""The stages of a compilation, with access to intermediate results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cpol.compiler import ir
from cpol.compiler.analysis.limits import check_limits
from cpol.compiler.analysis.record import check_record
from cpol.compiler.check import check
from cpol.compiler.check.symbols import Typed
from cpol.compiler.diagnostics import CompileError, Diagnostic, Report
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.expand import expand, link
from cpol.compiler.expand.library import check_items
from cpol.compiler.ir.printer.policy import dump_ir as _dump_ir
from cpol.compiler.lower import lower
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.dump import dump_ast as _dump_ast
from cpol.compiler.syntax.parse import deep_stack
from cpol.compiler.syntax.read import read_file
from cpol.compiler.syntax.whole import Reader, read_whole

__all__ = ["Compilation", "CompileError", "Parsed", "dump_ast", "dump_ir", "parse_text", "read_file", "run", "run_file"]


@dataclass(frozen=True)
class Parsed:
    """A text with valid syntax, before any semantic check."""

    source: Source
    ast: ast.Policy | ast.Library


@dataclass(frozen=True)
class Compilation:
    """All results for one file."""

    source: Source
    ast: ast.Policy
    typed: Typed
    policy: ir.Policy
    warnings: tuple[Diagnostic, ...]


def parse_text(text: str, path: str) -> Parsed:
    """Parse text to an AST. `path` appears in messages.

    Raises:
        CompileError: the syntax is wrong.
    """
    report = Report(Source(path, text))
    with deep_stack():
        return Parsed(report.source, read_whole(report))


def run(text: str, path: str, libraries: Mapping[str, str] | None = None, read: Reader = read_whole) -> Compilation:
    """Compile text to IR. `path` appears in messages, `libraries` are texts that take the place of files.

    Args:
        read: makes the AST of the text, and those of the libraries.

    Raises:
        CompileError: the text has errors.
    """
    report = Report(Source(path, text), libraries=libraries or {})
    with deep_stack():
        policy = expand(link(_policy(report, read), report, read), report)
        typed = check(policy, report)
        lowered = lower(typed, report.source)
        check_record(lowered, typed.symbols, report)
        check_limits(lowered, typed.symbols, report)
        report.check()
        return Compilation(report.source, policy, typed, lowered, tuple(report.sorted()))


def run_file(path: str | Path) -> Compilation:
    """Compile a file to IR.

    Raises:
        CompileError: the file cannot be read or has errors.
    """
    return run(read_file(path), str(path))


def dump_ast(compiled: Parsed | Compilation) -> str:
    """The AST as text. For a compilation it includes the types of expressions."""
    with deep_stack():
        types = compiled.typed.types if isinstance(compiled, Compilation) else {}
        return _dump_ast(compiled.ast, compiled.source, types)


def dump_ir(policy: ir.Policy) -> str:
    """The IR as text."""
    with deep_stack():
        return _dump_ir(policy)


def _policy(report: Report, read: Reader) -> ast.Policy:
    parsed = read(report)
    if isinstance(parsed, ast.Policy):
        return parsed
    check_items(parsed, report)
    report.check()
    why = "a library decides nothing; a policy imports from it"
    help = 'write `import NAME from "FILE.cpol"` in a policy'
    report.error("E0119", parsed.name.span, f"`{parsed.name.text}` is a library, not a policy", why=why, help=help)
    raise CompileError(report.diagnostics)
