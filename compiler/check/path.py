"""Resolves names in expressions (`a`, `a.b`), and checks that they are readable there."""

from __future__ import annotations

from collections.abc import Callable

from cpol.compiler.check import pin
from cpol.compiler.check.built_in import BuiltInChecker
from cpol.compiler.check.command import FILLED
from cpol.compiler.check.symbols import (
    BUILT_IN,
    ActionSym,
    ConstSym,
    EnumSym,
    FaultSym,
    FnSym,
    FolioSym,
    GhostSym,
    InputSym,
    LetSym,
    ListSym,
    MemberSym,
    ParamSym,
    RecordSym,
    RequestSym,
    ScoreSym,
    StateSym,
    Symbol,
    TableSym,
)
from cpol.compiler.check.where import AGAIN, ATTACHED, CONSTANT, FIXED, TEST
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.diagnostics.words import closest, listing, meant
from cpol.compiler.syntax import ast
from cpol.compiler.types import REASON, U64, Type
from cpol.compiler.vocabulary.folio import FILE, FOLIO

_HOW: dict[type[Symbol], Callable[[str], str]] = {
    ScoreSym: lambda name: f"use it in `evict lowest {name} of …`",
    ActionSym: lambda name: f"call it by a statement: `do {name}(…)`",
    FnSym: lambda name: f"call it: `{name}(…)`",
    InputSym: lambda name: f"write `{name}.has(…)`, or `{name}.of(…)` for a map",
    EnumSym: lambda name: "write one of its members",
}
"""How to use symbols that have no value of their own."""


