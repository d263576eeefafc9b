"""Checks that each path evicts or moves a folio at most once, and does not use a scanned one after it."""

from __future__ import annotations

from typing import TypeAlias

from cpol.compiler.check.interval import constant_value
from cpol.compiler.check.symbols import FolioSym, Typed
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import operands, paths

Disposed: TypeAlias = dict[str, ast.Evict | ast.Move]
"""Folios that may have been evicted or moved on some path, with the statement."""


def check_use_after_evict(typed: Typed, body: tuple[ast.Stmt, ...], report: Report) -> None:
    """Check the body of a handler."""
    _Walker(typed, report).body(body, {})


class _Walker:
    def __init__(self, typed: Typed, report: Report) -> None:
        self.typed = typed
        self.report = report
        self.stopped: list[Disposed] = []
        """For each loop around: what was disposed of where a `stop` ended it."""

    def body(self, body: tuple[ast.Stmt, ...], disposed: Disposed | None) -> Disposed | None:
        """The state after `body`; None if its end is unreachable."""
        for stmt in body:
            if disposed is None:
                self.report.warning(
                    "W0404",
                    stmt.span,
                    "this can never run",
                    label="unreachable",
                    why="every path to it ends in `stop` or `refuse`",
                    help="remove it, or make the `stop` or `refuse` depend on a condition",
                )
                return None
            disposed = self._statement(stmt, disposed)
        return disposed

    def _statement(self, stmt: ast.Stmt, disposed: Disposed) -> Disposed | None:
        for operand in operands(stmt):
            if operand is not None:
                self._expr(operand, disposed)
        if isinstance(stmt, ast.Assign) and not isinstance(stmt.target, ast.Element):
            self._use(stmt.target.path if isinstance(stmt.target, ast.FieldElement) else stmt.target, disposed)
        if isinstance(stmt, ast.Pin | ast.Unpin):
            self._use(ast.Path((stmt.folio,), stmt.folio.span), disposed)
        if isinstance(stmt, ast.If):
            return self._branches(stmt.branches, stmt.orelse, disposed)
        if isinstance(stmt, ast.Do):
            return self.body(stmt.body or (), disposed)
        if isinstance(stmt, ast.Evict | ast.Move):
            return self._dispose(stmt, disposed)
        if isinstance(stmt, ast.Scan):
            return self._scan(stmt, disposed)
        if isinstance(stmt, ast.For | ast.While):
            return self._for(stmt, disposed)
        if isinstance(stmt, ast.Stop):
            self.stopped[-1].update(disposed)
        return None if isinstance(stmt, ast.Stop | ast.Refuse) else disposed

    def _for(self, stmt: ast.For | ast.While, disposed: Disposed) -> Disposed:
        """The state after the loop. A round that disposes of more folios is followed by one that meets them so."""
        self.stopped.append({})
        if isinstance(stmt, ast.While):
            self._expr(stmt.cond, disposed)
        ended = self.body(stmt.block.body, dict(disposed))
        stopped, again = self.stopped.pop(), {**disposed, **(ended or {})}
        return {**again, **stopped} if again.keys() == disposed.keys() else self._for(stmt, again)

    def _scan(self, stmt: ast.Scan, disposed: Disposed) -> Disposed:
        once = stmt.bound is not None and constant_value(self.typed, stmt.bound) == 1
        inside = _without(disposed, stmt.folio)
        self.stopped.append({})
        ended = self.body(stmt.body, inside)
        if ended is not None:
            ended = self._branches(stmt.arms, stmt.otherwise, ended)
        stopped, again = self.stopped.pop(), {**disposed, **_without(ended or {}, stmt.folio)}
        if once or again.keys() == disposed.keys():
            return {**again, **_without(stopped, stmt.folio)}
        return self._scan(stmt, again)

    def _branches(
        self, branches: tuple[ast.Branch, ...], orelse: ast.Block | None, disposed: Disposed
    ) -> Disposed | None:
        ends: list[Disposed | None] = []
        for branch in branches:
            self._expr(branch.cond, disposed)
            ends.append(self.body(branch.block.body, dict(disposed)))
        ends.append(self.body(orelse.body, dict(disposed)) if orelse is not None else disposed)
        live = [end for end in ends if end is not None]
        merged: Disposed = {}
        for end in live:
            merged.update(end)
        return merged if live else None

    def _dispose(self, stmt: ast.Evict | ast.Move, disposed: Disposed) -> Disposed:
        name = stmt.folio.text
        if name in disposed:
            first = disposed[name]
            verb = "evicted" if isinstance(first, ast.Evict) else "moved"
            again = "" if first is not stmt else ", in an earlier round of the loop around it"
            self.report.error(
                "E0308",
                stmt.span,
                f"`{name}` may already have been {verb}{again}",
                label="evicted or moved again",
                why="on each path a folio is evicted or moved at most once",
                help="make the conditions exclude each other with `else`",
                others=() if first is stmt else (Label(first.span, f"{verb} here"),),
            )
        return {**disposed, name: stmt}

    def _expr(self, expr: ast.Expr, disposed: Disposed) -> None:
        for path in paths(expr):
            self._use(path, disposed)

    def _use(self, path: ast.Path, disposed: Disposed) -> None:
        name = path.parts[0].text
        if name not in disposed:
            return
        symbol = self.typed.refs.get(disposed[name].folio)
        if not isinstance(symbol, FolioSym) or not symbol.scanned:
            return
        verb = "evicted" if isinstance(disposed[name], ast.Evict) else "moved"
        self.report.error(
            "E0307",
            path.span,
            f"`{name}` is used after it may have been {verb}",
            label="used here",
            why="another CPU may already work on it",
            help=f"use `{name}` before it is {verb}",
            others=(Label(disposed[name].span, f"{verb} here"),),
        )


def _without(disposed: Disposed, folio: ast.Name) -> Disposed:
    return {name: where for name, where in disposed.items() if name != folio.text}
