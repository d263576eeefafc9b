"""Resolves names in expressions (`a`, `a.b`), and checks that they are readable there."""

from __future__ import annotations

from collections.abc import Callable

from cpol.compiler.check.habits import of_a_list
from cpol.compiler.check.record import FN, TEST, RecordChecker
from cpol.compiler.check.symbols import (
    FOLIO_ATTRIBUTES,
    FUNCTIONS,
    TASK_ATTRIBUTES,
    TASK_HIDDEN,
    ActionSym,
    ConstSym,
    EnumSym,
    FnSym,
    FolioSym,
    GhostSym,
    InputSym,
    LetSym,
    ListSym,
    MemberSym,
    ParamSym,
    RecordSym,
    ScoreSym,
    StateSym,
    Symbol,
    TableSym,
)
from cpol.compiler.diagnostics.words import closest, listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.types import BOOL, FOLIO_BOOLS, FOLIO_HIDDEN, REASON, U64, Type

CONSTANT = "a constant"
CAPACITY = "a ghost's capacity"
RECORD_COUNT = "the number of records"
SIZE = "the size of a table"
LENGTH = "the number of lists"
PERIOD = "a period"
SCORE = "a score"
INVARIANT = "an invariant"
ATTACHED = frozenset((CAPACITY, RECORD_COUNT, SIZE, LENGTH, PERIOD))
"""Expressions that attach evaluates once."""
FIXED = ATTACHED | {CONSTANT}
PURE = FIXED | {SCORE, INVARIANT, FN, TEST}
"""Expressions without side effects."""


_HOW: dict[type[Symbol], Callable[[str], str]] = {
    ScoreSym: lambda name: f"use it in `evict lowest {name} of …`",
    ActionSym: lambda name: f"call it by a statement: `do {name}(…)`",
    FnSym: lambda name: f"call it: `{name}(…)`",
    InputSym: lambda name: f"write `{name}.has(…)`, or `{name}.of(…)` for a map",
    EnumSym: lambda name: "write one of its members",
}
"""How to use symbols that have no value of their own."""


