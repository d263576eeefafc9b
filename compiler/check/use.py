"""Checks the policy as a whole: missing handlers, and warnings of unused declarations."""

from __future__ import annotations

from cpol.compiler.check.pin import warn_unused as warn_unused_quota
from cpol.compiler.check.prefetch import check_only, evicts, prefetches
from cpol.compiler.check.removal import removal
from cpol.compiler.check.symbols import FieldSym, GhostSym, ListSym, MemberSym, RecordSym, Symbol, Symbols
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.edit import Edit, Fix
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import statements


def check_complete(symbols: Symbols, report: Report) -> None:
    """Check that the policy has all required handlers and lists."""
    name = symbols.policy.name
    wrong_event = any(d.code == "E0105" for d in report.diagnostics)
    if prefetches(symbols) and not evicts(symbols):
        check_only(symbols, report)
        return
    lists = symbols.lists()
    target = lists[0].name if lists else "LIST"
    places = any(isinstance(s, ast.Place) for h in symbols.handlers.values() for s in statements(h.block.body))
    if not lists and (places or not _leaves(symbols)):
        report.error(
            "E0313",
            name.span,
            f"the policy `{name.text}` has no list",
            why="a policy keeps its folios on lists",
            help="write `list queue`",
        )
    needed = {
        "added": (
            "a policy places every folio that enters the cache",
            f"on added(f) {{ place f at tail of {target} }}",
        ),
        "evict": (
            "a policy proposes the folios to evict",
            f"on evict {{ scan {target} from head as f {{ evict f }} }}",
        ),
    }
    for event, (why, handler) in needed.items():
        if event not in symbols.handlers and not wrong_event:
            message = f"the policy `{name.text}` has no `on {event}`"
            fix = _added(symbols, event, handler, report) if len(lists) == 1 and lists[0].length is None else None
            helps = f"write `{handler}`"
            report.error("E0309", name.span, message, label="in this policy", why=why, help=helps, fix=fix)
    evict = symbols.handlers.get("evict")
    if (
        lists
        and places
        and evict is not None
        and not any(isinstance(s, ast.Evict | ast.EvictByScore) for s in statements(evict.block.body))
        and not any(d.span is not None and d.span in evict.block.span for d in report.diagnostics)
    ):
        report.error(
            "E0311",
            evict.head,
            "`on evict` never evicts anything",
            why="the kernel would choose each time instead",
            help=f"write `scan {target} from head as f {{ evict f }}`",
        )


def _added(symbols: Symbols, event: str, handler: str, report: Report) -> Fix | None:
    """Writes a handler behind the last one; if there is none, behind the last list."""
    source = report.source
    own = [item for item in symbols.policy.items if source.place(item.span)[0] is source]
    found = [item for kind in (ast.Handler, ast.ListDecl) for item in own[::-1] if isinstance(item, kind)]
    if not found:
        return None
    span = found[0].span
    line_end = source.text.find("\n", span.end)
    behind = source.text[span.end : line_end].strip()
    title = f"Write `on {event}`"
    if line_end < 0 or (behind and not behind.startswith("//")):
        return Fix(title, (Edit(Span(span.end, span.end), f" {handler}"),))
    line = source.text[source.text.rfind("\n", 0, span.start) + 1 : span.start]
    indent = line[: len(line) - len(line.lstrip())]
    return Fix(title, (Edit(Span(line_end, line_end), f"\n{indent}{handler}"),))


def leaves(body: tuple[ast.Stmt, ...]) -> bool:
    """Whether `body` leaves a folio to the kernel on some path."""
    return any(isinstance(stmt, ast.Leave) for stmt in statements(body))


def _leaves(symbols: Symbols) -> bool:
    added = symbols.handlers.get("added")
    return added is not None and leaves(added.block.body)


def warn(symbols: Symbols, report: Report) -> None:
    """Warn of declarations without use. The policy must be free of errors."""
    for symbol in symbols.names.values():
        fix = removal(symbols, symbol, report.source)
        if isinstance(symbol, ListSym):
            _warn_list(symbol, report, fix)
        elif isinstance(symbol, GhostSym):
            if isinstance(symbol, RecordSym):
                _warn_unused(symbol, report, fix)
            else:
                _warn_ghost(symbol, report, fix)
            for field in symbol.fields.values():
                _warn_unused(field, report, removal(symbols, field, report.source))
        elif not isinstance(symbol, MemberSym):
            _warn_unused(symbol, report, fix)
    for field in symbols.fields.values():
        _warn_unused(field, report, removal(symbols, field, report.source))
    warn_unused_quota(symbols, report)


def _warn_unused(symbol: Symbol, report: Report, fix: Fix | None) -> None:
    if symbol.used:
        return
    only = " is set, but never read" if symbol.written else " is never used"
    what = "field" if isinstance(symbol, FieldSym) else symbol.kind.partition(" ")[2]
    helps = f"remove this {what} and every assignment to it" if symbol.written else f"remove `{symbol.name}`"
    report.warning("W0401", symbol.span, f"`{symbol.name}`{only}", help=helps, fix=fix)


def _warn_list(symbol: ListSym, report: Report, fix: Fix | None) -> None:
    name = symbol.name
    if not symbol.used:
        report.warning("W0401", symbol.span, f"`{name}` is never used", help=f"remove `{name}`", fix=fix)
    elif not symbol.filled:
        report.warning(
            "W0403",
            symbol.span,
            f"no folio is ever put on `{name}`",
            why="no `place` or `move` puts one there",
            help=f"remove `{name}`, or `place` or `move` folios to it",
        )
    elif not symbol.drained:
        report.warning(
            "W0402",
            symbol.span,
            f"`on evict` never takes a folio off `{name}`",
            why="its folios stay until something else removes them, and the kernel has to choose what to evict",
            help=f"scan `{name}` in `on evict`, and `evict` or `move` its folios",
        )


def _warn_ghost(symbol: GhostSym, report: Report, fix: Fix | None) -> None:
    name = symbol.name
    if not symbol.used:
        report.warning("W0401", symbol.span, f"`{name}` is never used", help=f"remove `{name}`", fix=fix)
    elif not symbol.written:
        report.warning("W0405", symbol.span, f"nothing is ever added to `{name}`", help=f"write `{name}.add(f)`")
    elif not symbol.asked:
        helps = f"write `{name}.take(f)` or `{name}.has(f)`"
        report.warning("W0405", symbol.span, f"nothing ever asks `{name}`", help=helps)
