"""Checks the policy's functions: pure, and small enough to call anywhere."""

from __future__ import annotations

from cpol.compiler.check.expr import ExprChecker
from cpol.compiler.check.interval import interval
from cpol.compiler.check.nonzero_dataflow import check_fn_divisors
from cpol.compiler.check.range_dataflow import check_fn_ranges
from cpol.compiler.check.scope import Scope
from cpol.compiler.check.symbols import FnSym, FolioSym, LetSym, Symbol, Typed
from cpol.compiler.check.where import FN
from cpol.compiler.diagnostics import Report
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import nodes

MAX_DEPTH = 8
"""Limit for the depth of calls, because BPF programs have few frames and little stack."""

MAX_COST = 1000
"""Limit for the operands of a fn and of its callees, which bounds the cost of a call."""


def check_fn(typed: Typed, scope: Scope, report: Report, fn: FnSym) -> None:
    """Check the body of `fn`. Later declarations can then call it."""
    assert fn.decl is not None
    scope.open()
    symbols: list[Symbol] = []
    free = True
    for param, type in zip(fn.decl.params, fn.params, strict=True):
        name = param.name
        if param.type is None:
            symbols.append(FolioSym(name.text, name.span))
        else:
            symbols.append(LetSym(name.text, name.span, type, silent=True))
        free = scope.declare(symbols[-1], name) and free
    checker = ExprChecker(typed, scope, report, FN)
    lets = [_let(typed, scope, checker, let) for let in fn.decl.lets]
    if fn.type is None:
        fine = checker.check(fn.decl.body) is not None
    else:
        fine = checker.store(fn.decl.body, fn.type, f"`{fn.name}`")
    fn.task = checker.asks_task
    fn.cache = checker.asks_cache
    if fine and free and all(lets):
        check_fn_divisors(typed, fn.decl, report)
        check_fn_ranges(typed, fn.decl, report)
        _check_cost(typed, fn, report)
    scope.close()
    fn.cached = {i for i, s in enumerate(symbols) if isinstance(s, FolioSym) and s.read}
    fn.ready = True


def _let(typed: Typed, scope: Scope, checker: ExprChecker, let: ast.Let) -> bool:
    """Whether `let` is valid. It declares the name, and reports errors."""
    symbol = LetSym(let.name.text, let.name.span, checker.check(let.value))
    symbol.decl = let
    symbol.range = None if symbol.type is None else interval(typed, let.value)
    typed.refs[let.name] = symbol
    return scope.declare(symbol, let.name) and symbol.type is not None


def _check_cost(typed: Typed, fn: FnSym, report: Report) -> None:
    assert fn.decl is not None
    for node in (node for root in (*(let.value for let in fn.decl.lets), fn.decl.body) for node in nodes(root)):
        callee = typed.refs.get(node.callee) if isinstance(node, ast.Call) else None
        fn.cost += 1
        if isinstance(callee, FnSym):
            fn.cost += callee.cost
            fn.depth = max(fn.depth, 1 + callee.depth)
    if fn.depth > MAX_DEPTH:
        report.error(
            "E0007",
            fn.decl.name.span,
            f"`{fn.name}` calls other fns more than {MAX_DEPTH} deep",
            why="the kernel limits how deep calls nest",
            help="write the body of one of these fns in its place",
        )
        fn.depth = 1
    if fn.cost > MAX_COST:
        report.error(
            "E0007",
            fn.decl.name.span,
            f"`{fn.name}` and the fns that it calls have more than {MAX_COST} operands",
            label=f"{fn.cost} operands",
            why="a handler may call it for every folio",
            help="keep the value in a state or in the folio record",
        )
        fn.cost = 1  # callers do not report the error again
