"""Checks `cache up to N`: how much the policy may cache."""

from __future__ import annotations

from cpol.compiler.check.divisor import check_divisors
from cpol.compiler.check.expr import ExprChecker
from cpol.compiler.check.interval import interval
from cpol.compiler.check.scope import Scope
from cpol.compiler.check.symbols import Symbols, Typed
from cpol.compiler.check.where import CACHE_QUOTA
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import paths
from cpol.compiler.types import FIX, U64

PAGES = {"pages": 1, "MiB": 256, "GiB": 262_144}
"""Pages in each unit of a quota of cached pages. A page has 4,096 bytes."""


def cache_quota(symbols: Symbols) -> ast.CacheDecl | None:
    """The declaration, if the policy has one."""
    return next((item for item in symbols.policy.items if isinstance(item, ast.CacheDecl)), None)


def unit_of(decl: ast.CacheDecl) -> int:
    """How many pages the number of a declaration counts at a time."""
    return 1 if decl.unit is None else PAGES[decl.unit.text]


def check_cache_quota(typed: Typed, scope: Scope, report: Report) -> None:
    """Check the quota of cached pages, if the policy has one."""
    first, *others = [item for item in typed.symbols.policy.items if isinstance(item, ast.CacheDecl)] or (None,)
    if first is None:
        return
    for decl in others:
        assert decl is not None
        report.error(
            "E0102",
            decl.head,
            "the quota of cached pages is declared twice",
            label="again here",
            help="remove one",
            others=(Label(first.head, "first declared here"),),
        )
    fine = ExprChecker(typed, scope, report, CACHE_QUOTA).count(first.quota, CACHE_QUOTA)
    if not _unit(typed, first, report) or not fine or not check_divisors(typed, first.quota, report):
        return
    if interval(typed, first.quota, U64)[1] == 0:
        helps = "write how many pages may be cached; `cpolc uncached` runs a command without the page cache"
        why = "a quota of 0 pages caches nothing"
        report.error("E0217", first.quota.span, why, label="this is 0", help=helps)


def _unit(typed: Typed, decl: ast.CacheDecl, report: Report) -> bool:
    """Whether the word behind the number is a unit that it can have. It reports an error if not."""
    if decl.unit is None or decl.unit.text == "pages":
        return True
    unit = decl.unit.text
    if unit not in PAGES:
        helps = suggest(unit, PAGES) or f"write {listing(PAGES, 'or')}"
        if unit == "percent":
            helps = "write `cache up to 0.25 * cache.capacity`"
        why = "a quota of cached pages is in pages or in bytes"
        report.error("E0115", decl.unit.span, f"there is no unit `{unit}` here", why=why, help=helps)
        return False
    text = report.source.slice(decl.quota.span)
    if typed.types.get(decl.quota) == FIX:
        why = f"a number of {unit} is whole"
        report.error("E0115", decl.quota.span, "this is a share of pages", why=why, help=f"write `cache up to {text}`")
        return False
    if any(path.text == "cache.capacity" for path in paths(decl.quota)):
        why = f"`cache.capacity` counts pages, and not {unit}"
        report.error("E0115", decl.quota.span, "these are pages", why=why, help=f"write `cache up to {text}`")
        return False
    return True
