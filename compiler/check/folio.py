"""Checks statements on folios: the names in them, and the handlers that allow them."""

from __future__ import annotations

from cpol.compiler.check.expr import ExprChecker
from cpol.compiler.check.interval import constant_value
from cpol.compiler.check.pin import has_quota
from cpol.compiler.check.scope import Scope
from cpol.compiler.check.symbols import FolioSym, ListSym, ScoreSym, Symbol, Typed
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.vocabulary.event import ONE_AT_A_TIME, PREFETCH_EVENTS, RECLAIMING, UNCACHED

PINS_NOTHING = {
    **dict.fromkeys(UNCACHED, "the folio is not in the cache yet"),
    **dict.fromkeys(PREFETCH_EVENTS, "it runs for no folio"),
    "removed": "the folio is leaving the cache, and its pin has ended",
    "init": "there is no folio yet",
    "every": "`every` runs for no folio",
}
"""Events whose handler can pin at most the folio of a scan, and why."""


class FolioChecker:
    """Checks `place`, `move`, `evict` and similar statements in the handler of `event`."""

    def __init__(self, typed: Typed, scope: Scope, report: Report, event: str) -> None:
        self.typed = typed
        self.scope = scope
        self.report = report
        self.event = event
        self.expr = ExprChecker(typed, scope, report, event)
        self.scans: list[tuple[str, ast.Scan]] = []
        self.loops = 0
        self.scan_reported = False

    def list(self, ref: ast.ListRef) -> ListSym | None:
        """The list that `ref` names. None after an error."""
        name = ref.name
        fine = self.expr.index(ref.index) if ref.index is not None else True
        symbol = self.scope.find(name.text)
        if isinstance(symbol, ListSym):
            symbol.used = True
            self.typed.refs[name] = symbol
            return symbol if fine and self._indexed(symbol, ref) else None
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

    def _indexed(self, symbol: ListSym, ref: ast.ListRef) -> bool:
        """Whether `ref` has an index exactly if the list is an array. It reports an error if not."""
        if ref.index is not None:
            return self.expr.array_index(symbol, (ref.index,), ref.span)
        if symbol.length is None:
            return True
        self.report.error(
            "E0216",
            ref.span,
            f"`{symbol.name}` is an array of lists",
            label="the index is missing",
            help=f"write `{symbol.name}[0]` for the first of them",
        )
        return False

    def folio(self, name: ast.Name) -> FolioSym | None:
        """The folio that `name` names. None after an error."""
        symbol: Symbol | None = self.scope.find(name.text)
        if isinstance(symbol, FolioSym):
            symbol.used = True
            self.typed.refs[name] = symbol
            return symbol
        if symbol is None:
            folios = self.scope.locals_of(FolioSym)
            otherwise = f"write {listing(folios, 'or')}" if folios else ""
            self.scope.report_unknown(name, "no folio has this name here", otherwise=otherwise)
        else:
            self.report.error(
                "E0107",
                name.span,
                f"`{name.text}` is {symbol.kind}, not a folio",
                help="name the folio of the handler or of the scan",
            )
        return None

    def place(self, stmt: ast.Place) -> bool:
        """Check the names of a `place` and its handler. place.py checks the paths."""
        fine = self._named(stmt)
        fine = self._filled(stmt) and fine
        if self.event != "added":
            helps = f"write `move {stmt.folio.text} to {stmt.end.value} of {stmt.list.text}`"
            self.report.error(
                "E0301",
                stmt.span,
                f"`place` belongs in `on added`, not in {self.here}",
                why="a policy places a folio once, when it enters the cache",
                help=helps if self.event in ("first_accessed", "accessed", "evict") else "",
            )
            return False
        return self._not_the_scanned(stmt, "placed") and fine

    def leave(self, stmt: ast.Leave) -> bool:
        """Check the names of a `leave` of a folio and its handler. place.py checks the paths."""
        fine = self._named(stmt)
        if self.event != "added":
            refuse = self.event == "admit"
            self.report.error(
                "E0301",
                stmt.span,
                f"`leave` belongs in `on added`, not in {self.here}",
                why="a folio can be left to the kernel only when it enters the cache",
                help=f"write `refuse {stmt.folio.text}` to keep it out of the cache" if refuse else "",
            )
            return False
        return self._not_the_scanned(stmt, "left") and fine

    def refuse(self, stmt: ast.Refuse) -> bool:
        """Check the names of a `refuse` and its handler."""
        fine = self._named(stmt)
        if self.event != "admit":
            added = self.event == "added"
            self.report.error(
                "E0301",
                stmt.span,
                f"`refuse` belongs in `on admit`, not in {self.here}",
                why="only `on admit` runs before the folio enters the cache",
                help=f"write `on admit({stmt.folio.text}) {{ refuse {stmt.folio.text} }}`" if added else "",
            )
            return False
        return fine

    def _named(self, stmt: ast.Place | ast.Leave | ast.Refuse | ast.Move | ast.Pin | ast.Unpin) -> bool:
        """Whether `stmt` names a folio, in handlers that have one. It reports an error if not."""
        return self.event in ("init", "every", *PREFETCH_EVENTS) or self.folio(stmt.folio) is not None

    def _filled(self, stmt: ast.Place | ast.Move) -> bool:
        """Whether the target list of `stmt` exists. It reports an error if not."""
        target = self.list(stmt.list)
        if target is not None:
            target.filled = True
        return target is not None

    def _not_the_scanned(self, stmt: ast.Place | ast.Leave, done: str) -> bool:
        """Whether the folio of `stmt` is the event's and not a scan's. It reports an error if not."""
        if not self.expr.is_scanned(stmt.folio):
            return True
        self.report.error(
            "E0301",
            stmt.span,
            f"the folio of a scan cannot be {done}",
            why="it is already on a list; `on added` places or leaves its own folio",
            help=f"write `move {stmt.folio.text} to …`" if isinstance(stmt, ast.Place) else "",
        )
        return False

    @property
    def here(self) -> str:
        """The name of the handler in messages."""
        return self.expr.place

    def move(self, stmt: ast.Move) -> bool:
        """Check the names of a `move` and its handler."""
        fine = self._named(stmt)
        fine = self._filled(stmt) and fine
        if self.expr.is_scanned(stmt.folio) or self.event in ("first_accessed", "accessed", "evict"):
            return fine
        if self.event == "added":
            self.report.error(
                "E0301",
                stmt.span,
                "`move` cannot be used in `on added`",
                why="the folio is on no list yet",
                help=f"write `place {stmt.folio.text} at {stmt.end.value} of {stmt.list.text}`",
            )
        else:
            whys = {"removed": "the folio is leaving the cache", "init": "there is no folio yet"}
            whys["every"] = "`every` runs for no folio"
            whys |= dict.fromkeys(PREFETCH_EVENTS, "it runs for no folio")
            why = whys.get(self.event, "the folio is not in the cache yet" if self.event in UNCACHED else "")
            self.report.error(
                "E0301",
                stmt.span,
                f"`move` cannot be used in {self.here}",
                why=why,
                help="move folios in `on accessed` or in a scan of `on evict`",
            )
        return False

    def pin(self, stmt: ast.Pin | ast.Unpin) -> bool:
        """Check the name of a `pin` or an `unpin`, its handler and the quota."""
        fine = self._named(stmt)
        word = "pin" if isinstance(stmt, ast.Pin) else "unpin"
        if not self.expr.is_scanned(stmt.folio) and self.event in PINS_NOTHING:
            self.report.error(
                "E0301",
                stmt.span,
                f"`{word}` cannot be used in {self.here}",
                why=PINS_NOTHING[self.event],
                help=f"write `{word}` in a handler of a folio that stays, such as `on accessed(f)`",
            )
            return False
        return has_quota(self.typed.symbols, self.report, stmt.span) and fine

    def reclaim(self, stmt: ast.Reclaim) -> bool:
        """Check the pages of a `reclaim`, and its handler."""
        fine = self.expr.count(stmt.pages, "the number of pages")
        if self.event in RECLAIMING or self.event == "every":
            return fine
        where = listing([*(f"on {event}" for event in RECLAIMING), "every"])
        message = f"`reclaim` belongs in {where}, not in {self.here}"
        why, helps = "only these happen while nothing is being evicted", ""
        if self.event == "evict":
            why = "`on evict` is what `reclaim` has run, to propose folios"
            helps = "propose more of them: `evict f`"
        elif self.event in PREFETCH_EVENTS:
            why = "it runs for no folio"
        self.report.error("E0301", stmt.span, message, why=why, help=helps)
        return False

    def only_in_evict(self, span: Span, what: str) -> bool:
        """Whether the handler is `on evict`. It reports an error if not."""
        if self.event != "evict" and (
            not self.scans or not self.scan_reported
        ):  # the enclosing scan was reported already
            self.report.error(
                "E0301",
                span,
                f"{what} belongs in `on evict`, not in {self.here}",
                why="only `on evict` serves a request for pages",
                help="move it to a list that `on evict` scans first, or mark it in a field that `on evict` reads"
                if self.event in ("added", "first_accessed", "accessed")
                else "set a state here, and read it in `on evict`",
            )
        return self.event == "evict"

    def may_scan(self, stmt: ast.Scan) -> bool:
        """Whether `stmt` is in `on evict`, or is a scan `up to 1` in a handler of ONE_AT_A_TIME. It reports errors."""
        if self.event == "evict":
            return True
        if self.scan_reported:
            return False
        if self.event not in ONE_AT_A_TIME:
            self.scan_reported = True
            self.report.error(
                "E0301",
                stmt.head,
                f"`scan` cannot be used in {self.here}",
                why=f"only `on evict` walks lists; {listing(ONE_AT_A_TIME)} may look at one end of a list",
                help="count in a state here, and compare it with a field of each folio that is seen elsewhere"
                if self.event == "every"
                else "let newcomers wait on a list of their own: in `on evict`, each can meet the folio that would go"
                if self.event == "admit"
                else "",
            )
        elif stmt.bound is None or constant_value(self.typed, stmt.bound) != 1:
            self.scan_reported = True
            self.report.error(
                "E0317",
                stmt.head if stmt.bound is None else stmt.bound.span,
                f"a scan in {self.here} needs the bound `up to 1`",
                label="no bound" if stmt.bound is None else "not 1",
                why="only `on evict` walks lists; other handlers see the folio at one end",
                help=f"write `scan {stmt.list.text} from {stmt.end.value} up to 1 as {stmt.folio.text} {{ … }}`",
            )
        return not self.scan_reported

    def not_nested(self, name: ast.ListRef) -> bool:
        """Whether no enclosing scan is of the same list. It reports an error if one is."""
        fine = True
        for outer, scan in self.scans:
            if outer == name.text:  # two indices may select the same list, because they saturate
                fine = False
                array = name.index is not None
                self.report.error(
                    "E0306",
                    name.span,
                    f"`{name.text}` {'may already be' if array else 'is already being'} scanned",
                    label="a second scan inside the first",
                    why="only one scan can walk a list at a time",
                    others=(Label(scan.list.span, "the scan around it"),),
                    help="scan another list, or end the outer scan first",
                )
        return fine

    def evict(self, stmt: ast.Evict) -> bool:
        """Check that `evict` is in a scan and names its folio."""
        fine = self.only_in_evict(stmt.span, "`evict`")
        symbol = self.scope.find(stmt.folio.text)
        unknown = symbol is None and bool(self.scans)
        if unknown or isinstance(symbol, FolioSym) or self.event != "evict":
            return self.folio(stmt.folio) is not None and fine
        name = stmt.folio.text
        if isinstance(symbol, ListSym):
            helps = f"write `scan {name} from head as f {{ evict f }}`"
        elif isinstance(symbol, ScoreSym):
            helps = f"write `evict lowest {name} of up to 512 from head of LIST`"
        elif name == "random":
            helps = "write `score any(f) = hash(f, cache.clock)`, and `evict lowest any of up to 64 from head of LIST`"
        else:
            helps = "write `scan LIST from head as f { evict f }`"
        self.report.error(
            "E0304",
            stmt.folio.span,
            "only the folio of a `scan` can be evicted",
            label=f"this is {symbol.kind}" if symbol is not None else "not declared",
            help=helps,
        )
        return False

    def evict_by_score(self, stmt: ast.EvictByScore) -> bool:
        """Check the names, the bound and the handler of an `evict lowest` or `evict highest`."""
        what = f"`evict {'highest' if stmt.highest else 'lowest'}`"
        fine = self.only_in_evict(stmt.span, what)
        source = self.list(stmt.list)
        if source is not None:
            source.drained = True
        fine = self.not_nested(stmt.list) and source is not None and fine
        fine = self.expr.count(stmt.bound, f"the bound of {what}") and fine
        return self._score(stmt) and fine

    def _score(self, stmt: ast.EvictByScore) -> bool:
        """Whether `stmt` names a score. It reports an error if not."""
        score = self.scope.find(stmt.score.text)
        scores = [s.name for s in self.typed.symbols.names.values() if isinstance(s, ScoreSym)]
        if isinstance(score, ScoreSym):
            score.used = True
            self.typed.refs[stmt.score] = score
            return True
        if score is None:
            helps = suggest(stmt.score.text, scores) or f"declare `score {stmt.score.text}(f) = …`"
            self.report.error("E0101", stmt.score.span, f"there is no score `{stmt.score.text}`", help=helps)
        else:
            self.report.error(
                "E0107",
                stmt.score.span,
                f"`{stmt.score.text}` is {score.kind}, not a score",
                help=f"declare `score {stmt.score.text}(f) = …` under a name of its own",
            )
        return False
