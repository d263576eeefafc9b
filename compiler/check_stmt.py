"""Handlers and statements: names, types, and what may be said where."""

from __future__ import annotations

from cpol.compiler import ast, ir
from cpol.compiler.check_divisor import constant_value
from cpol.compiler.check_folio import FolioChecker
from cpol.compiler.names import suggest
from cpol.compiler.symbols import (
    FieldSym,
    FolioSym,
    LetSym,
    StateSym,
    raw_range,
    widened,
)
from cpol.compiler.types import article
from cpol.compiler.walk import statements


class StmtChecker(FolioChecker):
    """Checks the body of one handler."""

    def block(self, body: tuple[ast.Stmt, ...]) -> None:
        """Check statements in a scope of their own."""
        self.scope.open()
        for stmt in body:
            self._statement(stmt)
        self.scope.close()

    def _statement(self, stmt: ast.Stmt) -> None:
        if isinstance(stmt, ast.Let):
            self._let(stmt)
        elif isinstance(stmt, ast.Assign):
            self._assign(stmt)
        elif isinstance(stmt, ast.CallStmt):
            self._call(stmt)
        elif isinstance(stmt, ast.If):
            for branch in stmt.branches:
                self.expr.check(branch.cond, ir.BOOL, "the condition of an `if`")
                self.block(branch.block.body)
            if stmt.orelse is not None:
                self.block(stmt.orelse.body)
        elif isinstance(stmt, ast.Place):
            self.place(stmt)
        elif isinstance(stmt, ast.Move):
            self.move(stmt)
        elif isinstance(stmt, ast.Scan):
            self._scan(stmt)
        elif isinstance(stmt, ast.Evict):
            self.evict(stmt)
        elif isinstance(stmt, ast.EvictLowest):
            self.evict_lowest(stmt)
        elif not self.scans:
            word = "stop" if isinstance(stmt, ast.Stop) else "keep"
            self.report.error(
                "E0312", stmt.span, f"`{word}` belongs into a `scan`", why="there is no scan here that it could act on"
            )

    # Values

    def _let(self, stmt: ast.Let) -> None:
        type = self.expr.check(stmt.value)
        symbol = LetSym(stmt.name.text, stmt.name.span, type)
        self.typed.refs[stmt.name] = symbol
        self.scope.declare(symbol, stmt.name)

    def _assign(self, stmt: ast.Assign) -> None:
        target = self._target(stmt.target)
        if target is None or target.type is None:
            self.expr.check(stmt.value)
            return
        self.typed.refs[stmt.target] = target
        target.written = True
        type = widened(target.type)
        if stmt.op != "=" and not isinstance(type, ir.IntType | ir.FixType):
            self.report.error("E0201", stmt.span, f"`{stmt.op}` needs a number, and `{stmt.target.text}` is a `{type}`")
            return
        if self.expr.check(stmt.value, type, f"`{stmt.target.text}`") is not None and stmt.op == "=":
            self._check_fits(stmt, target.type)

    def _check_fits(self, stmt: ast.Assign, type: ir.Type) -> None:
        """A literal that would always be cut off is a mistake."""
        value = constant_value(self.typed, stmt.value)
        low, high = raw_range(type)
        if isinstance(type, ir.IntType) and value is not None and not low <= value <= high:
            self.report.error(
                "E0204",
                stmt.value.span,
                f"{value} does not fit {article(type)}",
                label=f"`{type}` holds {low} to {high}",
                help="give the target a wider type",
            )

    def _target(self, path: ast.Path) -> StateSym | FieldSym | None:
        """What an assignment changes. None after an error."""
        first = path.parts[0]
        symbol = self.scope.find(first.text)
        if symbol is None:
            states = [s.name for s in self.typed.symbols.names.values() if isinstance(s, StateSym)]
            if first.text == "cache" or len(path.parts) > 1:
                self._not_assignable(path, "nothing that a policy can set")
            elif first.text not in self.scope.unknown:
                self.scope.unknown.add(first.text)
                helps = suggest(first.text, states) or f"declare `state {first.text}: u64 = 0`"
                self.report.error("E0101", path.span, f"nothing here is called `{first.text}`", help=helps)
            return None
        if isinstance(symbol, StateSym) and len(path.parts) == 1:
            return symbol
        if isinstance(symbol, FolioSym) and len(path.parts) == 2:
            return self._field(path, symbol)
        symbol.used = True
        self._not_assignable(
            path, symbol.kind if len(path.parts) == 1 else f"not a field: `{first.text}` is {symbol.kind}"
        )
        return None

    def _field(self, path: ast.Path, folio: FolioSym) -> FieldSym | None:
        folio.used = True
        member = path.parts[1].text
        fields = self.typed.symbols.fields
        if member in fields:
            return fields[member]
        if self.expr.path(path) is not None:  # a built-in attribute; an unknown one was told
            self._not_assignable(path, "what the cache knows of the folio")
        return None

    def _not_assignable(self, path: ast.Path, what: str) -> None:
        self.report.error(
            "E0210",
            path.span,
            f"`{path.text}` cannot be assigned to",
            label=f"this is {what}",
            why="only a `state` and a field of the folio record can change",
        )

    def _call(self, stmt: ast.CallStmt) -> None:
        call = stmt.call
        if len(call.callee.parts) == 1:
            self.report.error(
                "E0109", stmt.span, f"`{call.callee.text}(…)` is not a statement", why="its value is not used"
            )
        else:
            self.expr.ghost_call(call, ("add",))

    def _scan(self, stmt: ast.Scan) -> None:
        self.only_in_evict(stmt, "`scan`")
        source = self.list(stmt.list)
        self.not_nested(stmt.list)
        if stmt.bound is not None:
            self.expr.count(stmt.bound, "the bound of a scan")
        if source is not None and _drains(stmt):
            source.drained = True
        self.scope.open()
        folio = FolioSym(stmt.folio.text, stmt.folio.span, stmt.list.text, scanned=True)
        self.typed.refs[stmt.folio] = folio
        self.scope.declare(folio, stmt.folio)
        self.scans.append((stmt.list.text, stmt))
        self.scope.open()
        for inner in stmt.body:
            self._statement(inner)
        for arm in stmt.arms:
            self.expr.check(arm.cond, ir.BOOL, "the condition of a `when`")
            self.block(arm.block.body)
        if stmt.otherwise is not None:
            self.block(stmt.otherwise.body)
        self.scope.close()
        self.scans.pop()
        self.scope.close()


def _drains(scan: ast.Scan) -> bool:
    """Whether folios can leave the list by this scan."""
    for stmt in statements((scan,)):
        if isinstance(stmt, ast.Evict) and stmt.folio.text == scan.folio.text:
            return True
        if isinstance(stmt, ast.Move) and stmt.folio.text == scan.folio.text and stmt.list.text != scan.list.text:
            return True
    return False
