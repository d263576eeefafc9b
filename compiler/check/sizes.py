"""Checks sizes that attach evaluates (ghosts, tables, list arrays), and the periods of `every`."""

from __future__ import annotations

from math import prod

from cpol.compiler import arithmetic
from cpol.compiler.check.divisor import check_divisors
from cpol.compiler.check.expr import ExprChecker
from cpol.compiler.check.interval import constant_value, interval
from cpol.compiler.check.pin import KEEPS, PINS, check_quotas
from cpol.compiler.check.scope import Scope
from cpol.compiler.check.symbols import GhostSym, InputSym, ListSym, ParamSym, RecordSym, Symbol, TableSym, Typed
from cpol.compiler.check.where import ARRAY_SIZE, CAPACITY, KEEP_QUOTA, LENGTH, PERIOD, QUOTA, RECORD_COUNT, SIZE
from cpol.compiler.contract import MAX_TICK_MS
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.words import suggest
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.durations import OTHER_UNITS, in_ms
from cpol.compiler.syntax.walk import nodes
from cpol.compiler.types import MAX_LIST_ARRAY, MAX_RECORDS, MAX_TABLE, U64, UNIT_MS
from cpol.compiler.vocabulary.function import COMPUTED

BELOW_MS = ("us", "usec", "microseconds", "ns", "nsec", "nanoseconds")


def check_sizes(typed: Typed, scope: Scope, report: Report, symbol: Symbol) -> None:
    """Check the sizes in the declaration of `symbol`, if it has any."""
    if isinstance(symbol, RecordSym):
        _check_records(typed, scope, report, symbol)
    elif isinstance(symbol, GhostSym) and symbol.capacity is not None:
        _range(typed, scope, report, symbol.capacity, CAPACITY)
    elif isinstance(symbol, ListSym) and symbol.length is not None:
        _check_length(typed, scope, report, symbol, symbol.length)
    elif isinstance(symbol, InputSym) and symbol.decl is not None and symbol.array and symbol.decl.sizes:
        _check_array(typed, scope, report, symbol, symbol.decl.sizes[0])
    elif isinstance(symbol, TableSym) and symbol.decl is not None:
        found = [_range(typed, scope, report, size, SIZE) for size in symbol.decl.sizes]
        if found and found[0] is not None:
            low, high = found[0]
            symbol.range = max(1, low), max(1, min(high, MAX_TABLE))
        least = prod(max(1, range[0]) for range in found if range is not None)
        if least > MAX_TABLE:
            sizes = symbol.decl.sizes
            report.error(
                "E0217",
                sizes[0].span.to(sizes[-1].span),
                f"the table `{symbol.name}` is too large",
                label=f"at least {least} elements",
                why=f"a table has at most {MAX_TABLE} elements",
                help="make it smaller: an index that is too large reads the last element",
            )


def check_quotas_of_pages(typed: Typed, scope: Scope, report: Report) -> None:
    """Check the quotas of pinned and of kept pages, as far as the policy has them."""
    for kind, where in ((PINS, QUOTA), (KEEPS, KEEP_QUOTA)):
        decl = check_quotas(typed.symbols, report, kind)
        found = None if decl is None else _range(typed, scope, report, decl.quota, where)
        if decl is not None and found is not None and found[1] == 0:
            helps = f"write how many pages may be {kind.what.removesuffix(' pages')}, or remove the quota"
            report.error("E0217", decl.quota.span, kind.empty, label="this is 0", help=helps)


def _check_array(typed: Typed, scope: Scope, report: Report, symbol: InputSym, size: ast.Expr) -> None:
    found = _range(typed, scope, report, size, ARRAY_SIZE)
    if found is None:
        return
    low, high = found
    symbol.range = max(1, low), max(1, min(high, MAX_TABLE))
    if low > MAX_TABLE:
        report.error(
            "E0217",
            size.span,
            f"the array `{symbol.name}` is too large",
            label=f"at least {low} entries",
            why=f"an array has at most {MAX_TABLE} entries",
            help="make it smaller: an entry beyond the end reads as 0",
        )


def _check_records(typed: Typed, scope: Scope, report: Report, symbol: RecordSym) -> None:
    assert symbol.capacity is not None
    found = _range(typed, scope, report, symbol.capacity, RECORD_COUNT)
    if found is not None and (found[0] > MAX_RECORDS or found[1] == 0):
        report.error(
            "E0217",
            symbol.capacity.span,
            f"there are 1 to {MAX_RECORDS} records of {symbol.name}s",
            label="this is more" if found[1] else "this is 0",
            why="the kernel makes room for all of them at attach",
            help=f"write a number from 1 to {MAX_RECORDS}, or `min(…, {MAX_RECORDS})`",
        )


