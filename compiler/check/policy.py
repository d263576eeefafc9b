"""Runs all checks in order. An error in one skips checks that depend on it."""

from __future__ import annotations

from cpol.compiler.check.cache_quota import check_cache_quota
from cpol.compiler.check.declare.names import declare
from cpol.compiler.check.divisor import check_divisors
from cpol.compiler.check.expr import ExprChecker
from cpol.compiler.check.fn import check_fn
from cpol.compiler.check.habits import OTHER_EVENTS
from cpol.compiler.check.loops import check_loops
from cpol.compiler.check.nonzero_dataflow import check_handler_divisors
from cpol.compiler.check.place import check_placed
from cpol.compiler.check.range_dataflow import check_ranges
from cpol.compiler.check.saturation import check_saturation
from cpol.compiler.check.scope import Scope
from cpol.compiler.check.sizes import check_period, check_quotas_of_pages, check_sizes
from cpol.compiler.check.stmt import StmtChecker
from cpol.compiler.check.symbols import (
    FaultSym,
    FnSym,
    FolioSym,
    LetSym,
    OutSym,
    RangeSym,
    RequestSym,
    ScoreSym,
    Symbol,
    Typed,
)
from cpol.compiler.check.test import check_test
from cpol.compiler.check.ticking import check_ticking
from cpol.compiler.check.unsettled import article
from cpol.compiler.check.use import check_complete, leaves, warn
from cpol.compiler.check.use_after_evict import check_use_after_evict
from cpol.compiler.check.where import INVARIANT, SCORE
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.types import BOOL, REASON, BoolType, EnumType
from cpol.compiler.vocabulary.event import EVENTS, UNCACHED

_ASKED: dict[str, type[FaultSym | RequestSym]] = {
    "fault": FaultSym,
    "request": RequestSym,
    "range": RangeSym,
    "out": OutSym,
}
"""What the parameter of a handler of prefetching is."""


def asked(event: str) -> type[FaultSym | RequestSym] | None:
    """What the parameter of a handler is, if the event happens to no folio."""
    return _ASKED.get(EVENTS[event].of) if event in EVENTS else None


def check(policy: ast.Policy, report: Report) -> Typed:
    """Check `policy` and return its typed AST.

    Raises:
        CompileError: the policy breaks a rule of the language.
    """
    typed = declare(policy, report)
    _Checker(typed, report).run()
    check_complete(typed.symbols, report)
    report.check()
    warn(typed.symbols, report)
    check_saturation(typed, report)
    return typed


