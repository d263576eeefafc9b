"""Data-flow analysis for divisors: the names that are non-zero at each statement of a handler."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cpol.compiler.check.divisor import NONE, Facts, check_divisors, is_nonzero, is_positive, nonzero_when
from cpol.compiler.check.symbols import FieldSym, RecordFieldSym, StateSym, Typed, VarSym
from cpol.compiler.diagnostics import Report
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import operands, statements
from cpol.compiler.types import U64, widened


def check_handler_divisors(typed: Typed, body: tuple[ast.Stmt, ...], report: Report) -> None:
    """Check every division in the body of a handler."""
    _Walker(typed, report).body(body, NONE)


def check_fn_divisors(typed: Typed, fn: ast.FnDecl, report: Report) -> None:
    """Check every division in the body of a fn."""
    facts = _Walker(typed, report).body(fn.lets, NONE)
    check_divisors(typed, fn.body, report, facts or NONE)


class _Walker:
    """Walks statements with facts, which are None in unreachable code."""

    def __init__(self, typed: Typed, report: Report) -> None:
        self.typed = typed
        self.report = report

    def expr(self, expr: ast.Expr | None, facts: Facts) -> None:
        if expr is not None:
            check_divisors(self.typed, expr, self.report, facts)

    def body(self, body: Iterable[ast.Stmt], facts: Facts | None) -> Facts | None:
        for stmt in body:
            if facts is None:
                return None
            facts = self._statement(stmt, facts)
        return facts

    def _statement(self, stmt: ast.Stmt, facts: Facts) -> Facts | None:
        for operand in operands(stmt):
            self.expr(operand, facts)
        if isinstance(stmt, ast.Let | ast.Var):
            facts = facts - {stmt.name.text}
            return facts | {stmt.name.text} if is_nonzero(self.typed, stmt.value, facts) else facts
        if isinstance(stmt, ast.Assign):
            return self._assign(stmt, facts)
        if isinstance(stmt, ast.Do):
            return self.body(stmt.body or (), facts)
        if isinstance(stmt, ast.If):
            return self._branches(stmt.branches, stmt.orelse, facts)
        if isinstance(stmt, ast.For):
            kept = _kill(facts, _assigned(stmt), "") - {stmt.name.text}
            counts = {stmt.name.text} if is_positive(self.typed, stmt.low, facts) else set()
            self.body(stmt.block.body, kept | counts)
            return kept
        if isinstance(stmt, ast.While):
            kept = _kill(facts, _assigned(stmt))
            self.expr(stmt.cond, kept)
            self.body(stmt.block.body, kept | nonzero_when(self.typed, stmt.cond, True))
            return kept
        if isinstance(stmt, ast.Scan):
            kept = _kill(facts, _assigned(stmt), stmt.folio.text)
            after = self.body(stmt.body, kept)
            if after is not None:
                self._branches(stmt.arms, stmt.otherwise, after)
            return kept
        return None if isinstance(stmt, ast.Stop | ast.Refuse) else facts

    def _assign(self, stmt: ast.Assign, facts: Facts) -> Facts:
        if not isinstance(stmt.target, ast.Path):  # no facts on elements: two indices may be equal
            return facts
        if isinstance(self.typed.refs.get(stmt.target), RecordFieldSym):  # a record may be forgotten at any time
            return facts
        name = stmt.target.text
        was = name in facts
        if stmt.op == "=":
            now = is_nonzero(self.typed, stmt.value, facts)
        else:  # adding to an unsigned value saturates, so it stays non-zero; a fix may have been below zero
            target = self.typed.refs[stmt.target]
            assert isinstance(target, StateSym | VarSym | FieldSym) and target.type is not None
            unsigned = widened(target.type) == U64
            now = stmt.op == "+=" and unsigned and (was or is_positive(self.typed, stmt.value, facts))
        facts = _kill(facts, {_key(name)})
        return facts | {name} if now else facts

    def _branches(self, branches: tuple[ast.Branch, ...], orelse: ast.Block | None, facts: Facts) -> Facts | None:
        ends: list[Facts | None] = []
        for branch in branches:
            self.expr(branch.cond, facts)
            ends.append(self.body(branch.block.body, facts | nonzero_when(self.typed, branch.cond, True)))
            facts = facts | nonzero_when(self.typed, branch.cond, False)
        ends.append(self.body(orelse.body, facts) if orelse is not None else facts)
        live = [end for end in ends if end is not None]
        return frozenset.intersection(*live) if live else None


def _assigned(scan: ast.Scan | ast.For | ast.While) -> set[str]:
    return set(_targets(scan))


def _targets(scan: ast.Scan | ast.For | ast.While) -> Iterator[str]:
    for stmt in statements((scan,)):
        if isinstance(stmt, ast.Assign) and isinstance(stmt.target, ast.Path):
            yield _key(stmt.target.text)


def _key(name: str) -> str:
    """The key of a name. All folios share the keys of fields, because two names may denote one folio."""
    return "." + name.partition(".")[2] if "." in name else name


def _kill(facts: Facts, keys: set[str], folio: str = "") -> Facts:
    """The facts that remain after assignments to `keys` and a new folio in `folio`."""
    return frozenset(f for f in facts if _key(f) not in keys and not (folio and f.startswith(folio + ".")))
