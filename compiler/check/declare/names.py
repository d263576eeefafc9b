"""Declares the names of a policy. values.py then computes their values."""

from __future__ import annotations

from typing import TypeAlias

from cpol.compiler.check.declare.values import fill
from cpol.compiler.check.declare.words import declare_input, param_notes
from cpol.compiler.check.ghost import METHODS
from cpol.compiler.check.record import WITH_ARTICLE
from cpol.compiler.check.scope import check_free, type_named
from cpol.compiler.check.symbols import (
    ActionSym,
    ConstSym,
    EnumSym,
    FieldSym,
    FnSym,
    GhostSym,
    ListSym,
    MemberSym,
    ParamSym,
    RecordFieldSym,
    RecordSym,
    ScoreSym,
    StateSym,
    Symbol,
    Symbols,
    TableSym,
    Typed,
)
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.diagnostics.words import listing
from cpol.compiler.syntax import ast
from cpol.compiler.types import MAX_LIST_ARRAYS, MAX_LISTS, REASON, EnumType, Type
from cpol.compiler.vocabulary.folio import FOLIO_ALWAYS

Named: TypeAlias = (
    ast.ConstDecl | ast.ParamDecl | ast.StateDecl | ast.TableDecl | ast.InputDecl | ast.ScoreDecl
)  # fmt: skip

MAX_MEMBERS = 256
"""Limit for one enum."""


def declare(policy: ast.Policy, report: Report) -> Typed:
    """The typed AST of `policy` with all declarations resolved and no bodies checked yet."""
    typed = Typed(Symbols(policy))
    _Declarer(typed, report).run()
    return typed


