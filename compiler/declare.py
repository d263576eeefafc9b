"""Declarations: what each name is, and the values that are known when the policy is compiled."""

from __future__ import annotations

from typing import TypeAlias

from cpol.compiler import ast, ir
from cpol.compiler.check_divisor import check_divisors
from cpol.compiler.check_expr import ExprChecker
from cpol.compiler.check_ghost import METHODS
from cpol.compiler.check_path import CONSTANT
from cpol.compiler.declare_words import declare_input, param_notes
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.evaluate import evaluate
from cpol.compiler.lower_expr import lower_expr
from cpol.compiler.names import Scope, check_free, listing, suggest
from cpol.compiler.source import Span
from cpol.compiler.symbols import (
    FOLIO_ATTRIBUTES,
    ConstSym,
    EnumSym,
    FieldSym,
    FnSym,
    GhostSym,
    InputSym,
    ListSym,
    MemberSym,
    ParamSym,
    ScoreSym,
    StateSym,
    Symbol,
    Symbols,
    TableSym,
    Typed,
    parse_type,
    raw_range,
    widened,
)
from cpol.compiler.types import article

Named: TypeAlias = (
    ast.ConstDecl | ast.ParamDecl | ast.StateDecl | ast.TableDecl | ast.InputDecl | ast.ScoreDecl
)  # fmt: skip

