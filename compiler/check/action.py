"""Checks a call of an action: the name, the number of arguments, the folios and lists among them.

A value is checked where the copy of the body receives it, as an `ast.Bind`.
"""

from __future__ import annotations

from cpol.compiler.check.expr import ExprChecker
from cpol.compiler.check.symbols import ActionSym, FaultSym, FnSym, ListSym, RequestSym
from cpol.compiler.diagnostics.words import suggest
from cpol.compiler.syntax import ast


def check_call(checker: ExprChecker, stmt: ast.Do) -> bool:
    """Whether `stmt` calls an action with arguments of the right kinds. It reports errors."""
    call, report = stmt.call, checker.report
    name = call.callee.parts[0]
    symbol = checker.scope.find(name.text)
    if not isinstance(symbol, ActionSym):
        actions = [s.name for s in checker.typed.symbols.names.values() if isinstance(s, ActionSym)]
        if symbol is None:
            helps = suggest(name.text, actions) or f"declare `action {name.text}(…) {{ … }}`"
            report.error("E0101", name.span, f"there is no action `{name.text}`", help=helps)
        else:
            helps = "a fn is part of an expression" if isinstance(symbol, FnSym) else suggest(name.text, actions)
            report.error("E0107", name.span, f"`{name.text}` is {symbol.kind}, not an action", help=helps)
        return False
    symbol.used = True
    checker.typed.refs[call.callee] = symbol
    assert symbol.decl is not None
    params = symbol.decl.params
    if not checker.no_names(call):
        return False
    if len(call.args) != len(params):
        count = f"{len(params)} argument{'s' if len(params) != 1 else ''}"
        report.error(
            "E0213",
            call.span,
            f"`{name.text}` takes {count}, not {len(call.args)}",
            help=f"write `do {name.text}({', '.join(param.name.text for param in params)})`",
        )
        return False
    pairs = zip(params, call.args, strict=True)
    passed = [_passes(checker, name.text, *pair) for pair in pairs]  # all, so that each is reported
    return all(passed)


def _passes(checker: ExprChecker, action: str, param: ast.FnParam, arg: ast.Expr) -> bool:
    """Whether `arg` is a list or a folio if `param` is one. It reports an error if not."""
    what = f"`{param.name.text}` of `{action}`"
    if param.list:
        of = arg.name.text if isinstance(arg, ast.Element) and not arg.members else ""
        symbol = checker.scope.find(arg.text if isinstance(arg, ast.Path) else of)
        if isinstance(symbol, ListSym):
            symbol.used = True
            return not isinstance(arg, ast.Element) or checker.array_index(symbol, arg.index, arg.span)
        helps = "an action takes a list by its name, or a list of an array: `level[i]`"
        checker.report.error("E0107", arg.span, f"{what} needs a list", label="no list", help=helps)
        return False
    if param.type is not None:
        return True
    symbol = checker.scope.find(arg.text) if isinstance(arg, ast.Path) else None
    if isinstance(symbol, FaultSym | RequestSym):
        symbol.used = True
        return True
    return checker.folio(arg, what) is not None