class PathChecker(BuiltInChecker):
    """Resolves names."""

    def path(self, path: ast.Path) -> Type | None:
        """The declared type of `path`. None after an error."""
        first = path.parts[0]
        if self.names_record(path):
            field = self.record_field(path)
            if field is None:
                return None
            field.used = True
            return field.type
        if self.names_file(path):
            return self._of_file(path)
        if self.names_oldest(path):
            return self.oldest(path)
        if len(path.parts) > 2 and (first.text in BUILT_IN or self.scope.find(first.text) is not None):
            self._too_long(path)
            return None
        symbol = self.scope.find(first.text)
        taken = symbol is not None and not isinstance(symbol, RecordSym) and len(path.parts) == 1
        if first.text in (*BUILT_IN, "evict", "every") and not taken:  # a declaration of such a name is the error
            return self._built_in(path)
        if symbol is None:
            truth = closest(first.text, ("true", "false"), 0.75)
            self.scope.report_unknown(first, "not declared", ("cache", "task", *REASON.members, truth))
            return None
        symbol.used = True
        self.typed.refs[path] = symbol
        return self._symbol(path, symbol)

    def _built_in(self, path: ast.Path) -> Type | None:
        """The type of a name of the language, or of a part of it. None after an error."""
        first = path.parts[0].text
        parts = {"cache": self._cache, "task": self._task, "evict": self._evict, "every": self._every}
        if first in parts:
            return parts[first](path)
        if first in REASON.members:
            return self._bare(path, REASON)
        self.report.error("E0107", path.span, f"`{first}` is a function", help=f"call it: `{first}(…)`")
        return None

    def _symbol(self, path: ast.Path, symbol: Symbol) -> Type | None:
        if isinstance(symbol, FolioSym):
            return self._folio(path, symbol)
        if isinstance(symbol, FaultSym | RequestSym):
            return self._asked(path, symbol)
        if isinstance(symbol, ListSym):
            return self._list(path, symbol)
        if isinstance(symbol, MemberSym):
            return self._member_of_enum(path, symbol)
        if isinstance(symbol, ConstSym):
            return self._const(path, symbol)
        if isinstance(symbol, InputSym) and symbol.array:
            return self._array(path, symbol)
        if isinstance(symbol, ScoreSym | ActionSym | FnSym | InputSym | EnumSym):
            helps = _HOW[type(symbol)](symbol.name)
            if isinstance(symbol, EnumSym) and len(path.parts) == 2:
                helps = f"write `{path.parts[1].text}`: the members have names of their own"
            self.report.error("E0107", path.span, f"`{symbol.name}` is {symbol.kind}, not a value", help=helps)
            return None
        if self.where == CONSTANT:
            self.not_constant(path, symbol.kind)
            return None
        if isinstance(symbol, ParamSym):
            return self._param(path, symbol)
        if self.where in ATTACHED:
            self.not_constant(path, symbol.kind)
            return None
        if isinstance(symbol, RecordSym):
            return self._records(path, symbol)
        if isinstance(symbol, GhostSym):
            return self.of_ghost(path, symbol)
        if isinstance(symbol, TableSym):
            return U64 if self._member(path, "a table", ["size"]) is not None else None
        assert isinstance(symbol, StateSym | LetSym)
        return self._bare(path, symbol.type)

    def _of_file(self, path: ast.Path) -> Type | None:
        """The type of what is known of each file. None after an error."""
        owner = self.scope.find(path.parts[0].text)
        assert owner is not None
        owner.used = True
        self.typed.refs[path] = owner
        if isinstance(owner, FolioSym):
            owner.read = True
            if owner.uncached:
                self._uncached(path)
                return None
        return FILE[path.parts[2].text].type

    def _too_long(self, path: ast.Path) -> None:
        """Report the error of a path of three parts: that its second part is none, or that it has no parts."""
        first, second, third = path.parts[:3]
        if self.path(ast.Path((first, second), Span(first.span.start, second.span.end))) is not None:
            text = f"{first.text}.{second.text}"
            helps = f"write `{text}`"
            self.report.error("E0106", third.span, f"`{text}` is a plain value and has no parts", help=helps)

    def _array(self, path: ast.Path, symbol: InputSym) -> Type | None:
        """The type of `NAME.size`, the only value of an array of user space without an index."""
        if self.where in FIXED:
            self.not_constant(path, symbol.kind)
            return None
        return U64 if self._member(path, "an array", ["size"], f"write `{symbol.name}[…]`") is not None else None

    def _const(self, path: ast.Path, symbol: ConstSym) -> Type | None:
        if symbol.type is not None and symbol.value is not None:
            return self._bare(path, symbol.type)
        if symbol.type is not None:
            self.report.error(
                "E0108",
                path.span,
                f"`{symbol.name}` is used before its declaration",
                help="a const reads only consts that stand above it",
            )
        return None

    def _param(self, path: ast.Path, symbol: ParamSym) -> Type | None:
        if symbol.live and self.where in ATTACHED - AGAIN:
            self.report.error(
                "E0218",
                path.span,
                f"{self.where} cannot read the live param `{symbol.name}`",
                label="this may change while the policy runs",
                why="it is computed once, when the policy is attached",
                help="remove `live` from the param",
            )
            return None
        return self._bare(path, symbol.type)

    def _member_of_enum(self, path: ast.Path, symbol: MemberSym) -> Type | None:
        if symbol.enum is None or symbol.enum.type is None:
            return None
        symbol.enum.used = True
        return self._bare(path, symbol.enum.type)

    def _records(self, path: ast.Path, record: RecordSym) -> Type | None:
        """The type of `file.size` or `area.size`, the only value without a folio or a fault."""
        if len(path.parts) == 2 and path.parts[1].text in record.fields:
            if not self.scope.first_unknown(f"{path.text} {self.where == TEST}"):
                return None
            owners = self.scope.locals_of(FolioSym if record.name == "file" else FaultSym)
            owner = owners[-1] if owners else "f" if record.name == "file" else "p"
            of = (
                f"write `{path.text}(3)`, for the {record.name} 3"
                if self.where == TEST
                else f"write `{owner}.{path.text}`"
            )
            self.report.error("E0107", path.span, f"`{path.text}` does not say of which {record.name}", help=of)
            return None
        return U64 if self._member(path, f"`{record.name}`", ["size"]) is not None else None

    def _folio(self, path: ast.Path, symbol: FolioSym) -> Type | None:
        type = self.folio_member(path, symbol)
        field = self.typed.symbols.fields.get(path.parts[-1].text)
        if type is None or field is None or not field.length:
            return type
        self.report.error(
            "E0216",
            path.span,
            f"`{path.text}` is an array of {field.length} values",
            label="the index is missing",
            help=f"write `{path.text}[0]` for the first of them",
        )
        return None

    def folio_member(self, path: ast.Path, symbol: FolioSym) -> Type | None:
        """The declared type of a field or attribute of a folio, or of an array's elements. None after an error."""
        fields = self.typed.symbols.fields
        made = f"{path.parts[-1].text}: u8 = 0"
        declare = f"write `{made}` into `folio {{ … }}`" if fields else f"declare `folio {{ {made} }}`"
        if path.parts[-1].text in ("name", "path", "filename", "inode"):
            declare = f"declare `input NAME: set of file`, and write `NAME.has({symbol.name}.file)`: {FILLED}"
        members = list(dict.fromkeys([*fields, *FOLIO]))
        if len(path.parts) > 1 and path.parts[1].text not in members:
            self._no_field(path, members, declare)
            return None
        member = self._member(path, "a folio", members)
        if member is None:
            return None
        if member in fields or not FOLIO[member].named:
            symbol.read = True
            if symbol.uncached:
                self._uncached(path)
                return None
        if member in fields:
            fields[member].used = True
            return fields[member].type
        if member == "pinned" and not pin.has_quota(self.typed.symbols, self.report, path.span):
            return None
        return FOLIO[member].typed(self.typed.symbols.list_type)

    def _no_field(self, path: ast.Path, members: list[str], declare: str) -> None:
        """Report a field that no `folio { … }` declares, once. Other members are meant only if they are much alike."""
        name = path.parts[1].text
        if not self.scope.first_unknown(f"folio.{name}"):
            return
        near = closest(name, self.typed.symbols.fields) or closest(name, members, 0.8)
        if not near and (other := closest(name, members)):
            declare += f", or write `{other}` if you mean that"
        self.report.error(
            "E0106",
            path.parts[1].span,
            f"a folio has no `{name}`",
            label="" if near else "not declared",
            why=f"no `folio {{ … }}` declares it; a folio has {listing(members)}",
            help=meant(name, near) if near else declare,
        )

    def _uncached(self, path: ast.Path) -> None:
        self.report.error(
            "E0316",
            path.span,
            f"`{path.text}` is not known in {self.place}",
            why=f"`{path.parts[0].text}` is not in the cache: only its `file` and `index` are known",
            help="read it in `on added` or later; here use `file` and `index`",
        )

    def _list(self, path: ast.Path, symbol: ListSym) -> Type | None:
        if self.where in FIXED:
            self.not_constant(path, "a list, which changes")
            return None
        if len(path.parts) == 1:
            return self.typed.symbols.list_type
        if self._member(path, "a list", ["size"]) is None or not self.evicting(path.span, "a list"):
            return None
        return U64