def _check_length(typed: Typed, scope: Scope, report: Report, symbol: ListSym, length: ast.Expr) -> None:
    found = _range(typed, scope, report, length, LENGTH)
    if found is None:
        return
    if found[0] >= 1 and found[1] <= MAX_LIST_ARRAY:
        earlier = sum(other.least for other in scope.symbols.names.values() if isinstance(other, ListSym))
        symbol.least = found[0]
        if earlier + symbol.least > MAX_LIST_ARRAY:
            report.error(
                "E0217",
                length.span,
                f"all arrays together have at most {MAX_LIST_ARRAY} lists",
                label=f"at least {symbol.least}, beside the {earlier} of the arrays above",
                why="the kernel creates them all at attach",
                help="make the arrays shorter",
            )
        return
    text = report.source.slice(length.span)
    low, high = found
    known = f"this is {low}" if low == high else f"this is {low} to {high}"
    report.error(
        "E0217",
        length.span,
        f"an array has 1 to {MAX_LIST_ARRAY} lists",
        label=known,
        why="the kernel creates them all at attach",
        help="give the param a range within these limits"
        if isinstance(length, ast.Path) and isinstance(typed.refs.get(length), ParamSym)
        else f"write `min(max({text}, 1), {MAX_LIST_ARRAY})`"
        if low != high and len(text) <= 40
        else "",
    )


def check_period(typed: Typed, scope: Scope, report: Report, every: ast.Every) -> None:
    """Check the period and the unit of `every`."""
    unit = every.unit.text
    if unit not in ("events", "ms"):
        report.error(
            "E0115",
            every.unit.span,
            f"`every` counts events or milliseconds, not `{unit}`",
            help=_known_unit(every) or suggest(unit, ("events", "ms")) or "write `events` or `ms`",
        )
        if isinstance(every.period, ast.FixLit):  # it is said what to write
            return
    found = _range(typed, scope, report, every.period, PERIOD)
    if found is None:
        return
    low, high = found
    if low != high and unit == "ms" and not _is_param(typed, every.period):
        report.error(
            "E0211",
            every.period.span,
            "a period of time is a constant or a param",
            why="only a number of events is computed, from params and `cache.capacity`",
            help="declare a param for this value",
        )
    elif low < 1 and not reads_capacity(every.period):
        report.error(
            "E0217",
            every.period.span,
            "a period may be 0",
            label=f"this is {low} to {high}" if low != high else "this is 0",
            why="the block would run all the time",
            help="start the range of the param at 1" if low != high else "write 1 or more",
        )
    elif unit == "ms" and high > MAX_TICK_MS:
        report.error(
            "E0217",
            every.period.span,
            f"a period is at most {MAX_TICK_MS} ms, an hour",
            label=f"this may be {high}",
            help="write a shorter period, and count in a `state`",
        )


def reads_capacity(period: ast.Expr) -> bool:
    """Whether a period depends on the capacity. One of 0 counts as 1 then."""
    return any(isinstance(node, ast.Path) and node.text == "cache.capacity" for node in nodes(period))


def _known_unit(every: ast.Every) -> str:
    """What to write instead of a period in another unit of time; empty if there is no suggestion."""
    unit = every.unit.text.lower()
    if unit in BELOW_MS:
        return "write `ms`: the shortest period of time is 1 ms"
    unit = OTHER_UNITS.get(unit, unit)
    if unit not in UNIT_MS or unit == "ms":
        return ""
    if isinstance(every.period, ast.IntLit):
        return f"write `every {every.period.value} {unit}`"
    if isinstance(every.period, ast.FixLit):
        return f"a time is a whole number: write `every {in_ms(every.period.text, unit)} ms`"
    return f"write the period in `ms`: 1 {unit} is {UNIT_MS[unit]} ms"


def _is_param(typed: Typed, period: ast.Expr) -> bool:
    """Whether `period` is a param, also one converted to a whole number."""
    if isinstance(period, ast.Call) and period.callee.text in ("floor", "ceil", "unsigned"):
        period = period.args[0]
    return isinstance(period, ast.Path) and isinstance(typed.refs.get(period), ParamSym)


def _computable(typed: Typed, expr: ast.Expr, report: Report, what: str) -> bool:
    """Whether the loader can compute `expr`: a choice, `log2`, `exp2` or an operation on bits has to be constant.

    It reports an error if not.
    """
    for node in nodes(expr):
        choice = isinstance(node, ast.IfElse)
        bits = node.op if isinstance(node, ast.Binary | ast.Unary) and node.op in (*arithmetic.BITS, "~") else ""
        function = node.callee.text if isinstance(node, ast.Call) else ""
        if (choice or bits or function in COMPUTED) and constant_value(typed, node) is None:
            report.error(
                "E0211",
                node.span,
                f"{what} cannot use `{'if … then … else' if choice else bits or function}`",
                label="this is not constant",
                why="the loader computes it, by arithmetic, `min`, `max`, `floor`, `ceil`, `signed` and `unsigned`",
                help="use `min`, `max` and arithmetic, or compute a `const` first",
            )
            return False
    return True


def _range(typed: Typed, scope: Scope, report: Report, expr: ast.Expr, what: str) -> tuple[int, int] | None:
    """Check `expr`, a count that attach evaluates. Returns its range, or None after an error."""
    fine = ExprChecker(typed, scope, report, what).count(expr, what)
    if not fine or not check_divisors(typed, expr, report) or not _computable(typed, expr, report, what):
        return None
    return interval(typed, expr, U64)