class _Declarer:
    def __init__(self, typed: Typed, report: Report) -> None:
        self.typed = typed
        self.symbols = typed.symbols
        self.report = report
        self.lists = 0

    def run(self) -> None:
        items = self.symbols.policy.items
        for item in items:  # types first, because all other declarations can use them
            if isinstance(item, ast.EnumDecl):
                members = tuple(member.text for member in item.members)
                symbol = EnumSym(item.name.text, item.name.span, EnumType(item.name.text, members))
                self.symbols.enums.setdefault(item.name.text, symbol)
                self.typed.refs[item.name] = symbol
        for item in items:  # then all names, to tell later names from unknown ones in values
            self._declare(item)
        fill(self.typed, self.report)

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
                    symbol = FieldSym(field.name.text, field.name.span, self._type(field.type))
                    self._no_array(field, "a ghost")
                    self._field_of(ghost, field.name, symbol, METHODS)
        elif isinstance(item, ast.RecordDecl):
            self._record(item)
        elif isinstance(item, ast.EnumDecl):
            self._enum(item)
        elif isinstance(item, ast.FnDecl):
            self._fn(item)
        elif isinstance(item, ast.ActionDecl):
            for param in item.params:
                if param.type is not None:
                    self._type(param.type)
            self._add(item.name, ActionSym(item.name.text, item.name.span, item))
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
                self.report.error(
                    "E0216",
                    extra,
                    f"the table `{text}` has {len(item.sizes)} sizes",
                    why=why,
                    help=f"write `table {text}: {item.type.text}[ROWS, COLUMNS] = 0`",
                )
            return TableSym(text, span, item, type)
        return StateSym(text, span, type)

    def _add(self, name: ast.Name, symbol: Symbol) -> None:
        names = self.symbols.names
        earlier = names.get(name.text)
        if check_free(self.report, name, earlier) or earlier is None:  # so that uses of a wrong name stay silent
            names[name.text] = symbol
        self.typed.refs[name] = symbol

    def _enum(self, decl: ast.EnumDecl) -> None:
        name = decl.name
        members = decl.members
        symbol = self.typed.refs[name]
        assert isinstance(symbol, EnumSym)
        if name.text == REASON.name:
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
            arrays = sum(s.length is not None for s in self.symbols.lists())
            if arrays == MAX_LIST_ARRAYS:
                self.report.error(
                    "E0305",
                    decl.span,
                    f"a policy has at most {MAX_LIST_ARRAYS} arrays of lists",
                    label="one too many",
                    help="make one array of two, and offset the index of one",
                )
        else:
            self.lists += 1
        if self.lists == MAX_LISTS + 1 and decl.length is None:
            self.report.error(
                "E0305",
                name.span,
                f"a policy has at most {MAX_LISTS} lists",
                label="one too many",
                help="an array, `list NAME[N]`, may have more",
            )
        self._add(name, ListSym(name.text, name.span, length=decl.length))

    def _record(self, decl: ast.RecordDecl) -> None:
        """Declare the records of files or threads. `task` is built in, and so not free for other declarations."""
        name = decl.name
        record = RecordSym(name.text, name.span, capacity=decl.bound)
        earlier = self.symbols.names.get(name.text)
        if earlier is not None:
            self.report.error(
                "E0102",
                name.span,
                f"`{name.text}` is declared twice",
                label="again here",
                help="put all fields into the first" if isinstance(earlier, RecordSym) else "rename the first",
                others=(Label(earlier.span, "first declared here"),),
            )
        else:
            self.symbols.names[name.text] = record
        self.typed.refs[name] = record
        for field in decl.fields:
            symbol = RecordFieldSym(field.name.text, field.name.span, self._type(field.type), record=name.text)
            self._no_array(field, f"the record of {WITH_ARTICLE[name.text]}")
            self._field_of(record, field.name, symbol, record.taken)

    def _no_array(self, field: ast.FieldDecl, what: str) -> None:
        if field.length:
            why = "only the record of a folio has arrays; this one has single values, at most 16 bytes"
            helps = f"declare fields such as `{field.name.text}0` and `{field.name.text}1`"
            self.report.error("E0217", field.length[0].span, f"{what} keeps no arrays", why=why, help=helps)

    def _field_of(self, ghost: GhostSym, name: ast.Name, symbol: FieldSym, taken: tuple[str, ...]) -> None:
        """Add a field to the record of a ghost, of files or of threads."""
        self.typed.refs[name] = symbol
        if name.text in taken:
            what = WITH_ARTICLE[ghost.name] if isinstance(ghost, RecordSym) else "a ghost"
            later = ", now or in a later version" if isinstance(ghost, RecordSym) else ""
            why = f"{what} has {listing(taken)}{later}"
            self._built_into(f"every {what.partition(' ')[2]}", name, why)
        elif name.text in ghost.fields:
            self._twice(name, ghost.fields[name.text])
        ghost.fields.setdefault(name.text, symbol)  # also a wrong one, so that its uses are no further errors

    def _field(self, field: ast.FieldDecl) -> None:
        name = field.name
        symbol = FieldSym(name.text, name.span, self._type(field.type))
        self.typed.refs[name] = symbol
        if name.text in FOLIO_ALWAYS:
            self._built_into("every folio", name, f"every folio has {listing(FOLIO_ALWAYS)}")
        elif name.text in self.symbols.fields:
            self._twice(name, self.symbols.fields[name.text])
        self.symbols.fields.setdefault(name.text, symbol)

    def _built_into(self, what: str, name: ast.Name, why: str) -> None:
        self.report.error(
            "E0103",
            name.span,
            f"`{name.text}` is built into {what}",
            why=why,
            help="choose another name, or read what is built in",
        )

    def _twice(self, name: ast.Name, first: FieldSym) -> None:
        self.report.error(
            "E0102",
            name.span,
            f"the field `{name.text}` is declared twice",
            label="again here",
            others=(Label(first.span, "first declared here"),),
            help="remove one of them, or choose another name",
        )

    def _type(self, name: ast.Name) -> Type | None:
        return type_named(self.symbols, name, self.report)
