"""Checks the statements of handlers that run for no folio, and what a policy with only these may declare."""

from __future__ import annotations

from cpol.compiler.check.folio import FolioChecker
from cpol.compiler.check.interval import constant_value
from cpol.compiler.check.pin import KEEPS, has_quota
from cpol.compiler.check.symbols import OutSym, RangeSym, Symbols
from cpol.compiler.contract import PREFETCH_TARGETS
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.words import listing
from cpol.compiler.syntax import ast
from cpol.compiler.vocabulary.event import ASKED, EVICTION_EVENTS, PREFETCH_EVENTS, holding

WHY_RANGES = {
    "drop": "only these are told of pages that were read or written",
    "flush": "only there pages were written",
    "readahead": "only there a file was opened; other handlers name what they read by `prefetch`",
    "leave": "a file can be left to the kernel only where its opening, reads and writes are told",
}

NONE_HANDLED = f"it has none of {listing([f'on {event}' for event in PREFETCH_EVENTS])}"


def prefetches(symbols: Symbols) -> bool:
    """Whether the policy handles an event of prefetching."""
    return any(event in symbols.handlers for event in PREFETCH_EVENTS)


def evicts(symbols: Symbols) -> bool:
    """Whether the policy handles an event of eviction."""
    return any(event in symbols.handlers for event in EVICTION_EVENTS)


def check_prefetch(checker: FolioChecker, stmt: ast.Prefetch) -> bool:
    """Whether a `prefetch` is valid. It reports errors."""
    fine = checker.expr.whole(stmt.target, "what `prefetch` names")
    if stmt.bound is not None:
        fine = checker.expr.count(stmt.bound, "the bound of `prefetch`") and _enough(checker, stmt.bound) and fine
    if stmt.stride is not None:
        fine = checker.expr.whole(stmt.stride, "the stride of `prefetch`") and fine
    return _in_place(checker, stmt) and _form(checker, stmt) and fine


def check_default(checker: FolioChecker, stmt: ast.Default) -> bool:
    """Whether a `default` is in a handler that may have it. It reports an error if not."""
    if checker.event in ASKED:
        return True
    why = "only these say whether the kernel's own prefetching runs, too"
    checker.report.error(
        "E0301",
        stmt.span,
        f"`default` belongs in {_asked()}, not in {checker.here}",
        why=why,
        help="remove it, or move it into one of these",
    )
    return False


def check_range(checker: FolioChecker, stmt: ast.Drop | ast.Flush | ast.Leave) -> bool:
    """Whether a `drop`, a `flush`, or a `leave` of a file is in its handler, and names the range of that. It reports an
    error if not.
    """
    verb = "drop" if isinstance(stmt, ast.Drop) else "flush" if isinstance(stmt, ast.Flush) else "leave"
    range = stmt.folio if isinstance(stmt, ast.Leave) else stmt.range
    if not _belongs(checker, stmt, verb):
        return False
    symbol = checker.scope.find(range.text)
    if isinstance(symbol, RangeSym):
        symbol.used = True
        return True
    why = f"`{range.text}` is {symbol.kind}" if symbol is not None else f"there is no `{range.text}` here"
    ranges = checker.scope.locals_of(RangeSym)
    helps = f"write `{verb} {ranges[0]}`" if ranges else ""
    message = f"`{verb}` takes the range of {checker.here}"
    checker.report.error("E0323", range.span, message, label="not that range", why=why, help=helps)
    return False


def check_hold(checker: FolioChecker, stmt: ast.Hold) -> bool:
    """Whether a `keep p` is in `on swap`, names its pages, and has a quota. It reports errors."""
    if checker.event != "swap":
        why = "only there pages are about to go out to swap"
        helps = "write `keep`" if checker.scans else ""
        message = f"`keep {stmt.pages.text}` belongs in `on swap`, not in {checker.here}"
        checker.report.error("E0301", stmt.span, message, why=why, help=helps)
        return False
    symbol = checker.scope.find(stmt.pages.text)
    if isinstance(symbol, OutSym):
        symbol.used = True
        return has_quota(checker.typed.symbols, checker.report, stmt.span, KEEPS)
    why = f"`{stmt.pages.text}` is {symbol.kind}" if symbol is not None else f"there is no `{stmt.pages.text}` here"
    pages = checker.scope.locals_of(OutSym)
    helps = f"write `keep {pages[0]}`" if pages else ""
    message = "`keep` takes the pages of `on swap`"
    checker.report.error("E0323", stmt.pages.span, message, label="not those pages", why=why, help=helps)
    return False


def check_ahead(checker: FolioChecker, stmt: ast.Ahead) -> bool:
    """Whether a `readahead` is valid. It reports errors."""
    fine = checker.expr.count(stmt.pages, "the pages of `readahead`")
    return _belongs(checker, stmt, "readahead") and fine