class PathChecker(RecordChecker):
    """Resolves names. `where` is the event of the handler, or one of the constants above."""

    def path(self, path: ast.Path) -> Type | None:
        """The declared type of `path`. None after an error."""
        first = path.parts[0]
        if self.names_record(path):
            field = self.record_field(path)
            if field is None:
                return None
            field.used = True
            return field.type
        if len(path.parts) > 2:
            self.report.error("E0106", path.parts[2].span, f"`{path.parts[1].text}` has no parts")
            return None
        if first.text == "cache":
            return self._cache(path)
        if first.text == "task":
            return self._task(path)
        if first.text == "evict":
            return self._evict(path)
        if first.text == "every":
            return self._every(path)
        if first.text in REASON.members:
            return self._bare(path, REASON)
        if first.text in FUNCTIONS:
            self.report.error("E0107", path.span, f"`{first.text}` is a function", help=f"call it: `{first.text}(…)`")
            return None
        symbol = self.scope.find(first.text)
        if symbol is None:
            truth = closest(first.text, ("true", "false"), 0.75)
            self.scope.report_unknown(first, "not declared", ("cache", "task", *REASON.members, truth))
            return None
        symbol.used = True
        self.typed.refs[path] = symbol
        return self._symbol(path, symbol)

    def _symbol(self, path: ast.Path, symbol: Symbol) -> Type | None:
        if isinstance(symbol, FolioSym):
            return self._folio(path, symbol)
        if isinstance(symbol, ListSym):
            return self._list(path, symbol)
        if isinstance(symbol, MemberSym):
            return self._member_of_enum(path, symbol)
        if isinstance(symbol, ConstSym):
            return self._const(path, symbol)
        if isinstance(symbol, ScoreSym | ActionSym | FnSym | InputSym | EnumSym):
            helps = _HOW[type(symbol)](symbol.name)
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
            symbol.asked = True
            return U64 if self._member(path, "a ghost", ["size"]) is not None else None
        if isinstance(symbol, TableSym):
            return U64 if self._member(path, "a table", ["size"]) is not None else None
        assert isinstance(symbol, StateSym | LetSym)
        return self._bare(path, symbol.type)

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
        if symbol.live and self.where in ATTACHED and self.where != PERIOD:
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

    def not_constant(self, path: ast.Path, kind: str) -> None:
        if self.where == CONSTANT:
            allowed = "it is computed when the policy is compiled, from numbers and consts"
        else:
            allowed = "it is computed once, at attach, from numbers, consts, params and `cache.capacity`"
        self.report.error(
            "E0211", path.span, f"{self.where} cannot read `{path.text}`", label=f"this is {kind}", why=allowed
        )

    def _bare(self, path: ast.Path, type: Type | None) -> Type | None:
        if type is None or len(path.parts) == 1:
            return type
        self.report.error("E0106", path.parts[1].span, f"`{path.parts[0].text}` is a plain value and has no parts")
        return None

    def _member(self, path: ast.Path, what: str, members: list[str], help: str = "") -> str | None:
        """The member after the point, if it is one of `members`. None after an error."""
        if len(path.parts) == 1:
            example = f"{path.text}.{members[0]}"
            self.report.error("E0107", path.span, f"{what} has no value of its own", help=f"write `{example}`")
            return None
        member = path.parts[1]
        if member.text in members:
            return member.text
        self.report.error(
            "E0106",
            member.span,
            f"{what} has no `{member.text}`",
            why=f"it has {listing(members)}",
            help=(of_a_list(path.parts[0].text, member.text) if members == ["size"] else "")
            or suggest(member.text, members)
            or help,
        )
        return None

    def _cache(self, path: ast.Path) -> Type | None:
        member = self._member(path, "`cache`", ["size", "capacity", "clock", "time"])
        if member == "capacity":
            if self.where == CONSTANT:
                self.not_constant(path, "known only when the policy is attached")
                return None
            return U64
        if member is None:
            return None
        if self.where in FIXED:
            self.not_constant(path, "known only when the policy runs")
            return None
        return U64

    def _task(self, path: ast.Path) -> Type | None:
        record = self.typed.symbols.names.get("task")
        if isinstance(record, RecordSym) and path.text == "task.size" and self.where not in FIXED:
            record.used = True
            self.typed.refs[path] = record
            return U64
        fields = ("size", *record.fields) if isinstance(record, RecordSym) else ()
        members = [*TASK_ATTRIBUTES, *TASK_HIDDEN, *fields]
        declare = f"declare `task up to 1024 {{ {path.parts[-1].text}: u32 = 0 }}`"
        if self._member(path, "`task`", members, "" if isinstance(record, RecordSym) else declare) is None:
            return None
        if not self.knows_task(path):
            return None
        return BOOL if path.parts[1].text in TASK_HIDDEN else U64

    def _records(self, path: ast.Path, record: RecordSym) -> Type | None:
        """The type of `file.size`, the only value without a folio."""
        if len(path.parts) == 2 and path.parts[1].text in record.fields:
            self.report.error(
                "E0107",
                path.span,
                f"`{path.text}` does not say of which file",
                help=f"write `{path.text}(3)`, for the file 3" if self.where == TEST else f"write `f.{path.text}`",
            )
            return None
        return U64 if self._member(path, "`file`", ["size"]) is not None else None

    def _evict(self, path: ast.Path) -> Type | None:
        if self._member(path, "`evict`", ["wanted"]) is None:
            return None
        if self.where == "evict":
            return U64
        self.report.error(
            "E0314",
            path.span,
            "`evict.wanted` exists only in `on evict`",
            why="only `on evict` serves a request for pages",
        )
        return None

    def _every(self, path: ast.Path) -> Type | None:
        if self._member(path, "`every`", ["periods"]) is None:
            return None
        if self.where == "every":
            return U64
        self.report.error(
            "E0319",
            path.span,
            "`every.periods` exists only in `every`",
            why="it tells how many periods went by since that block last ran",
        )
        return None

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
        declare = f"declare `folio {{ {path.parts[-1].text}: u8 = 0 }}`"
        members = list(dict.fromkeys([*fields, *FOLIO_ATTRIBUTES, *FOLIO_HIDDEN]))
        member = self._member(path, "a folio", members, declare)
        if member is None:
            return None
        if member not in ("index", "file"):
            symbol.read = True
            if symbol.uncached:
                self._uncached(path)
                return None
        if member in fields:
            fields[member].used = True
            return fields[member].type
        if member in FOLIO_BOOLS:
            return BOOL
        return self.typed.symbols.list_type if member == "list" else U64

    def _uncached(self, path: ast.Path) -> None:
        self.report.error(
            "E0316",
            path.span,
            f"`{path.text}` is not known in {self.place}",
            why=f"`{path.parts[0].text}` is not in the cache: only its `file` and `index` are known",
        )

    def _list(self, path: ast.Path, symbol: ListSym) -> Type | None:
        if self.where in FIXED:
            self.not_constant(path, "a list, which changes")
            return None
        if len(path.parts) == 1:
            return self.typed.symbols.list_type
        if self._member(path, "a list", ["size"]) is None:
            return None
        return U64
