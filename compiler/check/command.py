"""Warns of names of commands, `"rsync"`, where there can be none. They are numbers, so the types fit."""

from __future__ import annotations

from cpol.compiler.check.symbols import FaultSym, FolioSym, InputSym, OutSym, RequestSym, Typed
from cpol.compiler.diagnostics import Report
from cpol.compiler.syntax import ast

WHY = "text in quotes is the name of a command; a policy knows everything else by number"
FILLED = "`cpolc input` fills it with paths"


def warn_of_command(typed: Typed, expr: ast.Binary, report: Report) -> None:
    """Warn if a name of a command is compared with what never holds one."""
    for name, other in ((expr.left, expr.right), (expr.right, expr.left)):
        if isinstance(name, ast.CommLit) and isinstance(other, ast.Path) and _is_other(typed, other):
            shown = report.source.slice(name.span)
            message = f"`{other.text}` is no name of a command, so it is never `{shown}`"
            helps = f"write `task.comm == {shown}`"
            if other.parts[-1].text == "file":
                helps = f"declare `input NAME: set of file`, and write `NAME.has({other.text})`: {FILLED}"
            report.warning("W0406", expr.span, message, why=WHY, help=helps)
            return


def warn_of_key(input: InputSym, holds: str, name: ast.CommLit, report: Report) -> None:
    """Warn that a name of a command is asked of an input that has other keys; `holds` is their word."""
    assert input.decl is not None
    shown, key = report.source.slice(name.span), input.decl.key.text
    message = f"`{input.name}` holds {holds}, so it never has `{shown}`"
    helps = f"write `{input.name}.has(f.file)`: {FILLED}" if key == "file" else ""
    report.warning("W0406", name.span, message, why=WHY, help=helps)


def _is_other(typed: Typed, path: ast.Path) -> bool:
    """Whether `path` is built in, and not the name of a command."""
    symbol = typed.refs.get(path)
    if isinstance(symbol, FolioSym):
        return len(path.parts) == 2 and path.parts[1].text not in typed.symbols.fields
    if isinstance(symbol, FaultSym | RequestSym):
        is_command = isinstance(symbol, OutSym) and path.parts[-1].text == "comm"
        return len(path.parts) == 2 and not is_command
    return path.parts[0].text in ("cache", "evict", "every") or path.text in ("task.thread", "task.process")
