"""Checks calls of ghost methods."""

from __future__ import annotations

from cpol.compiler.check.path import PathChecker
from cpol.compiler.check.symbols import FolioSym, GhostSym, RequestSym
from cpol.compiler.check.unsettled import BAD, Ty
from cpol.compiler.check.where import FIXED, PURE, TEST
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.types import BOOL, Type
from cpol.compiler.vocabulary.event import UNCACHED

QUESTIONS = ("take", "has")
ORDERS = ("add", "take", "forget_oldest")
METHODS = ("add", "take", "has", "forget_oldest", "size")
"""Names that ghost fields cannot have."""


class GhostChecker(PathChecker):
    """Checks calls of ghost methods."""

    def check(self, expr: ast.Expr, want: Type | None = None, what: str = "this") -> Type | None:
        raise NotImplementedError

    def store(self, expr: ast.Expr, type: Type, what: str) -> bool:
        raise NotImplementedError

    def ask_ghost(self, call: ast.Call, ghost: GhostSym) -> Ty:
        """The declared type of a call of `ghost` in an expression."""
        method = call.callee.parts[1]
        if method.text not in QUESTIONS and method.text not in ghost.fields:
            self._wrong_method(ghost, method, (*QUESTIONS, *ghost.fields))
            return BAD
        if self.where == TEST and method.text in ghost.fields:
            helps = f"write `{ghost.name}.has(…)`"
            message = "a test cannot read a ghost's fields"
            self.report.error("E0109", call.callee.span, message, why="it asks only what is in a ghost", help=helps)
            return BAD
        if self.where in FIXED:
            self.not_constant(call.callee, "a ghost, which changes")
            return BAD
        if not self.evicting(call.span, "a ghost"):
            return BAD
        ghost.asked = True
        if method.text == "take" and self.where in PURE and not self._may_take(call, ghost, None):
            return BAD
        folio = self._only_folio(call, method)
        if folio is None:
            return BAD
        if method.text == "has":
            return BOOL
        if method.text == "take":
            return BOOL if self._may_take(call, ghost, folio) else BAD
        field = ghost.fields[method.text]
        field.used = True
        return field.type or BAD

    def ghost_statement(self, call: ast.Call, ghost: GhostSym) -> bool:
        """Whether a call of `ghost` can be a statement. It reports an error if not."""
        if not self.evicting(call.span, "a ghost"):
            return False
        method = call.callee.parts[1]
        if method.text not in ORDERS:
            self._wrong_method(ghost, method, ORDERS)
            return False
        if method.text == "forget_oldest":
            if call.args or call.named:
                self.report.error(
                    "E0213", call.span, "`forget_oldest` takes no arguments", help="write `forget_oldest()`"
                )
            return not call.args and not call.named
        if method.text == "take":
            folio = self._only_folio(call, method)
            ghost.asked = True
            return folio is not None and self._may_take(call, ghost, folio)
        ghost.written = True
        return self._add(call, ghost)

    def _add(self, call: ast.Call, ghost: GhostSym) -> bool:
        fine = len(call.args) == 1
        if fine:
            fine = self.folio(call.args[0], "`add`") is not None
        else:
            self.report.error(
                "E0213",
                call.span,
                f"`add` takes one folio, not {len(call.args)} values",
                help="write `add(f)`; values of its record have names: `add(f, FIELD: VALUE)`",
            )
        seen: set[str] = set()
        for named in call.named:
            fine = self._named(ghost, named, seen) and fine
        return fine

    def _named(self, ghost: GhostSym, named: ast.Named, seen: set[str]) -> bool:
        """Whether the value that `add` gives a field fits it. It reports an error if not."""
        field = self.ghost_field("E0219", ghost, named.name)
        if field is None or field.type is None:
            self.check(named.value)
            return False
        if field.name in seen:
            self.report.error("E0219", named.name.span, f"`{field.name}` is given twice", help="remove one of them")
            return False
        seen.add(field.name)
        field.written = True
        return self.store(named.value, field.type, f"`{field.name}`")

    def no_names(self, call: ast.Call) -> bool:
        """Whether `call` has no named arguments, which only `add` can have. It reports an error if it has."""
        if call.named:
            self.report.error(
                "E0219",
                call.named[0].span,
                f"`{call.callee.text}` takes no named arguments",
                why="only `add` of a ghost takes them: the fields of its record",
                help="write the value without a name",
            )
        return not call.named

    def _may_take(self, call: ast.Call, ghost: GhostSym, folio: FolioSym | None) -> bool:
        """Whether `take` is allowed here. It reports an error if not."""
        name = folio.name if folio is not None else " ".join(map(self.report.source.slice, (a.span for a in call.args)))
        helps = f"write `{ghost.name}.has({name})`"
        if self.where in PURE:
            self.report.error(
                "E0212",
                call.span,
                f"{self.where} cannot change anything",
                label="`take` removes the entry that it finds",
                help=helps,
            )
            return False
        if self.where in UNCACHED:
            self.report.error(
                "E0301",
                call.span,
                f"`take` cannot be used in `on {self.where}`",
                why=f"the entry of `{name}` is kept until `on added` ends",
                help=f"{helps}, and take it in `on added`",
            )
            return False
        return True

    def _only_folio(self, call: ast.Call, method: ast.Name) -> FolioSym | None:
        if not self.no_names(call):
            return None
        if len(call.args) != 1:
            self.report.error(
                "E0213",
                call.span,
                f"`{method.text}` takes one folio, not {len(call.args)} values",
                help=f"write `{method.text}(f)`",
            )
            return None
        return self.folio(call.args[0], f"`{method.text}`")

    def _wrong_method(self, ghost: GhostSym, method: ast.Name, methods: tuple[str, ...]) -> None:
        if method.text in ("add", "forget_oldest"):
            self.report.error(
                "E0201", method.span, f"`{method.text}` gives no value", help="write it as a statement of its own"
            )
        elif method.text == "has" or method.text in ghost.fields:
            self.report.error(
                "E0109",
                method.span,
                f"the answer of `{method.text}` is not used",
                help=f"write `if {ghost.name}.{method.text}(…) {{ … }}`"
                if method.text == "has"
                else f"write `let x = {ghost.name}.{method.text}(…)`",
            )
        else:
            known = (*METHODS, *ghost.fields)
            self.report.error(
                "E0109",
                method.span,
                f"a ghost has no `{method.text}`" if not ghost.fields else f"`{ghost.name}` has no `{method.text}`",
                why=f"it has {listing(known)}",
                help=suggest(method.text, known),
            )

    def named_page(self, expr: ast.Expr, what: str) -> FolioSym | RequestSym | None:
        """The folio, or the request of `on readahead`, that an argument names. None after an error."""
        symbol = self.scope.find(expr.text) if isinstance(expr, ast.Path) else None
        if not isinstance(symbol, RequestSym) or not isinstance(expr, ast.Path):
            return self.folio(expr, what)
        symbol.used = True
        self.typed.refs[expr] = symbol
        return symbol

    def folio(self, expr: ast.Expr, what: str) -> FolioSym | None:
        """The folio that an argument names. None after an error."""
        if isinstance(expr, ast.Path) and len(expr.parts) == 1:
            symbol = self.scope.find(expr.parts[0].text)
            if isinstance(symbol, FolioSym):
                symbol.used = True
                self.typed.refs[expr] = symbol
                return symbol
            if symbol is None:
                self.scope.report_unknown(expr.parts[0], "not declared")
                return None
        self.report.error(
            "E0107",
            expr.span,
            f"{what} needs a folio",
            label="not a folio",
            help="give it the folio of the handler or of the scan",
        )
        return None

    def is_scanned(self, name: ast.Name) -> bool:
        """Whether `name` is the folio of a scan."""
        symbol = self.scope.find(name.text)
        return isinstance(symbol, FolioSym) and symbol.scanned
