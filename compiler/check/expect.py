"""Checks the expectations of tests: conditions, and questions about folios by number."""

from __future__ import annotations

from cpol.compiler.check.expr import ExprChecker
from cpol.compiler.check.pin import has_quota
from cpol.compiler.check.prefetch import NONE_HANDLED, prefetches
from cpol.compiler.check.record import WITH_ARTICLE
from cpol.compiler.check.scope import Scope
from cpol.compiler.check.symbols import MAX_FOLIOS, FieldSym, GhostSym, ListSym, RecordSym, Symbol, Typed
from cpol.compiler.check.unsettled import BAD, Ty
from cpol.compiler.check.where import TEST
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.types import BOOL, PREFETCH_TARGETS, Type

TOO_MANY = f"the tests of a policy name at most {MAX_FOLIOS} folios"
ANSWERS = ("defaulted", "dropped", "flushed", "waited", "left", "kept")
"""What the last handler decided, as names that are true or false."""
AGAIN = "what `repeat` does again counts again: a folio as a folio, a step or an empty round as one more"


class ExpectChecker(ExprChecker):
    """Infers types in expectations."""

    def __init__(self, typed: Typed, scope: Scope, report: Report) -> None:
        super().__init__(typed, scope, report, TEST)
        self.times = 1
        """How often the expectation is asked."""

    def call(self, call: ast.Call) -> Ty:
        """The declared type of a call, including those with folio numbers."""
        parts = call.callee.parts
        symbol = self.scope.find(parts[0].text)
        if call.callee.text == "prefetched" and symbol is None:
            return self._prefetched(call)
        if call.callee.text == "readahead" and symbol is None:
            return self._ahead(call)
        if len(parts) != 2:
            return super().call(call)
        method = parts[1].text
        if isinstance(symbol, ListSym):
            return self._by_number(call, symbol, ("has", "is"))
        if isinstance(symbol, RecordSym):
            return self._by_owner(call, symbol)
        if isinstance(symbol, GhostSym) and method == "has":
            return self._by_number(call, symbol, ("has",))
        if parts[0].text == "cache":
            return self._by_number(call, None, ("has", "pinned", *self.typed.symbols.fields))
        return super().call(call)

    def path(self, path: ast.Path) -> Type | None:
        """The declared type of a name; also of those of ANSWERS."""
        if path.text in ANSWERS and self.scope.find(path.text) is None:
            return BOOL if self._asks(path.span, path.text) else None
        return super().path(path)

    def _asks(self, span: Span, what: str) -> bool:
        """Whether the policy prefetches. It reports an error if not."""
        if prefetches(self.typed.symbols):
            return True
        message = f"`{what}` has no meaning: the policy prefetches nothing"
        self.report.error("E0116", span, message, why=NONE_HANDLED, help="remove it, or add `on prefetch(p) { … }`")
        return False

    def _ahead(self, call: ast.Call) -> Ty:
        """The type of `readahead(0)`: whether the last file opened got this window."""
        if not self.no_names(call):
            return BAD
        if len(call.args) != 1 or not isinstance(call.args[0], ast.IntLit):
            helps = "write `readahead(0)`"
            self.report.error("E0213", call.span, "`readahead` takes one number of pages", help=helps)
            return BAD
        return BOOL if self._asks(call.callee.span, call.callee.text) else BAD

    def _prefetched(self, call: ast.Call) -> Ty:
        """The type of `prefetched(slot 10..17, page 6)`. The order of targets counts, so ranges may go down."""
        for arg in call.args:
            if not isinstance(arg, ast.Folios | ast.IntLit) or (isinstance(arg, ast.Folios) and arg.file):
                why = "`slot NUMBER`, `page NUMBER` or the index in the file, and ranges of them"
                self.report.error(
                    "E0116",
                    arg.span,
                    "a test names what is prefetched by number",
                    why=why,
                    help="write `prefetched(slot 10..17, page 6)`",
                )
                return BAD
            if isinstance(arg, ast.Folios) and abs(arg.last - arg.first) >= PREFETCH_TARGETS:
                why = f"one call prefetches at most {PREFETCH_TARGETS} pages"
                self.report.error(
                    "E0116", arg.span, "this range is too long", why=why, help="name a shorter range, or several calls"
                )
                return BAD
        return BOOL if self.no_names(call) and self._asks(call.callee.span, call.callee.text) else BAD

    def _by_owner(self, call: ast.Call, record: RecordSym) -> Ty:
        """The type of `file.FIELD(FILE)`, `task.FIELD(THREAD)` or `area.FIELD(FIRST)`."""
        where, method = call.callee.parts
        record.used = True
        self.typed.refs[where] = record
        field = record.fields.get(method.text)
        if field is None:
            self.report.error(
                "E0109",
                method.span,
                f"the record of {WITH_ARTICLE[where.text]} has no `{method.text}`",
                why=f"it has {listing(list(record.fields))}",
                help=suggest(method.text, list(record.fields)),
            )
            return BAD
        what = {"file": "file", "task": "thread", "area": "first page of an area"}[where.text]
        if not self.no_names(call):
            return BAD
        if len(call.args) != 1 or not isinstance(call.args[0], ast.IntLit):
            self.report.error(
                "E0213",
                call.span,
                f"`{call.callee.text}` takes one {what}, a number",
                help=f"write `{call.callee.text}(3)`",
            )
            return BAD
        field.used = True
        return field.type or BAD

    def _by_number(self, call: ast.Call, symbol: ListSym | GhostSym | None, methods: tuple[str, ...]) -> Ty:
        """The declared type of `WHERE.METHOD(FOLIOS)`."""
        where, method = call.callee.parts
        if method.text not in methods:
            declare = (
                f", or declare `folio {{ {method.text}: u8 = 0 }}`"
                if where.text == "cache" and method.text != "is"
                else ""
            )
            self.report.error(
                "E0109",
                method.span,
                f"`{where.text}` has no `{method.text}`",
                why=f"a test can ask {listing(methods, 'or')}",
                help=suggest(method.text, methods) or f"write `{where.text}.has(…)`" + declare,
            )
            return BAD
        if not self.no_names(call):
            return BAD
        if symbol is not None:
            self.typed.refs[where] = symbol
            symbol.used = True
        if not self._indexed(call, symbol) or not self._folios(call):
            return BAD
        if symbol is None and self.asks_pins(call):
            return BOOL if has_quota(self.typed.symbols, self.report, call.callee.span) else BAD
        return BOOL if method.text in ("has", "is") else self._record(call)

    def asks_pins(self, call: ast.Call) -> bool:
        """Whether `call` is `cache.pinned(FOLIOS)`, which a field of that name hides."""
        return call.callee.parts[1].text == "pinned" and "pinned" not in self.typed.symbols.fields

    def _indexed(self, call: ast.Call, symbol: Symbol | None) -> bool:
        """Whether the index fits. It reports an error if not."""
        where, method = call.callee.parts
        if isinstance(symbol, ListSym):
            fine = self.indices(call.index)
            if call.index:
                return self.array_index(symbol, call.index, call.callee.span) and fine
            if method.text == "is" and symbol.length is not None:
                self.report.error(
                    "E0216",
                    where.span,
                    f"`{where.text}` is an array of lists, and `is` compares one",
                    help=f"write `{where.text}[0].is(…)`",
                )
                return False
        elif symbol is None and method.text in self.typed.symbols.fields:
            return self._of_array(call, self.typed.symbols.fields[method.text])
        elif call.index:
            why = "only tables and arrays take one"
            self.report.error(
                "E0216",
                call.span,
                f"`{where.text}` takes no index",
                why=why,
                help=f"write `{where.text}.{method.text}(…)`",
            )
            return False
        return True

    def _of_array(self, call: ast.Call, field: FieldSym) -> bool:
        """Whether the question has an index exactly if the field is an array. It reports an error if not."""
        ask = f"cache.{field.name}"
        if not call.index and not field.length:
            return True
        if field.length and len(call.index) == 1 and call.index[0].span.start > call.callee.parts[1].span.start:
            return self.indices(call.index)
        message = f"`{ask}` is an array" if field.length else f"`{ask}` takes no index"
        write = f"{ask}(…)[0]" if field.length else f"{ask}(…)"
        self.report.error("E0216", call.callee.span, message, help=f"write `{write}`")
        return False

    def _folios(self, call: ast.Call) -> bool:
        """Whether the arguments are folios by number. It reports an error if not."""
        where, method = (part.text for part in call.callee.parts)
        if not call.args:
            many = " or more" if method in ("has", "is") or self.asks_pins(call) else ""
            what = f"`{method}` takes one folio{many}"
            self.report.error("E0213", call.span, what, help=f"write `{where}.{method}(1)`")
            return False
        for arg in call.args:
            if isinstance(arg, ast.Folios):
                if arg.first > arg.last:
                    self.report.error(
                        "E0206",
                        arg.span,
                        "this range is empty",
                        label="its start is above its end",
                        help=f"write `{arg.last}..{arg.first}`",
                    )
                    return False
                if not self.typed.spend(self.times * (arg.last - arg.first + 1)):
                    why = AGAIN if self.times > 1 else ""
                    self.report.error("E0116", arg.span, TOO_MANY, why=why, help="name fewer")
                    return False
            elif not isinstance(arg, ast.IntLit):
                self.report.error(
                    "E0116",
                    arg.span,
                    "a test names folios by number",
                    why="`INDEX`, `FILE:INDEX` or `FIRST..LAST`, in plain numbers",
                    help=f"write `{where}.{method}(1)`",
                )
                return False
        return True

    def _record(self, call: ast.Call) -> Ty:
        """The type of a field of one folio's record."""
        name = call.callee.parts[1].text
        only = call.args[0]
        if len(call.args) > 1 or (isinstance(only, ast.Folios) and only.first != only.last):
            why = "each folio has a record of its own"
            self.report.error(
                "E0213",
                call.span,
                f"`cache.{name}` takes one folio",
                why=why,
                help=f"write `cache.{name}(1)`, and one more `expect` for each other folio",
            )
            return BAD
        field = self.typed.symbols.fields[name]
        field.used = True
        return field.type or BAD
