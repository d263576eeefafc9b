"""Declarations: what each name is, and the values that are known when the policy is compiled."""

from __future__ import annotations

from cpol.compiler import ast, ir
from cpol.compiler.check_divisor import check_divisors
from cpol.compiler.check_expr import ExprChecker
from cpol.compiler.check_path import CONSTANT
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.evaluate import evaluate
from cpol.compiler.lower_expr import lower_expr
from cpol.compiler.names import Scope, check_free, suggest
from cpol.compiler.symbols import (
    FOLIO_ATTRIBUTES,
    ConstSym,
    FieldSym,
    GhostSym,
    ListSym,
    ParamSym,
    ScoreSym,
    StateSym,
    Symbol,
    Symbols,
    Typed,
    parse_type,
    raw_range,
    widened,
)
from cpol.compiler.types import article

TYPES = ("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "bool", "fix")


def declare(policy: ast.Policy, report: Report) -> Typed:
    """A typed AST of `policy` in which every declaration is known, and no body has been looked at."""
    typed = Typed(Symbols(policy))
    _Declarer(typed, report).run()
    return typed


class _Declarer:
    def __init__(self, typed: Typed, report: Report) -> None:
        self.typed = typed
        self.symbols = typed.symbols
        self.report = report
        self.lists = 0
        self.expr = ExprChecker(typed, Scope(self.symbols, report), report, CONSTANT)

    def run(self) -> None:
        items = self.symbols.policy.items
        for item in items:  # all names first, so that values can tell a later name from an unknown one
            self._declare(item)
        for item in items:
            self._fill(item)

    # Names

    def _declare(self, item: ast.Item) -> None:
        if isinstance(item, ast.ConstDecl):
            self._add(item.name, ConstSym(item.name.text, item.name.span, self._type(item.type)))
        elif isinstance(item, ast.ParamDecl):
            self._add(item.name, ParamSym(item.name.text, item.name.span, self._type(item.type), doc=item.doc))
        elif isinstance(item, ast.StateDecl):
            self._add(item.name, StateSym(item.name.text, item.name.span, self._type(item.type)))
        elif isinstance(item, ast.ListDecl):
            for name in item.names:
                self._list(name)
        elif isinstance(item, ast.GhostDecl):
            self._add(item.name, GhostSym(item.name.text, item.name.span, item))
        elif isinstance(item, ast.ScoreDecl):
            self._add(item.name, ScoreSym(item.name.text, item.name.span, item))
        elif isinstance(item, ast.FolioDecl):
            for field in item.fields:
                self._field(field)

    def _add(self, name: ast.Name, symbol: Symbol) -> None:
        names = self.symbols.names
        if check_free(self.report, name, names.get(name.text)):
            names[name.text] = symbol
        self.typed.refs[name] = symbol

    def _list(self, name: ast.Name) -> None:
        self.lists += 1
        if self.lists == ir.MAX_LISTS + 1:
            self.report.error("E0305", name.span, f"a policy has at most {ir.MAX_LISTS} lists", label="one too many")
        self._add(name, ListSym(name.text, name.span, self.lists))

    def _field(self, field: ast.FieldDecl) -> None:
        name = field.name
        fields = self.symbols.fields
        symbol = FieldSym(name.text, name.span, self._type(field.type))
        self.typed.refs[name] = symbol
        if name.text in FOLIO_ATTRIBUTES:
            why = "every folio has `list`, `pages`, `index` and `file`"
            self.report.error("E0103", name.span, f"`{name.text}` is built into every folio", why=why)
        elif name.text in fields:
            first = Label(fields[name.text].span, "first declared here")
            self.report.error(
                "E0102", name.span, f"the field `{name.text}` is declared twice", label="again here", others=(first,)
            )
        else:
            fields[name.text] = symbol

    def _type(self, name: ast.Name) -> ir.Type | None:
        type = parse_type(name.text)
        if type is None:
            text = name.text
            short = text[:1] == "s" and text[1:].isdecimal() and 0 < int(text[1:3]) < 8
            self.report.error(
                "E0104",
                name.span,
                f"there is no type `{text}`",
                why="the types are `u1` to `u64`, `s8` to `s64`, `bool` and `fix`",
                help="write `s8`" if short else suggest(text, TYPES),
            )
        return type

    # Values

    def _fill(self, item: ast.Item) -> None:
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
        elif isinstance(item, ast.GhostDecl):
            self._ghost(item)

    def _init(self, name: ast.Name, init: ast.Expr) -> None:
        symbol = self.typed.refs[name]
        assert isinstance(symbol, StateSym | FieldSym)
        symbol.init = self._value(init, symbol.type, f"`{name.text}`") or 0

    def _value(self, expr: ast.Expr, type: ir.Type | None, what: str) -> int | None:
        """The raw value of a constant expression, which must fit `type`. None after an error."""
        want = None if type is None else widened(type)
        before = self.report.errors
        if self.expr.check(expr, want, what) is None or type is None or self.report.errors > before:
            return None
        if not check_divisors(self.typed, expr, self.report):
            return None
        value = evaluate(lower_expr(self.typed, expr, want))
        low, high = raw_range(type)
        if low <= value <= high:
            return value
        self.report.error(
            "E0204",
            expr.span,
            f"{value} does not fit {article(type)}",
            label=f"`{type}` holds {low} to {high}",
            help=f"write a wider type than `{type}`",
        )
        return None

    def _param(self, decl: ast.ParamDecl) -> None:
        symbol = self.typed.refs[decl.name]
        assert isinstance(symbol, ParamSym)
        what = f"`{decl.name.text}`"
        default = self._value(decl.default, symbol.type, what)
        if decl.low is None or decl.high is None:
            if isinstance(symbol.type, ir.BoolType):
                symbol.default, symbol.low, symbol.high = default or 0, 0, 1
            elif symbol.type is not None:
                self.report.error(
                    "E0207",
                    decl.span,
                    f"the param {what} has no range",
                    why="whoever attaches the policy may set it, and the compiler has to know to what",
                    help=f"write `{self.report.source.slice(decl.span)} in LOWEST..HIGHEST`",
                )
            return
        low = self._value(decl.low, symbol.type, "the lower end")
        high = self._value(decl.high, symbol.type, "the upper end")
        if default is None or low is None or high is None:
            return
        symbol.default, symbol.low, symbol.high = default, low, high
        if low > high:
            self.report.error(
                "E0206", decl.low.span.to(decl.high.span), "this range is empty", label="its start is above its end"
            )
        elif not low <= default <= high:
            bounds = self.report.source.slice(decl.low.span.to(decl.high.span))
            self.report.error(
                "E0205",
                decl.default.span,
                f"the default of {what} is outside its range",
                label="this default",
                others=(Label(decl.low.span.to(decl.high.span), f"is not in {bounds}"),),
            )

    def _ghost(self, decl: ast.GhostDecl) -> None:
        symbol = self.typed.refs[decl.name]
        assert isinstance(symbol, GhostSym)
        for name, value in decl.settings:
            if name.text != "capacity":
                self.report.error(
                    "E0111",
                    name.span,
                    f"a ghost has no setting `{name.text}`",
                    why="it has `capacity`",
                    help=suggest(name.text, ["capacity"]),
                )
            elif symbol.capacity is not None:
                self.report.error("E0102", name.span, "`capacity` is set twice", help="remove one of them")
            else:
                symbol.capacity = value
        if symbol.capacity is None and all(name.text == "capacity" for name, _ in decl.settings):
            self.report.error(
                "E0111",
                decl.span,
                f"the ghost `{decl.name.text}` has no capacity",
                help=f"write `ghost {decl.name.text} {{ capacity: cache.capacity }}`",
            )
