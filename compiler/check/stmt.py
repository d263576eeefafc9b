"""Checks handlers and statements."""

from __future__ import annotations

from cpol.compiler.check.action import check_call
from cpol.compiler.check.interval import interval
from cpol.compiler.check.match import MatchChecker
from cpol.compiler.check.prefetch import check_ahead, check_default, check_hold, check_prefetch, check_range
from cpol.compiler.check.scope import type_named
from cpol.compiler.check.symbols import (
    BUILT_IN,
    BindSym,
    FieldSym,
    FolioSym,
    InputSym,
    LetSym,
    ListSym,
    ParamSym,
    RecordSym,
    StateSym,
    TableSym,
    VarSym,
)
from cpol.compiler.check.unsettled import BAD
from cpol.compiler.diagnostics.words import suggest
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.walk import nodes, statements
from cpol.compiler.types import BOOL, U64, FixType, IntType, widened
from cpol.compiler.vocabulary.event import PREFETCH_EVENTS, UNCACHED


class StmtChecker(MatchChecker):
    """Checks the body of one handler."""

    def block(self, body: tuple[ast.Stmt, ...]) -> bool:
        """Whether all statements of `body` are valid, in a scope of their own. It reports errors."""
        self.scope.open()
        fine = self._statements(body)
        self.scope.close()
        return fine

    def _statements(self, body: tuple[ast.Stmt, ...]) -> bool:
        passed = [self._statement(stmt) for stmt in body]  # all, so that each is reported
        return all(passed)

    def _statement(self, stmt: ast.Stmt) -> bool:
        if isinstance(stmt, ast.Let):
            return self._let(stmt)
        if isinstance(stmt, ast.Var):
            return self._var(stmt)
        if isinstance(stmt, ast.Assign):
            return self._assign(stmt)
        if isinstance(stmt, ast.CallStmt):
            return self._call(stmt)
        if isinstance(stmt, ast.Do):
            return self._do(stmt)
        if isinstance(stmt, ast.Match):
            return self.match(stmt)
        if isinstance(stmt, ast.If):
            return self._branches(stmt.branches, stmt.orelse, "the condition of an `if`")
        if isinstance(stmt, ast.For):
            return self._for(stmt)
        if isinstance(stmt, ast.While):
            return self._while(stmt)
        if isinstance(stmt, ast.Place):
            return self.place(stmt)
        if isinstance(stmt, ast.Leave):
            return check_range(self, stmt) if self.event in PREFETCH_EVENTS else self.leave(stmt)
        if isinstance(stmt, ast.Refuse):
            return self.refuse(stmt)
        if isinstance(stmt, ast.Move):
            return self.move(stmt)
        if isinstance(stmt, ast.Scan):
            return self._scan(stmt)
        if isinstance(stmt, ast.Evict):
            return self.evict(stmt)
        if isinstance(stmt, ast.EvictByScore):
            return self.evict_by_score(stmt)
        if isinstance(stmt, ast.Pin | ast.Unpin):
            return self.pin(stmt)
        if isinstance(stmt, ast.Prefetch):
            return check_prefetch(self, stmt)
        if isinstance(stmt, ast.Default):
            return check_default(self, stmt)
        if isinstance(stmt, ast.Drop | ast.Flush):
            return check_range(self, stmt)
        if isinstance(stmt, ast.Ahead):
            return check_ahead(self, stmt)
        if isinstance(stmt, ast.Hold):
            return check_hold(self, stmt)
        if isinstance(stmt, ast.Reclaim):
            return self.reclaim(stmt)
        return self._in_loop(stmt)

    def _branches(self, branches: tuple[ast.Branch, ...], orelse: ast.Block | None, what: str) -> bool:
        fine = True
        for branch in branches:
            fine = self.expr.check(branch.cond, BOOL, what) is not None and fine
            fine = self.block(branch.block.body) and fine
        return (orelse is None or self.block(orelse.body)) and fine

    def _in_loop(self, stmt: ast.Stop | ast.Keep) -> bool:
        if isinstance(stmt, ast.Stop) and not self.scans and not self.loops:
            why = "there is no loop around it"
            self.report.error(
                "E0312",
                stmt.span,
                "`stop` belongs in a `scan`, a `for` or a `while`",
                why=why,
                help="remove it, or put the statements after it into `else`",
            )
            return False
        if isinstance(stmt, ast.Keep) and not self.scans:
            why = "there is no scan around it"
            helps = "write `keep p`, to keep the pages in memory" if self.event == "swap" else ""
            self.report.error("E0312", stmt.span, "`keep` belongs in a `scan`", why=why, help=helps)
            return False
        return True

    # Values

    def _let(self, stmt: ast.Let) -> bool:
        index = isinstance(stmt, ast.BindIndex)
        type = self.expr.check(stmt.value) if not index or self.expr.index(stmt.value) else None
        symbol = LetSym(stmt.name.text, stmt.name.span, type, silent=index)
        symbol.decl = stmt
        if type is not None and not index:  # another call of an action may give it another index
            symbol.range = interval(self.typed, stmt.value)
        self.typed.refs[stmt.name] = symbol
        return self.scope.declare(symbol, stmt.name) and type is not None

    def _var(self, stmt: ast.Var) -> bool:
        type = type_named(self.typed.symbols, stmt.type, self.report)
        if type is None:
            self.expr.check(stmt.value)
        # A copy of an action's body may have given a parameter another name.
        what = f"`{self.report.source.slice(stmt.name.span)}`"
        fine = type is not None and self.expr.store(stmt.value, type, what)
        symbol: LetSym = VarSym(stmt.name.text, stmt.name.span, type)
        if isinstance(stmt, ast.Bind):
            symbol = BindSym(stmt.name.text, stmt.name.span, type, silent=True)
        symbol.decl = stmt
        self.typed.refs[stmt.name] = symbol
        return self.scope.declare(symbol, stmt.name) and fine

    def _for(self, stmt: ast.For) -> bool:
        low = self.expr.check(stmt.low, U64, "the start of a `for`")
        high = self.expr.check(stmt.high, U64, "the end of a `for`")
        self.scope.open()
        symbol = LetSym(stmt.name.text, stmt.name.span, U64, silent=True)
        if low is not None and high is not None:
            least, most = interval(self.typed, stmt.low, U64)[0], interval(self.typed, stmt.high, U64)[1]
            symbol.range = (least, max(least, most))
        self.typed.refs[stmt.name] = symbol
        free = self.scope.declare(symbol, stmt.name)
        self.loops += 1
        fine = self.block(stmt.block.body)
        self.loops -= 1
        self.scope.close()
        return low is not None and high is not None and free and fine

    def _while(self, stmt: ast.While) -> bool:
        fine = self.expr.check(stmt.cond, BOOL, "the condition of a `while`") is not None
        fine = self.expr.count(stmt.bound, "the bound of a `while`") and fine
        self.loops += 1
        fine = self.block(stmt.block.body) and fine
        self.loops -= 1
        return fine

    def _assign(self, stmt: ast.Assign) -> bool:
        if isinstance(stmt.target, ast.Element):
            target: StateSym | VarSym | FieldSym | TableSym | None = self._element(stmt.target)
        elif isinstance(stmt.target, ast.FieldElement):
            target = self.expr.field_element(stmt.target, read=False)
        else:
            target = self._target(stmt.target)
        if target is None or target.type is None:
            self.expr.check(stmt.value)
            return False
        self.typed.refs[stmt.target] = target
        target.written = True
        what = f"`{target.name if isinstance(stmt.target, ast.Element) else stmt.target.text}`"
        type = widened(target.type)
        fine = stmt.op == "=" or isinstance(stmt.target, ast.Path) or self._no_effect(stmt.target)
        if stmt.op != "=" and not isinstance(type, IntType | FixType):
            self.report.error(
                "E0201", stmt.span, f"`{stmt.op}` needs a number, and {what} is a `{type}`", help="write `=`"
            )
            return False
        if stmt.op == "=":
            return self.expr.store(stmt.value, target.type, what)
        return self.expr.check(stmt.value, type, what) is not None and fine

    def _element(self, expr: ast.Element) -> TableSym | None:
        """The table whose element an assignment changes. None after an error."""
        symbol = self.scope.find(expr.name.text)
        if isinstance(symbol, TableSym):
            fine = self.expr.indices(expr.index)
            return symbol if self.expr.table_element(expr, symbol) and fine else None
        if isinstance(symbol, InputSym) and symbol.array:
            if self.expr.element(expr) is not BAD:
                why = "user space writes inputs; keep what the policy computes in a `table`"
                message = f"`{symbol.name}` cannot be assigned to"
                self.report.error(
                    "E0210",
                    expr.span,
                    message,
                    label="this is an input",
                    why=why,
                    help=f"declare `table NAME: u64[{symbol.name}.size] = 0` and assign to its elements",
                )
        elif not isinstance(symbol, ListSym):
            self.expr.element(expr)
        elif self.expr.indices(expr.index) and self.expr.array_index(symbol, expr.index, expr.span):
            text = " ".join(self.report.source.slice(expr.span).split())
            self.report.error(
                "E0210",
                expr.span,
                f"`{text}` cannot be assigned to",
                label="this is a list",
                why="`place` and `move` put folios on lists",
                help=f"write `place f at tail of {text}` or `move f to tail of {text}`",
            )
        return None

    def _no_effect(self, expr: ast.Element | ast.FieldElement) -> bool:
        """Whether the index of a compound assignment has no side effects. It reports an error if it has."""
        fine = True
        for call in (node for part in expr.index for node in nodes(part) if isinstance(node, ast.Call)):
            if call.callee.parts[-1].text in ("random", "take"):
                fine = False
                self.report.error(
                    "E0212",
                    call.span,
                    "the index of an assignment by `+=`, `-=` or `*=` cannot change anything",
                    why=f"`{call.callee.parts[-1].text}` would run twice and could give two elements",
                    help="name it first: `let i = …`",
                )
        return fine

    def _target(self, path: ast.Path) -> StateSym | VarSym | FieldSym | None:
        """The variable that an assignment changes. None after an error."""
        if self.expr.names_record(path):
            return self.expr.record_field(path)
        first = path.parts[0]
        symbol = self.scope.find(first.text)
        if symbol is None:
            states = [s.name for s in self.typed.symbols.names.values() if isinstance(s, StateSym)]
            if first.text in (*BUILT_IN, "evict", "every"):
                self._not_assignable(path, "no state, field or table")
            elif len(path.parts) > 1:
                self.scope.report_unknown(first, "not declared", ("cache", "task"))
            elif first.text not in self.scope.unknown:
                self.scope.unknown.add(first.text)
                helps = self.scope.as_field(first.text) or suggest(first.text, states)
                helps = helps or f"declare `state {first.text}: u64 = 0`"
                self.report.error("E0101", path.span, f"nothing here is called `{first.text}`", help=helps)
            return None
        if isinstance(symbol, StateSym | VarSym) and len(path.parts) == 1:
            return symbol
        if isinstance(symbol, FolioSym) and len(path.parts) == 2:
            return self._field(path, symbol)
        symbol.used = True
        if len(path.parts) == 1:
            helps = ""
            if isinstance(symbol, LetSym) and not symbol.silent and symbol.type is not None:
                helps = f"declare it by `var {path.text}: {symbol.type} = …`"
            elif isinstance(symbol, ParamSym) and symbol.type is not None:
                helps = f"declare `state {path.text}: {symbol.type} = …`; `cpolc set` changes a `live` param"
            elif isinstance(symbol, TableSym):
                helps = f"write `{path.text}[i]` for one of its elements"
            self._not_assignable(path, symbol.kind, helps)
        elif isinstance(symbol, RecordSym) and path.parts[1].text in symbol.fields:
            self.expr.path(path)  # reports that it does not say of which file
        else:
            self._not_assignable(path, f"not a field: `{first.text}` is {symbol.kind}")
        return None

    def _field(self, path: ast.Path, folio: FolioSym) -> FieldSym | None:
        folio.used = True
        member = path.parts[1].text
        fields = self.typed.symbols.fields
        if member in fields and not folio.uncached and not fields[member].length:
            return fields[member]
        if self.expr.path(path) is not None:  # a built-in attribute; `path` reports unknown ones
            self._not_assignable(path, "an attribute that the cache sets")
        return None

    def _not_assignable(self, path: ast.Path, what: str, help: str = "") -> None:
        self.report.error(
            "E0210",
            path.span,
            f"`{self.report.source.slice(path.span)}` cannot be assigned to",
            label=f"this is {what}",
            why="only a `state`, a `var`, a field of a record and an element of a table can change",
            help=help,
        )

    def _call(self, stmt: ast.CallStmt) -> bool:
        fine = self.expr.statement(stmt.call)
        method = stmt.call.callee.parts[-1].text
        if self.event in UNCACHED and method in ("add", "forget_oldest"):
            self.report.error(
                "E0301",
                stmt.span,
                f"`{method}` cannot be used in {self.here}",
                why="before a folio is in the cache, only states and tables can change",
                help="do it in `on added` or `on removed`",
            )
            return False
        return fine

    def _do(self, stmt: ast.Do) -> bool:
        """Check a call of an action, and what the call does."""
        if not check_call(self.expr, stmt):
            return False
        return stmt.body is not None and self.block(stmt.body)

    def _scan(self, stmt: ast.Scan) -> bool:
        source = self.list(stmt.list)
        fine = self.not_nested(stmt.list) and source is not None
        bounded = stmt.bound is None or self.expr.count(stmt.bound, "the bound of a scan")
        fine = bounded and self.may_scan(stmt) and fine
        if source is not None and _drains(stmt):
            source.drained = True
        self.scope.open()
        folio = FolioSym(stmt.folio.text, stmt.folio.span, stmt.list.text, scanned=True)
        self.typed.refs[stmt.folio] = folio
        fine = self.scope.declare(folio, stmt.folio) and fine
        self.scans.append((stmt.list.text, stmt))
        self.scope.open()
        fine = self._statements(stmt.body) and fine
        fine = self._branches(stmt.arms, stmt.otherwise, "the condition of a `when`") and fine
        self.scope.close()
        self.scans.pop()
        self.scan_reported = self.scan_reported and bool(self.scans)
        self.scope.close()
        return fine


def _drains(scan: ast.Scan) -> bool:
    """Whether the scan can remove folios from its list."""
    gone = [stmt for stmt in statements((scan,)) if isinstance(stmt, ast.Evict | ast.Move)]
    return any(
        isinstance(stmt, ast.Evict) or stmt.list.text != scan.list.text or scan.list.index is not None
        for stmt in gone
        if stmt.folio.text == scan.folio.text
    )
