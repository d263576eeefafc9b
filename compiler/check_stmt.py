"""Handlers and statements: names, types, and what may be said where."""

from __future__ import annotations

from cpol.compiler import ast, ir
from cpol.compiler.check_divisor import constant_value
from cpol.compiler.check_expr import ExprChecker
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.names import Scope, listing, suggest
from cpol.compiler.symbols import (
    FieldSym,
    FolioSym,
    LetSym,
    ListSym,
    ScoreSym,
    StateSym,
    Symbol,
    Typed,
    raw_range,
    widened,
)
from cpol.compiler.types import article
from cpol.compiler.walk import statements


class StmtChecker:
    """Checks the body of one handler."""

    def __init__(self, typed: Typed, scope: Scope, report: Report, event: str) -> None:
        self.typed = typed
        self.scope = scope
        self.report = report
        self.event = event
        self.expr = ExprChecker(typed, scope, report, event)
        self.scans: list[tuple[str, ast.Scan]] = []

    def block(self, body: tuple[ast.Stmt, ...]) -> None:
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
            self._place(stmt)
        elif isinstance(stmt, ast.Move):
            self._move(stmt)
        elif isinstance(stmt, ast.Scan):
            self._scan(stmt)
        elif isinstance(stmt, ast.Evict):
            self._evict(stmt)
        elif isinstance(stmt, ast.EvictLowest):
            self._evict_lowest(stmt)
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

    # Folios and lists

    def _list(self, name: ast.Name) -> ListSym | None:
        symbol = self.scope.find(name.text)
        if isinstance(symbol, ListSym):
            symbol.used = True
            self.typed.refs[name] = symbol
            return symbol
        lists = [s.name for s in self.typed.symbols.lists()]
        if symbol is None:
            if name.text not in self.scope.unknown:
                self.scope.unknown.add(name.text)
                helps = suggest(name.text, lists)
                if not helps and lists:
                    helps = f"write one of {listing(lists)}"
                self.report.error(
                    "E0101", name.span, f"there is no list `{name.text}`", label="not declared", help=helps
                )
        else:
            self.report.error(
                "E0107", name.span, f"`{name.text}` is {symbol.kind}, not a list", help=suggest(name.text, lists)
            )
        return None

    def _folio(self, name: ast.Name) -> FolioSym | None:
        symbol: Symbol | None = self.scope.find(name.text)
        if isinstance(symbol, FolioSym):
            symbol.used = True
            self.typed.refs[name] = symbol
            return symbol
        if symbol is None:
            self.scope.report_unknown(name, "no folio has this name here")
        else:
            self.report.error("E0107", name.span, f"`{name.text}` is {symbol.kind}, not a folio")
        return None

    def _place(self, stmt: ast.Place) -> None:
        self._folio(stmt.folio)
        target = self._list(stmt.list)
        if target is not None:
            target.filled = True
        if self.event != "added":
            helps = f"write `move {stmt.folio.text} to {stmt.end.value} of {stmt.list.text}`"
            self.report.error(
                "E0301",
                stmt.span,
                f"`place` is for `on added`, and this is `on {self.event}`",
                why="a folio is adopted when it comes into the cache, and then never again",
                help=helps if self.event in ("first_accessed", "accessed", "evict") else "",
            )

    def _move(self, stmt: ast.Move) -> None:
        self._folio(stmt.folio)
        target = self._list(stmt.list)
        if target is not None:
            target.filled = True
        if self.event == "added":
            self.report.error(
                "E0301",
                stmt.span,
                "`move` cannot be used in `on added`",
                why="the folio is on no list yet",
                help=f"write `place {stmt.folio.text} at {stmt.end.value} of {stmt.list.text}`",
            )
        elif self.event in ("removed", "init"):
            why = "the folio is leaving the cache" if self.event == "removed" else "there is no folio yet"
            self.report.error("E0301", stmt.span, f"`move` cannot be used in `on {self.event}`", why=why)

    def _only_in_evict(self, span_of: ast.Stmt, what: str) -> None:
        if self.event != "evict" and not self.scans:  # the scan around it was told already
            span = span_of.head if isinstance(span_of, ast.Scan) else span_of.span
            self.report.error(
                "E0301",
                span,
                f"{what} is for `on evict`, and this is `on {self.event}`",
                why="only then does somebody want pages, and only then can a list be walked",
            )

    def _scan(self, stmt: ast.Scan) -> None:
        self._only_in_evict(stmt, "`scan`")
        source = self._list(stmt.list)
        self._not_nested(stmt.list)
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

    def _not_nested(self, name: ast.Name) -> None:
        for outer, scan in self.scans:
            if outer == name.text:
                self.report.error(
                    "E0306",
                    name.span,
                    f"`{name.text}` is being scanned already",
                    label="a second scan inside the first",
                    why="a list can be walked by one scan at a time",
                    others=(Label(scan.list.span, "the scan around it"),),
                )

    def _evict(self, stmt: ast.Evict) -> None:
        self._only_in_evict(stmt, "`evict`")
        symbol = self.scope.find(stmt.folio.text)
        unknown = symbol is None and bool(self.scans)
        if unknown or isinstance(symbol, FolioSym) or self.event != "evict":
            self._folio(stmt.folio)
            return
        name = stmt.folio.text
        if isinstance(symbol, ListSym):
            helps = f"write `scan {name} from head as f {{ evict f }}`"
        elif isinstance(symbol, ScoreSym):
            helps = f"write `evict lowest {name} of up to 512 from head of LIST`"
        else:
            helps = "write `scan LIST from head as f { evict f }`"
        self.report.error(
            "E0304",
            stmt.folio.span,
            "only the folio of a `scan` can be evicted",
            label=f"this is {symbol.kind}" if symbol is not None else "not declared",
            help=helps,
        )

    def _evict_lowest(self, stmt: ast.EvictLowest) -> None:
        self._only_in_evict(stmt, "`evict lowest`")
        source = self._list(stmt.list)
        if source is not None:
            source.drained = True
        self._not_nested(stmt.list)
        self.expr.count(stmt.bound, "the bound of `evict lowest`")
        score = self.scope.find(stmt.score.text)
        scores = [s.name for s in self.typed.symbols.names.values() if isinstance(s, ScoreSym)]
        if isinstance(score, ScoreSym):
            score.used = True
            self.typed.refs[stmt.score] = score
        elif score is None:
            helps = suggest(stmt.score.text, scores) or f"declare `score {stmt.score.text}(f) = …`"
            self.report.error("E0101", stmt.score.span, f"there is no score `{stmt.score.text}`", help=helps)
        else:
            self.report.error("E0107", stmt.score.span, f"`{stmt.score.text}` is {score.kind}, not a score")


def _drains(scan: ast.Scan) -> bool:
    """Whether folios can leave the list by this scan."""
    for stmt in statements((scan,)):
        if isinstance(stmt, ast.Evict) and stmt.folio.text == scan.folio.text:
            return True
        if isinstance(stmt, ast.Move) and stmt.folio.text == scan.folio.text and stmt.list.text != scan.list.text:
            return True
    return False