MAX_MEMBERS = 256
"""Of an enum."""

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
        for item in items:  # types first, which everything else may name
            if isinstance(item, ast.EnumDecl):
                members = tuple(member.text for member in item.members)
                symbol = EnumSym(item.name.text, item.name.span, ir.EnumType(item.name.text, members))
                self.symbols.enums.setdefault(item.name.text, symbol)
                self.typed.refs[item.name] = symbol
        for item in items:  # then all names, so that values can tell a later name from an unknown one
            self._declare(item)
        for item in items:
            self._fill(item)

    # Names

    def _declare(self, item: ast.Item) -> None:
        if isinstance(item, ast.ListDecl):
            for part in item.lists:
                self._list(part)
        elif isinstance(item, ast.FolioDecl):
            for field in item.fields:
                self._field(field)
        elif isinstance(item, ast.GhostDecl):
            ghost = GhostSym(item.name.text, item.name.span, item)
            self._add(item.name, ghost)
            for record in item.records:
                for field in record.fields:
                    self._ghost_field(ghost, field)
        elif isinstance(item, ast.EnumDecl):
            self._enum(item)
        elif isinstance(item, ast.FnDecl):
            self._fn(item)
        elif isinstance(
            item, ast.ConstDecl | ast.ParamDecl | ast.StateDecl | ast.TableDecl | ast.InputDecl | ast.ScoreDecl
        ):
            self._add(item.name, self._value_symbol(item))

    def _value_symbol(self, item: Named) -> Symbol:
        text, span = item.name.text, item.name.span
        if isinstance(item, ast.ScoreDecl):
            return ScoreSym(text, span, item)
        if isinstance(item, ast.InputDecl):
            return declare_input(item, self.report)
        type = self._type(item.type)
        if isinstance(item, ast.ConstDecl):
            return ConstSym(text, span, type)
        if isinstance(item, ast.ParamDecl):
            unit, live = param_notes(item, self.report)
            return ParamSym(text, span, type, doc=item.doc, unit=unit, live=live)
        if isinstance(item, ast.TableDecl):
            if len(item.sizes) > 2:
                extra = item.sizes[2].span.to(item.sizes[-1].span)
                why = "a table has one or two dimensions"
                self.report.error("E0216", extra, f"the table `{text}` has {len(item.sizes)} sizes", why=why)
            return TableSym(text, span, item, type)
        return StateSym(text, span, type)

    def _add(self, name: ast.Name, symbol: Symbol) -> None:
        names = self.symbols.names
        if check_free(self.report, name, names.get(name.text)):
            names[name.text] = symbol
        self.typed.refs[name] = symbol

    def _enum(self, decl: ast.EnumDecl) -> None:
        name = decl.name
        members = decl.members
        symbol = self.typed.refs[name]
        assert isinstance(symbol, EnumSym)
        if name.text == ir.REASON.name:
            self.report.error(
                "E0103", name.span, f"`{name.text}` is built into the language", help="choose another name"
            )
        if not 2 <= len(members) <= MAX_MEMBERS:
            self.report.error(
                "E0221",
                name.span,
                f"the enum `{name.text}` has {'one member' if len(members) == 1 else f'{len(members)} members'}",
                why=f"an enum has 2 to {MAX_MEMBERS}",
                help=f"write `enum {name.text} {{ cold, hot }}`" if not members else "",
            )
        self._add(name, symbol)
        for number, member in enumerate(decl.members):
            self._add(member, MemberSym(member.text, member.span, symbol, number))

    def _fn(self, decl: ast.FnDecl) -> None:
        params = tuple(self._type(param.type) if param.type is not None else None for param in decl.params)
        type = self._type(decl.type)
        broken = any(p is None and param.type is not None for p, param in zip(params, decl.params, strict=True))
        known = None if broken else type
        self._add(decl.name, FnSym(decl.name.text, decl.name.span, decl, known, params))

    def _list(self, decl: ast.ListName) -> None:
        name = decl.name
        if decl.length is not None:
            first = next((s for s in self.symbols.lists() if s.length is not None), None)
            if first is not None:
                self.report.error(
                    "E0305",
                    decl.span,
                    "a policy has at most one array of lists",
                    label="a second one",
                    help="make one array of both, and add to the index",
                    others=(Label(first.span, "the first"),),
                )
        else:
            self.lists += 1
        if self.lists == ir.MAX_LISTS + 1 and decl.length is None:
            self.report.error(
                "E0305",
                name.span,
                f"a policy has at most {ir.MAX_LISTS} lists",
                label="one too many",
                help="an array, `list NAME[N]`, may have more",
            )
        self._add(name, ListSym(name.text, name.span, length=decl.length))

    def _ghost_field(self, ghost: GhostSym, field: ast.FieldDecl) -> None:
        name = field.name
        symbol = FieldSym(name.text, name.span, self._type(field.type))
        self.typed.refs[name] = symbol
        if name.text in METHODS:
            why = f"a ghost has {listing(METHODS)}"
            self.report.error("E0103", name.span, f"`{name.text}` is built into every ghost", why=why)
        elif name.text in ghost.fields:
            first = Label(ghost.fields[name.text].span, "first declared here")
            self.report.error(
                "E0102", name.span, f"the field `{name.text}` is declared twice", label="again here", others=(first,)
            )
        else:
            ghost.fields[name.text] = symbol

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
        enum = self.symbols.enums.get(name.text)
        if enum is not None:
            enum.used = True
            return enum.type
        type = parse_type(name.text)
        if type is None:
            text = name.text
            short = text[:1] == "s" and text[1:].isdecimal() and 0 < int(text[1:3]) < 8
            enums = list(self.symbols.enums)
            mine = f", and here {listing(enums)}" if enums else ""
            self.report.error(
                "E0104",
                name.span,
                f"there is no type `{text}`",
                why=f"the types are `u1` to `u64`, `s8` to `s64`, `bool` and `fix`{mine}",
                help="write `s8`" if short else suggest(text, (*TYPES, *enums)),
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
            for record in item.records:
                for field in record.fields:
                    self._init(field.name, field.init)
        elif isinstance(item, ast.TableDecl):
            self._init(item.name, item.init)
        elif isinstance(item, ast.InputDecl) and item.default is not None:
            input = self.typed.refs[item.name]
            assert isinstance(input, InputSym)
            input.default = self._value(item.default, input.type, f"`{item.name.text}`") or 0
        elif isinstance(item, ast.ListDecl):
            for number, symbol in enumerate(self.symbols.lists(), 1):
                symbol.number = number

    def _init(self, name: ast.Name, init: ast.Expr) -> None:
        symbol = self.typed.refs[name]
        assert isinstance(symbol, StateSym | FieldSym | TableSym)
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
            if isinstance(symbol.type, ir.BoolType | ir.EnumType):
                symbol.default, (symbol.low, symbol.high) = default or 0, raw_range(symbol.type)
            elif symbol.type is not None:
                self.report.error(
                    "E0207",
                    decl.span,
                    f"the param {what} has no range",
                    why="whoever attaches the policy may set it, and the compiler has to know to what",
                    help=f"write `{self._text(decl)} in LOWEST..HIGHEST`",
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

    def _text(self, decl: ast.ParamDecl) -> str:
        """What was written, without the words after the value."""
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
