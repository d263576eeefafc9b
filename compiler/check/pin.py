"""Checks the quotas of a policy: of pinned pages, and of pages that it keeps from swap in a second."""

from __future__ import annotations

from dataclasses import dataclass

from cpol.compiler.check.symbols import Symbols
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import statements


@dataclass(frozen=True)
class Kind:
    """A kind of quota, and what uses it."""

    declaration: type[ast.PinDecl | ast.KeepDecl]
    statement: type[ast.Pin | ast.Hold]
    what: str
    """What it counts."""
    example: str
    code: str
    why: str
    use: str
    unused: str
    empty: str


PINS = Kind(
    ast.PinDecl,
    ast.Pin,
    "pinned pages",
    "pin up to 0.25 * cache.capacity",
    "E0326",
    "it says once how much it keeps in the cache at most",
    "pin f` in a handler",
    "nothing is pinned",
    "a quota of 0 pages pins nothing",
)
KEEPS = Kind(
    ast.KeepDecl,
    ast.Hold,
    "kept pages",
    "keep up to 4096",
    "E0327",
    "it says once how many pages it keeps from swap in a second at most",
    "keep p` in `on swap`",
    "nothing is kept",
    "a quota of 0 pages keeps nothing",
)


def quotas(symbols: Symbols, kind: Kind = PINS) -> list[ast.PinDecl | ast.KeepDecl]:
    """The declarations of `kind` of the policy."""
    return [item for item in symbols.policy.items if isinstance(item, kind.declaration)]


def has_quota(symbols: Symbols, report: Report, span: Span, kind: Kind = PINS) -> bool:
    """Whether the policy declares a quota of `kind`. It reports an error at `span` if not."""
    if quotas(symbols, kind):
        return True
    report.error(
        kind.code, span, f"the policy has no quota of {kind.what}", why=kind.why, help=f"declare it: `{kind.example}`"
    )
    return False


def check_quotas(symbols: Symbols, report: Report, kind: Kind = PINS) -> ast.PinDecl | ast.KeepDecl | None:
    """The only quota of `kind`, if there is one. It reports errors in its form."""
    first, *others = quotas(symbols, kind) or (None,)
    for decl in others:
        assert decl is not None and first is not None
        report.error(
            "E0102",
            decl.head,
            f"the quota of {kind.what} is declared twice",
            label="again here",
            help="remove one",
            others=(Label(first.head, "first declared here"),),
        )
    if first is not None and first.unit is not None and first.unit.text != "pages":
        why = "a quota counts pages"
        helps = "write `pages`, or nothing" if first.unit.text != "percent" else f"write `{kind.example}`"
        report.error("E0115", first.unit.span, f"there is no unit `{first.unit.text}` here", why=why, help=helps)
        return None
    return first


def warn_unused(symbols: Symbols, report: Report) -> None:
    """Warn of quotas that no statement uses."""
    bodies = [*(h.block.body for h in symbols.handlers.values()), *(each.block.body for each in symbols.everies)]
    for kind in (PINS, KEEPS):
        for decl in quotas(symbols, kind):
            if not any(isinstance(stmt, kind.statement) for body in bodies for stmt in statements(body)):
                helps = f"write `{kind.use}, or remove the quota"
                report.warning("W0401", decl.head, f"this quota is never used: {kind.unused}", help=helps)
