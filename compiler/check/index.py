"""Checks `name[index]`: elements of tables and of arrays in records, and lists of an array."""

from __future__ import annotations

from cpol.compiler.check.call import CallChecker
from cpol.compiler.check.symbols import FieldSym, FolioSym, InputSym, ListSym, Symbol, TableSym
from cpol.compiler.check.unsettled import BAD, Ty
from cpol.compiler.check.where import FIXED
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax import ast
from cpol.compiler.types import U64


class IndexChecker(CallChecker):
    """Infers types of elements."""

    def element(self, expr: ast.Element) -> Ty:
        """The declared type of an element in an expression."""
        symbol = self.scope.find(expr.name.text)
        if symbol is None:
            self.scope.report_unknown(expr.name, "not declared", ("cache",))
            self.indices(expr.index)
            return BAD
        symbol.used = True
        self.typed.refs[expr] = symbol
        fine = self.indices(expr.index)
        array = isinstance(symbol, InputSym) and symbol.array
        if not (array or isinstance(symbol, TableSym | ListSym)):
            self._no_index(expr, symbol)
            return BAD
        if self.where in FIXED:
            path = ast.Path((expr.name,), expr.span)
            self.not_constant(path, f"{symbol.kind}, which changes")
            return BAD
        if isinstance(symbol, TableSym | InputSym):
            ok = self.table_element(expr, symbol) and fine
            return symbol.type if ok and symbol.type is not None else BAD
        assert isinstance(symbol, ListSym)
        if not self.array_index(symbol, expr.index, expr.span) or not fine or not self.evicting(expr.span, "a list"):
            return BAD
        if [member.text for member in expr.members] != ["size"]:
            self._list_member(expr)
            return BAD
        return U64

    def field_element(self, expr: ast.FieldElement, read: bool = True) -> FieldSym | None:
        """The array of which `expr`, which is read or assigned to, is an element. None after an error."""
        path = expr.path
        folio = self.scope.find(path.parts[0].text)
        fine = self.indices(expr.index)
        field = self.typed.symbols.fields.get(path.parts[1].text)
        if not isinstance(folio, FolioSym) or field is None:
            if self.path(path) is not None:  # it reports what is unknown
                why = "only tables and arrays take one"
                self.report.error(
                    "E0216", expr.span, f"`{path.text}` takes no index", why=why, help=f"write `{path.text}`"
                )
            return None
        folio.used = True
        self.typed.refs[path] = folio
        used = field.used
        if self.folio_member(path, folio) is None:
            return None
        field.used = used or read
        if not field.length or len(expr.index) != 1:
            given = len(expr.index)
            what = f"takes one index, not {given}" if field.length else "is a single value and takes no index"
            helps = "" if field.length else f"write `{path.text}`, or declare `{field.name}: {field.type}[N]`"
            self.report.error("E0216", expr.span, f"`{path.text}` {what}", help=helps)
            return None
        return field if fine else None

    def table_element(self, expr: ast.Element, table: TableSym | InputSym) -> bool:
        """Whether `expr` has an index for each dimension of a table or an array, and no member. It reports an error
        if not.
        """
        if expr.members:
            self.report.error(
                "E0106",
                expr.members[0].span,
                f"an element of `{table.name}` is a plain value and has no parts",
                help="remove what stands behind the index",
            )
            return False
        assert table.decl is not None
        sizes, given = len(table.decl.sizes), len(expr.index)
        if given == sizes:
            return True
        self.report.error(
            "E0216",
            expr.span,
            f"`{table.name}` takes {_indices(sizes)}, not {given}",
            label=f"{_indices(given)} here",
            help=f"write `{table.name}[{', '.join(['…'] * sizes)}]`",
        )
        return False

    def array_index(self, symbol: ListSym, index: tuple[ast.Expr, ...], span: Span) -> bool:
        """Whether `symbol` is an array of lists and there is one index. It reports an error if not."""
        if symbol.length is None:
            self.report.error(
                "E0216",
                span,
                f"`{symbol.name}` is one list, not an array",
                label="it takes no index",
                help=f"write `{symbol.name}`, or declare `list {symbol.name}[N]`",
            )
            return False
        if len(index) == 1:
            return True
        self.report.error(
            "E0216",
            span,
            f"`{symbol.name}` takes one index, not {len(index)}",
            label="too many",
            help=f"write `{symbol.name}[i]`",
        )
        return False

    def indices(self, index: tuple[ast.Expr, ...]) -> bool:
        """Whether each index is a `u64` or a member of an enum. It reports an error if not."""
        passed = [self.index(expr) for expr in index]  # all, so that each is reported
        return all(passed)

    def index(self, expr: ast.Expr) -> bool:
        raise NotImplementedError

    def _no_index(self, expr: ast.Element, symbol: Symbol) -> None:
        self.report.error(
            "E0216",
            expr.span,
            f"`{symbol.name}` is {symbol.kind} and takes no index",
            why="only tables and arrays take one",
            help=f"write `{symbol.name}.has(…)`" if isinstance(symbol, InputSym) else "",
        )

    def _list_member(self, expr: ast.Element) -> None:
        name = expr.name.text
        if not expr.members:
            helps = f"write `{name}[…].size`, or compare `f.list == {name}`"
            self.report.error("E0107", expr.span, "a list has no value of its own", help=helps)
            return
        self.report.error(
            "E0106",
            expr.members[0].span,
            f"a list has no `{expr.members[0].text}`",
            why="it has `size`",
            help=f"write `{name}[…].size`",
        )


def _indices(count: int) -> str:
    return "one index" if count == 1 else f"{count} indices"
