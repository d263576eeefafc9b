"""Checks calls of input methods."""

from __future__ import annotations

from cpol.compiler.check.command import warn_of_key
from cpol.compiler.check.ghost import GhostChecker
from cpol.compiler.check.symbols import FolioSym, InputSym
from cpol.compiler.check.unsettled import BAD, Ty
from cpol.compiler.check.where import FIXED
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.types import BOOL, U64

KINDS = {
    "thread": "threads",
    "process": "processes",
    "comm": "names of commands",
    "file": "files",
    "page": "pages",
    "device": "devices",
    "cgroup": "cgroups",
}
"""The keys of inputs, in words."""

OF_FOLIOS = ("file", "device", "cgroup")
"""Keys that a folio has."""


def ask_input(checker: GhostChecker, call: ast.Call, input: InputSym) -> Ty:
    """The declared type of a call of `input`."""
    method = call.callee.parts[1]
    report = checker.report
    methods = ("has", "of") if input.map else ("has",)
    if input.array:
        helps = f"write `{input.name}[…]`"
        report.error("E0109", method.span, f"an array has no `{method.text}(…)`", why="it has entries", help=helps)
        return BAD
    if method.text not in methods:
        kind = "a map" if input.map else "a set"
        report.error(
            "E0109",
            method.span,
            f"{kind} has no `{method.text}`",
            why=f"it has {listing(methods)}",
            help=f"write `{input.name}.has(…)`" if method.text == "of" else suggest(method.text, methods),
        )
        return BAD
    if checker.where in FIXED:
        checker.not_constant(call.callee, input.kind)
        return BAD
    if len(call.args) != 1:
        report.error(
            "E0213",
            call.span,
            f"`{method.text}` takes one key, not {len(call.args)} values",
            help=f"write `{input.name}.{method.text}(KEY)`",
        )
        return BAD
    assert input.decl is not None
    if input.decl.key.text not in KINDS:  # declare_input() has reported it
        return BAD
    if input.decl.key.text == "page":
        if checker.named_page(call.args[0], f"the input of pages `{input.name}`") is None:
            return BAD
    elif _is_folio(checker, call.args[0]):
        key = input.decl.key.text
        text = call.args[0]
        assert isinstance(text, ast.Path)
        report.error(
            "E0107",
            text.span,
            f"the keys of `{input.name}` are {KINDS[key]}, not folios",
            help=f"write `{input.name}.{method.text}({text.text}.{key})`"
            if key in OF_FOLIOS
            else f"write `{input.name}.{method.text}(task.{key})`",
        )
        return BAD
    elif checker.check(call.args[0], U64, f"a key of `{input.name}`") is None:
        return BAD
    elif isinstance(call.args[0], ast.CommLit) and input.decl.key.text != "comm":
        warn_of_key(input, KINDS[input.decl.key.text], call.args[0], report)
    if method.text == "has":
        return BOOL
    return input.type or BAD


def _is_folio(checker: GhostChecker, expr: ast.Expr) -> bool:
    return isinstance(expr, ast.Path) and len(expr.parts) == 1 and isinstance(checker.scope.find(expr.text), FolioSym)