def _belongs(checker: FolioChecker, stmt: ast.Drop | ast.Flush | ast.Leave | ast.Ahead, verb: str) -> bool:
    """Whether a statement about files is in a handler that may have it. It reports an error if not."""
    where = holding(verb)
    if checker.event in where:
        return True
    message = f"`{verb}` belongs in {_listed(where)}, not in {checker.here}"
    helps = "write `flush` in `on written`" if verb == "flush" and checker.event in ("opened", "read") else ""
    checker.report.error("E0301", stmt.span, message, why=WHY_RANGES[verb], help=helps)
    return False


def _in_place(checker: FolioChecker, stmt: ast.Prefetch) -> bool:
    """Whether a `prefetch` is in a handler that may have it. It reports an error if not."""
    if checker.event in ASKED:
        return True
    after = "in `on fault` nothing is read" if checker.event == "fault" else "only these are asked what to read"
    helps = "write it in `on prefetch`, which runs after `on fault`" if checker.event == "fault" else ""
    message = f"`prefetch` belongs in {_asked()}, not in {checker.here}"
    checker.report.error("E0301", stmt.span, message, why=after, help=helps)
    return False


def _form(checker: FolioChecker, stmt: ast.Prefetch) -> bool:
    """Whether a `prefetch` has the form that its handler takes. It reports an error if not."""
    report = checker.report
    text = " ".join(report.source.slice(stmt.target.span).split())
    if checker.event == "readahead" and stmt.space is not None:
        why = f"`{stmt.space.text}` is of swap; here the pages are those of the file"
        report.error(
            "E0322",
            stmt.space.span,
            "`on readahead` prefetches pages of the file",
            why=why,
            help=f"write `prefetch {text} up to 8`",
        )
        return False
    if checker.event == "prefetch" and stmt.space is None:
        why = "`on prefetch` reads swap, by the number of a slot or of a virtual page"
        helps = f"write `prefetch slot {text}` or `prefetch page {text}`"
        report.error("E0322", stmt.span, "this does not say what it prefetches", why=why, help=helps)
        return False
    if stmt.stride is not None and stmt.bound is None and stmt.space is None:
        helps = f"write `prefetch {text} up to 8 by {report.source.slice(stmt.stride.span)}`"
        report.error("E0322", stmt.stride.span, "a stride without a number of pages has no effect", help=helps)
        return False
    if checker.event == "prefetch" and (stmt.bound or stmt.stride) is not None:
        assert stmt.space is not None
        part = stmt.bound or stmt.stride
        assert part is not None
        why = "`up to` and `by` are of `on readahead`"
        helps = f"write `for k in 0..7 {{ prefetch {stmt.space.text} {text} + k }}`"
        report.error(
            "E0322", part.span, f"`prefetch {stmt.space.text}` names one {stmt.space.text}", why=why, help=helps
        )
        return False
    return True


def _enough(checker: FolioChecker, bound: ast.Expr) -> bool:
    """Whether a constant bound is within the limit of one call. It reports an error if not."""
    value = constant_value(checker.typed, bound)
    if value is None or not isinstance(bound, ast.IntLit) or value <= PREFETCH_TARGETS:
        return True
    why = f"one call prefetches at most {PREFETCH_TARGETS} pages"
    helps = f"write `up to {PREFETCH_TARGETS}`"
    checker.report.error("E0322", bound.span, f"{value} pages are too many", why=why, help=helps)
    return False


def _asked() -> str:
    return _listed(ASKED)


def _listed(events: tuple[str, ...]) -> str:
    return listing([f"on {event}" for event in events])


_EVICTING = (
    ast.ListDecl | ast.GhostDecl | ast.FolioDecl | ast.ScoreDecl | ast.PinDecl | ast.CacheDecl | ast.Every
)  # fmt: skip


def check_only(symbols: Symbols, report: Report) -> None:
    """Check that a policy that only prefetches declares nothing of what evicts."""
    for item in symbols.policy.items:
        if isinstance(item, _EVICTING):
            word = report.source.slice(item.span).split(None, 1)[0].rstrip("{")
            every = isinstance(item, ast.Every)
            why = "it has no folios and no ticks" if every else "it says nothing about what stays in the cache"
            helps = "compare `cache.time` in a handler with a `state` instead" if every else _instead(symbols)
            span = item.head if isinstance(item, ast.Every) else item.span
            report.error("E0321", span, f"a policy that only prefetches has no `{word}`", why=why, help=helps)
            return


def _instead(symbols: Symbols) -> str:
    prefetching = listing([f"on {event}" for event in PREFETCH_EVENTS if event in symbols.handlers])
    return f"remove it, or write `on added` and `on evict` beside {prefetching}"
