"""Computes the values of declarations at compile time."""

from __future__ import annotations

from cpol.compiler.check.divisor import check_divisors
from cpol.compiler.check.expr import ExprChecker
from cpol.compiler.check.interval import folded
from cpol.compiler.check.scope import Scope
from cpol.compiler.check.symbols import ConstSym, FieldSym, GhostSym, InputSym, ParamSym, StateSym, TableSym, Typed
from cpol.compiler.check.where import CONSTANT
from cpol.compiler.contract import MAX_RECORD
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.diagnostics.words import suggest
from cpol.compiler.syntax import ast
from cpol.compiler.types import U64, BoolType, EnumType, Type, raw_range, widened


def fill(typed: Typed, report: Report) -> None:
    """Compute the values of all declarations. `typed` must have their names."""
    filler = _Filler(typed, report)
    for item in typed.policy.items:
        filler.fill(item)
    for number, symbol in enumerate(typed.symbols.lists(), 1):
        symbol.number = number


class _Filler:
    def __init__(self, typed: Typed, report: Report) -> None:
        self.typed = typed
        self.symbols = typed.symbols
        self.report = report
        self.expr = ExprChecker(typed, Scope(self.symbols, report), report, CONSTANT)

    def fill(self, item: ast.Item) -> None:
        if isinstance(item, ast.ConstDecl):
            symbol = self.typed.refs[item.name]
            assert isinstance(symbol, ConstSym)
            symbol.value = self._value(item.value, symbol.type, f"`{item.name.text}`")
            if symbol.value is None:
                symbol.type = None
        elif isinstance(item, ast.ParamDecl):
            self._param(item)
        elif isinstance(item, ast.StateDecl):
            self._init(item.name, item.init)
        elif isinstance(item, ast.FolioDecl):
            for field in item.fields:
                self._init(field.name, field.init)
                self._length(field)
        elif isinstance(item, ast.GhostDecl):
            self._ghost(item)
            for record in item.records:
                for field in record.fields:
                    self._init(field.name, field.init)
        elif isinstance(item, ast.RecordDecl):
            for field in item.fields:
                self._init(field.name, field.init)
        elif isinstance(item, ast.TableDecl):
            self._init(item.name, item.init)
        elif isinstance(item, ast.InputDecl) and item.default is not None:
            input = self.typed.refs[item.name]
            assert isinstance(input, InputSym)
            input.default = self._value(item.default, input.type, f"`{item.name.text}`") or 0

    def _init(self, name: ast.Name, init: ast.Expr) -> None:
        symbol = self.typed.refs[name]
        assert isinstance(symbol, StateSym | FieldSym | TableSym)
        symbol.init = self._value(init, symbol.type, f"`{name.text}`") or 0

    def _length(self, field: ast.FieldDecl) -> None:
        """Compute the length of an array in the record of a folio."""
        symbol = self.typed.refs[field.name]
        assert isinstance(symbol, FieldSym)
        if len(field.length) > 1:
            why = "a table has two dimensions; an array in a record has one"
            self.report.error(
                "E0216",
                field.length[1].span,
                f"the field `{field.name.text}` has two sizes",
                why=why,
                help="write one size, or several arrays",
            )
        elif field.length:
            length = self._value(field.length[0], U64, "the length of an array")
            if length is not None and not 1 <= length <= MAX_RECORD:
                why = f"an array has 1 to {MAX_RECORD} elements: a record has {MAX_RECORD} bytes"
                helps = (
                    ""
                    if length < 1
                    else f"write `table NAME: {field.type.text}[{length}] = VALUE` for what is not of one folio"
                )
                self.report.error("E0217", field.length[0].span, f"an array of {length} elements", why=why, help=helps)
            symbol.length = min(max(length or 1, 1), MAX_RECORD)

    def _value(self, expr: ast.Expr, type: Type | None, what: str) -> int | None:
        """The raw value of a constant expression, which must fit `type`. None after an error."""
        if type is None:
            self.expr.check(expr)
            return None
        if not self.expr.store(expr, type, what) or not check_divisors(self.typed, expr, self.report):
            return None
        return folded(self.typed, expr, widened(type))

    def _param(self, decl: ast.ParamDecl) -> None:
        symbol = self.typed.refs[decl.name]
        assert isinstance(symbol, ParamSym)
        what = f"`{decl.name.text}`"
        default = self._value(decl.default, symbol.type, what)
        if decl.low is None or decl.high is None:
            if isinstance(symbol.type, BoolType | EnumType):
                symbol.default, (symbol.low, symbol.high) = default or 0, raw_range(symbol.type)
            elif symbol.type is not None:
                self.report.error(
                    "E0207",
                    decl.span,
                    f"the param {what} has no range",
                    why="users set it at attach, and the compiler must know which values it can have",
                    help=f"write `{self._text(decl)} in LOWEST..HIGHEST`",
                )
            return
        low = self._value(decl.low, symbol.type, "the lower end")
        high = self._value(decl.high, symbol.type, "the upper end")
        if default is None or low is None or high is None:
            symbol.type = None
            return
        symbol.default, symbol.low, symbol.high = default, low, high
        if low > high:
            span, start = decl.low.span.to(decl.high.span), "its start is above its end"
            helps = f"write `{self.report.source.slice(decl.high.span)}..{self.report.source.slice(decl.low.span)}`"
            self.report.error("E0206", span, "this range is empty", label=start, help=helps)
        elif not low <= default <= high:
            bounds = self.report.source.slice(decl.low.span.to(decl.high.span))
            self.report.error(
                "E0205",
                decl.default.span,
                f"the default of {what} is outside its range",
                label="this default",
                others=(Label(decl.low.span.to(decl.high.span), f"is not in {bounds}"),),
                help=f"choose a default in {bounds}, or another range",
            )

    def _text(self, decl: ast.ParamDecl) -> str:
        """The source of the declaration up to its default value, on one line."""
        text = self.report.source.slice(Span(decl.span.start, decl.default.span.end))
        return " ".join(text.split())

    def _ghost(self, decl: ast.GhostDecl) -> None:
        symbol = self.typed.refs[decl.name]
        assert isinstance(symbol, GhostSym)
        for name, value in decl.settings:
            if name.text != "capacity":
                self.report.error(
                    "E0111",
                    name.span,
                    f"a ghost has no setting `{name.text}`",
                    why="it has `capacity`, and `folio { … }`",
                    help=suggest(name.text, ["capacity"]),
                )
            elif symbol.capacity is not None:
                self.report.error("E0102", name.span, "`capacity` is set twice", help="remove one of them")
            else:
                symbol.capacity = value
        for record in decl.records[1:]:
            self.report.error("E0102", record.span, "a ghost has one record", help="put all fields into the first")
        if symbol.capacity is None and all(name.text == "capacity" for name, _ in decl.settings):
            self.report.error(
                "E0111",
                decl.span,
                f"the ghost `{decl.name.text}` has no capacity",
                help=f"write `ghost {decl.name.text} {{ capacity: cache.capacity }}`",
            )
