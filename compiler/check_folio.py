"""Statements that put folios somewhere: what they name, and in which handlers they can be."""

from __future__ import annotations

from cpol.compiler import ast
from cpol.compiler.check_expr import ExprChecker
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.names import Scope, listing, suggest
from cpol.compiler.symbols import FolioSym, ListSym, ScoreSym, Symbol, Typed


class FolioChecker:
    """Checks `place`, `move`, `evict` and `evict lowest` in the handler of `event`."""

    def __init__(self, typed: Typed, scope: Scope, report: Report, event: str) -> None:
        self.typed = typed
        self.scope = scope
        self.report = report
        self.event = event
        self.expr = ExprChecker(typed, scope, report, event)
        self.scans: list[tuple[str, ast.Scan]] = []

    def list(self, name: ast.Name) -> ListSym | None:
        """The list that `name` names. None after an error."""
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

    def folio(self, name: ast.Name) -> FolioSym | None:
        """The folio that `name` names. None after an error."""
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

    def place(self, stmt: ast.Place) -> None:
        """Check the names of a `place`, and that it may be here; on which paths is another pass."""
        self.folio(stmt.folio)
        target = self.list(stmt.list)
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

    def move(self, stmt: ast.Move) -> None:
        """Check the names of a `move`, and that it may be here."""
        self.folio(stmt.folio)
        target = self.list(stmt.list)
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

    def only_in_evict(self, span_of: ast.Stmt, what: str) -> None:
        """Say so if this is not `on evict`."""
        if self.event != "evict" and not self.scans:  # the scan around it was told already
            span = span_of.head if isinstance(span_of, ast.Scan) else span_of.span
            self.report.error(
                "E0301",
                span,
                f"{what} is for `on evict`, and this is `on {self.event}`",
                why="only then does somebody want pages, and only then can a list be walked",
            )

    def not_nested(self, name: ast.Name) -> None:
        """Say so if a scan of this list is around this place."""
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

    def evict(self, stmt: ast.Evict) -> None:
        """Check that `evict f` is in a scan, and of its folio."""
        self.only_in_evict(stmt, "`evict`")
        symbol = self.scope.find(stmt.folio.text)
        unknown = symbol is None and bool(self.scans)
        if unknown or isinstance(symbol, FolioSym) or self.event != "evict":
            self.folio(stmt.folio)
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

    def evict_lowest(self, stmt: ast.EvictLowest) -> None:
        """Check the names and the bound of an `evict lowest`, and that it may be here."""
        self.only_in_evict(stmt, "`evict lowest`")
        source = self.list(stmt.list)
        if source is not None:
            source.drained = True
        self.not_nested(stmt.list)
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
