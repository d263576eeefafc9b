"""Checks the expectations of tests: conditions, and `has` with folio numbers."""

from __future__ import annotations

from cpol.compiler.check.expr import ExprChecker
from cpol.compiler.check.path import TEST
from cpol.compiler.check.scope import Scope
from cpol.compiler.check.symbols import MAX_FOLIOS, GhostSym, ListSym, Symbol, Typed
from cpol.compiler.check.unsettled import BAD, Ty
from cpol.compiler.diagnostics import Report
from cpol.compiler.syntax import ast
from cpol.compiler.types import BOOL

TOO_MANY = f"the tests of a policy name at most {MAX_FOLIOS} folios"


class ExpectChecker(ExprChecker):
    """Infers types in expectations."""

    def __init__(self, typed: Typed, scope: Scope, report: Report) -> None:
        super().__init__(typed, scope, report, TEST)

    def call(self, call: ast.Call) -> Ty:
        """The declared type of a call, including `has` with folio numbers."""
        parts = call.callee.parts
        if len(parts) == 2 and parts[1].text == "has":
            symbol = self.scope.find(parts[0].text)
            if parts[0].text == "cache" or isinstance(symbol, ListSym | GhostSym):
                return self._contains_all(call, symbol)
            return super().call(call)
        symbol = self.scope.find(parts[0].text)
        if len(parts) == 2 and (parts[0].text == "cache" or isinstance(symbol, ListSym)):
            self.report.error(
                "E0109",
                parts[1].span,
                f"`{parts[0].text}` has no `{parts[1].text}`",
                why="a test can only ask `has`",
                help=f"write `{parts[0].text}.has(…)`",
            )
            return BAD
        return super().call(call)

    def _contains_all(self, call: ast.Call, symbol: Symbol | None) -> Ty:
        if not self.no_names(call):
            return BAD
        where = call.callee.parts[0].text
        if symbol is not None:
            self.typed.refs[call.callee.parts[0]] = symbol
        if isinstance(symbol, ListSym):
            symbol.used = True
            fine = self.indices(call.index)
            if call.index and not (self.array_index(symbol, call.index, call.callee.span) and fine):
                return BAD
        elif call.index:
            self.report.error(
                "E0216", call.span, f"`{where}` takes no index", why="only tables and arrays of lists take one"
            )
            return BAD
        if isinstance(symbol, GhostSym):
            symbol.used = True
        if not call.args:
            self.report.error("E0213", call.span, "`has` takes one folio or more", help=f"write `{where}.has(1)`")
            return BAD
        for arg in call.args:
            if isinstance(arg, ast.Folios):
                if arg.first > arg.last:
                    self.report.error("E0206", arg.span, "this range is empty", label="its start is above its end")
                    return BAD
                if not self.typed.spend(arg.last - arg.first):
                    self.report.error("E0116", arg.span, TOO_MANY, help="name fewer")
                    return BAD
            elif not isinstance(arg, ast.IntLit):
                self.report.error(
                    "E0116",
                    arg.span,
                    "a test names folios by number",
                    why="`INDEX`, `FILE:INDEX` or `FIRST..LAST`, in plain numbers",
                )
                return BAD
        return BOOL
