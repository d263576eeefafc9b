"""Names in expressions: what `a` and `a.b` read, and whether they can be read there."""

from __future__ import annotations

from cpol.compiler import ast, ir
from cpol.compiler.diagnostics import Report
from cpol.compiler.names import Scope, listing, suggest
from cpol.compiler.symbols import (
    FOLIO_ATTRIBUTES,
    FUNCTIONS,
    ConstSym,
    FolioSym,
    GhostSym,
    LetSym,
    ListSym,
    ParamSym,
    ScoreSym,
    StateSym,
    Symbol,
    Typed,
)

CONSTANT = "a constant"
CAPACITY = "a ghost's capacity"
SCORE = "a score"
INVARIANT = "an invariant"


class PathChecker:
    """Resolves names. `where` is the event of the handler, or one of the places above."""

    def __init__(self, typed: Typed, scope: Scope, report: Report, where: str) -> None:
        self.typed = typed
        self.scope = scope
        self.report = report
        self.where = where

    def path(self, path: ast.Path) -> ir.Expr | None:
        """What `path` reads. None after an error."""
        first = path.parts[0]
        if len(path.parts) > 2:
            self.report.error("E0106", path.parts[2].span, f"`{path.parts[1].text}` has no parts")
            return None
        if first.text == "cache":
            return self._cache(path)
        if first.text == "evict":
            return self._evict(path)
        if first.text in ir.REASON.members:
            return self._bare(path, ir.Const(ir.REASON.members.index(first.text), ir.REASON))
        if first.text in FUNCTIONS:
            self.report.error("E0107", path.span, f"`{first.text}` is a function", help=f"call it: `{first.text}(…)`")
            return None
        symbol = self.scope.find(first.text)
        if symbol is None:
            self.scope.report_unknown(first, "not declared", ("cache", *ir.REASON.members))
            return None
        symbol.used = True
        self.typed.refs[path] = symbol
        return self._symbol(path, symbol)

    def _symbol(self, path: ast.Path, symbol: Symbol) -> ir.Expr | None:
        if isinstance(symbol, FolioSym):
            return self._folio(path, symbol)
        if isinstance(symbol, ListSym):
            return self._list(path, symbol)
        if isinstance(symbol, GhostSym):
            helps = f"ask `{symbol.name}.take(f)` or `{symbol.name}.has(f)`"
            self.report.error("E0107", path.span, f"`{symbol.name}` is a ghost, which has no value", help=helps)
            return None
        if isinstance(symbol, ScoreSym):
            self.report.error(
                "E0107",
                path.span,
                f"`{symbol.name}` is a score, which has no value of its own",
                help=f"use it in `evict lowest {symbol.name} of …`",
            )
            return None
        if isinstance(symbol, ConstSym):
            if symbol.type is None or symbol.value is None:
                if symbol.type is not None:
                    self.report.error(
                        "E0108",
                        path.span,
                        f"`{symbol.name}` is used before its declaration",
                        help="a const reads only consts that stand above it",
                    )
                return None
            return self._bare(path, ir.Const(symbol.value, symbol.type))
        if self.where == CONSTANT:
            self._not_constant(path, symbol.kind)
            return None
        if isinstance(symbol, ParamSym):
            return self._bare(path, ir.Param(symbol.name, symbol.type)) if symbol.type else None
        if isinstance(symbol, StateSym):
            if self.where == CAPACITY:
                self._not_constant(path, symbol.kind)
                return None
            return self._bare(path, ir.State(symbol.name, symbol.type)) if symbol.type else None
        assert isinstance(symbol, LetSym)
        return self._bare(path, ir.Local(symbol.name, symbol.type)) if symbol.type else None

    def _not_constant(self, path: ast.Path, kind: str) -> None:
        if self.where == CONSTANT:
            allowed = "it is computed when the policy is compiled, from numbers and consts"
        else:
            allowed = "it is computed once, at attach, from numbers, consts, params and `cache.capacity`"
        self.report.error(
            "E0211", path.span, f"{self.where} cannot read `{path.text}`", label=f"this is {kind}", why=allowed
        )

    def _bare(self, path: ast.Path, leaf: ir.Expr) -> ir.Expr | None:
        if len(path.parts) == 1:
            return leaf
        self.report.error("E0106", path.parts[1].span, f"`{path.parts[0].text}` is a plain value and has no parts")
        return None

    def _member(self, path: ast.Path, what: str, members: list[str]) -> str | None:
        """The part after the point, if it is one of `members`."""
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
            help=suggest(member.text, members),
        )
        return None

    def _cache(self, path: ast.Path) -> ir.Expr | None:
        member = self._member(path, "`cache`", ["size", "capacity"])
        if member == "capacity":
            if self.where == CONSTANT:
                self._not_constant(path, "known only when the policy is attached")
                return None
            return ir.CacheAttr("capacity")
        if member == "size":
            if self.where in (CONSTANT, CAPACITY):
                self._not_constant(path, "known only when the policy runs")
                return None
            return ir.CacheAttr("size")
        return None

    def _evict(self, path: ast.Path) -> ir.Expr | None:
        if self._member(path, "`evict`", ["wanted"]) is None:
            return None
        if self.where == "evict":
            return ir.EvictWanted()
        self.report.error(
            "E0314",
            path.span,
            "`evict.wanted` exists only in `on evict`",
            why="only then does somebody want pages",
        )
        return None

    def _folio(self, path: ast.Path, symbol: FolioSym) -> ir.Expr | None:
        fields = self.typed.symbols.fields
        member = self._member(path, "a folio", [*fields, *FOLIO_ATTRIBUTES])
        if member is None:
            return None
        if member in fields:
            fields[member].used = True
            type = fields[member].type
            return ir.Field(symbol.name, member, type) if type is not None else None
        if member == "list":
            return ir.FolioAttr(symbol.name, "list", self.typed.symbols.list_type)
        if member == "pages":
            return ir.FolioAttr(symbol.name, "pages", ir.U64)
        return ir.FolioAttr(symbol.name, "index" if member == "index" else "file", ir.U64)

    def _list(self, path: ast.Path, symbol: ListSym) -> ir.Expr | None:
        if self.where in (CONSTANT, CAPACITY):
            self._not_constant(path, "a list, which changes")
            return None
        if len(path.parts) == 1:
            return ir.Const(symbol.number, self.typed.symbols.list_type)
        if self._member(path, "a list", ["size"]) is None:
            return None
        return ir.ListSize(symbol.name)