class _Checker:
    def __init__(self, typed: Typed, report: Report) -> None:
        self.typed = typed
        self.symbols = typed.symbols
        self.report = report
        self.unknown: set[str] = set()

    def _scope(self) -> Scope:
        return Scope(self.symbols, self.report, unknown=self.unknown)

    def run(self) -> None:
        symbols = list(self.symbols.names.values())
        for symbol in symbols:
            if isinstance(symbol, FnSym) and symbol.decl is not None:
                check_fn(self.typed, self._scope(), self.report, symbol)
        for symbol in symbols:
            if isinstance(symbol, ScoreSym) and symbol.decl is not None:
                self._score(symbol.decl)
            else:
                check_sizes(self.typed, self._scope(), self.report, symbol)
        check_quotas_of_pages(self.typed, self._scope(), self.report)
        check_cache_quota(self.typed, self._scope(), self.report)
        for item in self.symbols.policy.items:
            if isinstance(item, ast.Handler):
                self._handler(item)
            elif isinstance(item, ast.Every):
                self._every(item)
            elif isinstance(item, ast.Invariant):
                self.symbols.invariants.append(item)
                checker = ExprChecker(self.typed, self._scope(), self.report, INVARIANT)
                if checker.check(item.cond, BOOL, "an invariant") is not None:
                    check_divisors(self.typed, item.cond, self.report)
        for item in self.symbols.policy.items:
            if isinstance(item, ast.Test):
                check_test(self.typed, self._scope(), self.report, item)

    def _every(self, every: ast.Every) -> None:
        self.symbols.everies.append(every)
        check_period(self.typed, self._scope(), self.report, every)
        if StmtChecker(self.typed, self._scope(), self.report, "every").block(every.block.body):
            check_handler_divisors(self.typed, every.block.body, self.report)
            check_ranges(self.typed, every.block.body, self.report)
            check_loops(self.typed, every.block.body, self.report)
            check_use_after_evict(self.typed, every.block.body, self.report)
            check_ticking(self.typed, every, self.report)

    def _score(self, decl: ast.ScoreDecl) -> None:
        scope = self._scope()
        scope.open()
        scope.declare(FolioSym(decl.folio.text, decl.folio.span), decl.folio)
        checker = ExprChecker(self.typed, scope, self.report, SCORE)
        type = checker.check(decl.body)
        if type is not None:
            check_divisors(self.typed, decl.body, self.report)
        if isinstance(type, BoolType | EnumType):
            self.report.error(
                "E0201",
                decl.body.span,
                f"a score is a number, and this is {article(type)}",
                help="write a number: `if COND then 1 else 0`",
            )
        scope.close()

    def _handler(self, handler: ast.Handler) -> None:
        known = [event for event in handler.events if self._event(event, handler)]
        if not known:
            return
        if not self._parameters(handler) or not self._together(known, handler):
            return
        if not all(self._body(handler, event.text) for event in known):
            return
        check_handler_divisors(self.typed, handler.block.body, self.report)
        check_ranges(self.typed, handler.block.body, self.report)
        check_loops(self.typed, handler.block.body, self.report)
        check_use_after_evict(self.typed, handler.block.body, self.report)
        lists = self.symbols.lists()
        if any(event.text == "added" for event in known) and (lists or leaves(handler.block.body)):
            check_placed(handler, lists[0].name if lists else "", self.report)

    def _event(self, event: ast.Name, handler: ast.Handler) -> bool:
        if event.text not in EVENTS:
            helps = suggest(event.text, EVENTS)
            if event.text in ("events", "ms"):
                helps = f"write `every 1000 {event.text} {{ … }}`"
            elif event.text in OTHER_EVENTS:
                helps = f"write `on {OTHER_EVENTS[event.text]}`"
            why = f"the events are {listing(EVENTS)}"
            self.report.error("E0105", event.span, f"there is no event `{event.text}`", why=why, help=helps)
            return False
        if event.text in self.symbols.handlers:
            first = self.symbols.handlers[event.text]
            where = next(e for e in first.events if e.text == event.text)
            self.report.error(
                "E0310",
                event.span,
                f"there are two handlers for `{event.text}`",
                label="again here",
                help="merge them",
                others=(Label(where.span, "the first"),),
            )
            return False
        self.symbols.handlers[event.text] = handler
        return True

    def _together(self, events: list[ast.Name], handler: ast.Handler) -> bool:
        """Whether one handler can serve these events. It reports an error if not."""
        kinds = {asked(event.text) for event in events}
        if len(kinds) == 1:
            return True
        first, other = events[0], next(e for e in events if asked(e.text) is not asked(events[0].text))
        why = f"`on {first.text}` and `on {other.text}` are about different things"
        self.report.error("E0110", handler.head, "one handler cannot serve these events", why=why, help="write two")
        return False

    def _parameters(self, handler: ast.Handler) -> bool:
        given = len(handler.params)
        for other in handler.events:
            shapes = EVENTS[other.text].parameters if other.text in EVENTS else ()
            if shapes and all(len(shape) != given for shape in shapes):
                longest = ", ".join(shapes[-1])
                self.report.error(
                    "E0110",
                    handler.head,
                    f"`on {other.text}` {'takes other parameters' if longest else 'takes no parameters'}",
                    help=f"write `on {other.text}({longest})`" if longest else f"write `on {other.text} {{ … }}`",
                )
                return False
        return True

    def _body(self, handler: ast.Handler, event: str) -> bool:
        """Whether the body of `handler` is valid for `event`. It reports errors if not."""
        scope = self._scope()
        scope.open()
        fine = True
        for i, name in enumerate(handler.params):
            symbol: Symbol = LetSym(name.text, name.span, REASON, silent=True)
            if kind := asked(event):
                symbol = kind(name.text, name.span)
            elif i == 0:
                symbol = FolioSym(name.text, name.span, uncached=event in UNCACHED)
            fine = scope.declare(symbol, name) and fine
        fine = StmtChecker(self.typed, scope, self.report, event).block(handler.block.body) and fine
        scope.close()
        return fine
