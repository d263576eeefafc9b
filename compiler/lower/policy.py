"""Lowers the typed AST of a policy to IR."""

from __future__ import annotations

from typing import Literal

from cpol.compiler import arithmetic, ir
from cpol.compiler.check.cache_quota import cache_quota, unit_of
from cpol.compiler.check.interval import interval
from cpol.compiler.check.pin import KEEPS, quotas
from cpol.compiler.check.symbols import (
    BindSym,
    FieldSym,
    FnSym,
    GhostSym,
    InputSym,
    ListSym,
    ParamSym,
    RecordFieldSym,
    RecordSym,
    ScoreSym,
    StateSym,
    TableSym,
    Typed,
    VarSym,
)
from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.lower import age
from cpol.compiler.lower.expr import RECORDS, lower_expr, lower_stored, narrow, record_field, widen
from cpol.compiler.lower.test import lower_test
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.build.stmt import MATCH_CHAIN
from cpol.compiler.types import MAX_RECORDS, End, widened
from cpol.compiler.vocabulary.event import RANGE_EVENTS

_KEYS: dict[str, Literal["thread", "process", "comm", "file", "page", "device", "cgroup", "index"]] = {
    "thread": "thread", "process": "process", "comm": "comm", "file": "file", "page": "page",
    "device": "device", "cgroup": "cgroup", "index": "index",
}  # fmt: skip
QUOTA_MS = 1000
"""How often `cache up to N` is looked at without events."""

_COMPOUND: dict[str, Literal["add", "sub", "mul"]] = {"+=": "add", "-=": "sub", "*=": "mul"}


def lower(typed: Typed, source: Source) -> ir.Policy:
    """The IR of a policy that passed all checks."""
    return _Lowerer(typed, source).policy()


class _Lowerer:
    def __init__(self, typed: Typed, source: Source) -> None:
        self.typed = typed
        self.source = source
        self.far: dict[str, End] = {}  # the end at which the scan of each folio stops
        self.event = ""  # of the handler that is lowered

    def pos(self, span: Span) -> ir.Pos:
        return self.source.pos(span.start)

    def policy(self) -> ir.Policy:
        symbols = self.typed.symbols
        names = symbols.names.values()
        handlers = {event: self._handler(event, handler) for event, handler in symbols.handlers.items()}
        return ir.Policy(
            name=symbols.policy.name.text,
            doc=symbols.policy.doc,
            path=self.source.path,
            params=tuple(self._param(s) for s in names if isinstance(s, ParamSym)),
            states=tuple(self._variable(s) for s in names if isinstance(s, StateSym)),
            lists=tuple(s.name for s in symbols.lists()),
            ghosts=tuple(self._ghost(s) for s in names if isinstance(s, GhostSym)),
            fields=(
                *map(self._variable, symbols.fields.values()),
                *age.field(self.typed, self.pos(symbols.policy.name.span)),
            ),
            scores=tuple(self._score(s) for s in names if isinstance(s, ScoreSym)),
            handlers=handlers,
            invariants=tuple(self._invariant(i) for i in symbols.invariants),
            list_arrays=tuple(self._array(s) for s in symbols.lists() if s.length is not None),
            tables=tuple(self._table(s) for s in names if isinstance(s, TableSym)),
            inputs=tuple(self._input(s) for s in names if isinstance(s, InputSym)),
            fns=tuple(self._fn(s) for s in names if isinstance(s, FnSym)),
            everies=(*(self._every(every) for every in symbols.everies), *self._looks_after()),
            pin=next((self._quota(decl) for decl in quotas(symbols)), None),
            keep=next((self._quota(decl) for decl in quotas(symbols, KEEPS)), None),
            tests=tuple(case for test in symbols.tests for case in lower_test(self.typed, self.source, test)),
        )

    # Declarations

    def _param(self, s: ParamSym) -> ir.ParamDecl:
        assert s.type is not None
        return ir.ParamDecl(s.name, s.type, s.default, s.low, s.high, s.doc, self.pos(s.span), s.unit, s.live)

    def _variable(self, s: StateSym | FieldSym) -> ir.VarDecl:
        assert s.type is not None
        length = s.length if isinstance(s, FieldSym) else 0
        return ir.VarDecl(s.name, s.type, s.init, self.pos(s.span), length)

    def _ghost(self, s: GhostSym) -> ir.GhostDecl:
        assert s.capacity is not None
        fields = tuple(self._variable(field) for field in s.fields.values())
        capacity = lower_expr(self.typed, s.capacity, ir.U64)
        if not isinstance(s, RecordSym):
            return ir.GhostDecl(s.name, capacity, self.pos(s.span), fields)
        if interval(self.typed, s.capacity, ir.U64)[1] > MAX_RECORDS:
            capacity = ir.Arith("min", capacity, ir.Const(MAX_RECORDS, ir.U64), ir.U64)
        return ir.GhostDecl(s.name, capacity, self.pos(s.span), fields, RECORDS[s.name])

    def _array(self, s: ListSym) -> ir.ListArray:
        assert s.length is not None
        return ir.ListArray(s.name, lower_expr(self.typed, s.length, ir.U64), self.pos(s.span))

    def _table(self, s: TableSym) -> ir.TableDecl:
        assert s.decl is not None and s.type is not None
        sizes = tuple(lower_expr(self.typed, size, ir.U64) for size in s.decl.sizes)
        return ir.TableDecl(s.name, s.type, sizes, s.init, self.pos(s.span))

    def _input(self, s: InputSym) -> ir.InputDecl:
        assert s.decl is not None
        size = lower_expr(self.typed, s.decl.sizes[0], ir.U64) if s.array else None
        key = _KEYS[s.decl.key.text]
        return ir.InputDecl(s.name, key, s.type, s.default, s.decl.doc, self.pos(s.span), size)

    def _quota(self, decl: ast.PinDecl | ast.KeepDecl) -> ir.PinDecl:
        return ir.PinDecl(lower_expr(self.typed, decl.quota, ir.U64), self.pos(decl.span))

    def _fn(self, s: FnSym) -> ir.FnDecl:
        assert s.decl is not None and s.type is not None
        params = tuple((param.name.text, type) for param, type in zip(s.decl.params, s.params, strict=True))
        lets = tuple(
            ir.Let(let.name.text, lower_expr(self.typed, let.value), self.pos(let.span)) for let in s.decl.lets
        )
        body = lower_stored(self.typed, s.decl.body, s.type)
        return ir.FnDecl(s.name, params, body, s.type, self.pos(s.span), lets)

    def _every(self, every: ast.Every) -> ir.Every:
        period = lower_expr(self.typed, every.period, ir.U64)
        low, high = interval(self.typed, every.period, ir.U64)
        if low == high:
            period = ir.Const(low, ir.U64)
        elif low < 1:
            period = ir.Arith("max", period, ir.Const(1, ir.U64), ir.U64)
        unit: Literal["events", "ms"] = "events" if every.unit.text == "events" else "ms"
        return ir.Every(period, unit, self._body(every.block.body), self.pos(every.span))

    def _score(self, s: ScoreSym) -> ir.ScoreDecl:
        assert s.decl is not None
        return ir.ScoreDecl(s.name, s.decl.folio.text, lower_expr(self.typed, s.decl.body), self.pos(s.span))

    def _invariant(self, invariant: ast.Invariant) -> ir.Invariant:
        text = " ".join(self.source.slice(invariant.cond.span).split())
        return ir.Invariant(lower_expr(self.typed, invariant.cond), text, self.pos(invariant.span))

    def _handler(self, event: str, handler: ast.Handler) -> ir.Handler:
        self.event = event
        folio, why = (*(name.text for name in handler.params), None, None)[:2]
        body = self._body(handler.block.body)
        if event == "added":
            body = age.comes(self.typed, folio, self.pos(handler.span)) + body
        if event == "added" and (quota := cache_quota(self.typed.symbols)) is not None:
            body += (self._over(quota),)
        return ir.Handler(event, folio, why, body, self.pos(handler.span))

    def _looks_after(self) -> tuple[ir.Every, ...]:
        """A quota counts without events, too: of pages that could not go when they came, or after it was changed."""
        quota = cache_quota(self.typed.symbols)
        if quota is None:
            return ()
        return (ir.Every(ir.Const(QUOTA_MS, ir.U64), "ms", (self._over(quota),), self.pos(quota.span)),)

    def _over(self, quota: ast.CacheDecl) -> ir.WantEviction:
        """What `cache up to N` stands for, at the end of `added` and each second: `reclaim cache.size - N`.

        That is 0 within N.
        """
        pages = lower_expr(self.typed, quota.quota, ir.U64)
        if (unit := unit_of(quota)) > 1:
            pages = ir.Arith("mul", pages, ir.Const(unit, ir.U64), ir.U64)
        over = ir.Arith("sub", ir.CacheAttr("size", ir.U64), pages, ir.U64)
        return ir.WantEviction(over, self.pos(quota.span))

    # Statements

    def _body(self, body: tuple[ast.Stmt, ...]) -> tuple[ir.Stmt, ...]:
        lowered: list[ir.Stmt] = []
        for stmt in body:
            if isinstance(stmt, ast.Do):
                lowered += self._body(stmt.body or ())
            elif (made := self._statement(stmt)) is not None:
                lowered.append(made)
        return tuple(lowered)

    def _statement(self, stmt: ast.Stmt) -> ir.Stmt | None:
        pos = self.pos(stmt.span)
        if isinstance(stmt, ast.Let):
            return ir.Let(stmt.name.text, lower_expr(self.typed, stmt.value), pos)
        if isinstance(stmt, ast.Var):
            symbol = self.typed.refs[stmt.name]
            assert isinstance(symbol, VarSym | BindSym) and symbol.type is not None
            value = lower_stored(self.typed, stmt.value, symbol.type)
            if isinstance(symbol, BindSym) and widened(symbol.type) == symbol.type:
                return ir.Let(symbol.name, value, pos)  # nothing assigns to it, so analyses know what it is
            return ir.Var(symbol.name, symbol.type, value, pos)
        if isinstance(stmt, ast.Assign):
            return self._assign(stmt, pos)
        if isinstance(stmt, ast.CallStmt):
            return self._call(stmt.call, pos)
        if isinstance(stmt, ast.If):
            orelse = self._body(stmt.orelse.body) if stmt.orelse is not None else ()
            lower = self._arms if isinstance(stmt, ast.Match) else self._branches
            branches = lower(stmt.branches, orelse)
            assert len(branches) == 1
            return branches[0]
        if isinstance(stmt, ast.Place):
            return ir.Place(stmt.folio.text, stmt.end, self._list(stmt.list), pos)
        if isinstance(stmt, ast.Leave):
            return ir.LeaveFile(pos) if self.event in RANGE_EVENTS else ir.Leave(stmt.folio.text, pos)
        if isinstance(stmt, ast.Refuse):
            return ir.Refuse(stmt.folio.text, pos)
        if isinstance(stmt, ast.Move):
            return ir.Move(stmt.folio.text, stmt.end, self._list(stmt.list), pos)
        if isinstance(stmt, ast.For):
            low, high = lower_expr(self.typed, stmt.low, ir.U64), lower_expr(self.typed, stmt.high, ir.U64)
            return ir.For(stmt.name.text, low, high, self._body(stmt.block.body), pos)
        if isinstance(stmt, ast.While):
            return self._while(stmt, pos)
        if isinstance(stmt, ast.Scan):
            return self._scan(stmt, pos)
        if isinstance(stmt, ast.Evict):
            return ir.Evict(stmt.folio.text, self.far[stmt.folio.text], pos)
        if isinstance(stmt, ast.EvictByScore):
            bound = lower_expr(self.typed, stmt.bound, ir.U64)
            return ir.EvictByScore(stmt.score.text, bound, stmt.end, self._list(stmt.list), pos, stmt.highest)
        if isinstance(stmt, ast.Pin):
            return ir.Pin(stmt.folio.text, pos)
        if isinstance(stmt, ast.Unpin):
            return ir.Unpin(stmt.folio.text, pos)
        if isinstance(stmt, ast.Prefetch):
            return self._prefetch(stmt, pos)
        if isinstance(stmt, ast.Default):
            return ir.Default(pos)
        if isinstance(stmt, ast.Hold):
            return ir.Hold(pos)
        if isinstance(stmt, ast.Drop):
            return ir.Drop(pos)
        if isinstance(stmt, ast.Flush):
            return ir.Flush(stmt.wait, pos)
        if isinstance(stmt, ast.Ahead):
            return ir.Ahead(lower_expr(self.typed, stmt.pages, ir.U64), pos)
        if isinstance(stmt, ast.Reclaim):
            return ir.WantEviction(lower_expr(self.typed, stmt.pages, ir.U64), pos)
        return ir.Stop(pos) if isinstance(stmt, ast.Stop) else None  # `keep` does nothing

    def _prefetch(self, stmt: ast.Prefetch, pos: ir.Pos) -> ir.Prefetch:
        """Lower a `prefetch`. Its numbers are s64, which saturates: those above lie in no file and on no device."""
        one, none = ir.Const(1, ir.U64), ir.Const(0, ir.S64)
        target = self._signed(stmt.target)
        if stmt.space is not None:
            return ir.Prefetch("slot" if stmt.space.text == "slot" else "page", target, one, none, pos)
        count = one if stmt.bound is None else lower_expr(self.typed, stmt.bound, ir.U64)
        stride = ir.Const(1, ir.S64) if stmt.stride is None else self._signed(stmt.stride)
        return ir.Prefetch("index", target, count, stride, pos)

    def _signed(self, expr: ast.Expr) -> ir.Expr:
        """Lower a whole number to s64."""
        value = lower_expr(self.typed, expr)
        if isinstance(value, ir.Const):
            return ir.Const(arithmetic.convert(value.value, value.type, ir.S64, "floor"), ir.S64)
        return value if value.type == ir.S64 else ir.Convert(value, ir.S64)

    def _list(self, ref: ast.ListRef) -> ir.ListRef:
        return ir.ListRef(ref.text, None if ref.index is None else lower_expr(self.typed, ref.index, ir.U64))

    def _call(self, call: ast.Call, pos: ir.Pos) -> ir.Stmt:
        """Lower a ghost statement."""
        ghost = self.typed.symbols.names[call.callee.parts[0].text]
        assert isinstance(ghost, GhostSym)
        method = call.callee.parts[1].text
        if method == "forget_oldest":
            return ir.GhostForget(ghost.name, pos)
        folio = call.args[0]
        assert isinstance(folio, ast.Path)
        if method == "take":
            return ir.GhostDrop(ghost.name, folio.text, pos)
        given = {named.name.text: named.value for named in call.named}
        values = tuple(
            lower_stored(self.typed, given[f.name], f.type) if f.name in given else ir.Const(f.init, f.type)
            for f in ghost.fields.values()
            if f.type is not None
        )
        return ir.GhostAdd(ghost.name, folio.text, pos, values)

    def _branches(self, branches: tuple[ast.Branch, ...], orelse: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
        """Lower `if … else if … else …` to nested `If`s."""
        for branch in reversed(branches):
            cond = lower_expr(self.typed, branch.cond)
            orelse = (ir.If(cond, self._body(branch.block.body), orelse, self.pos(branch.span)),)
        return orelse

    def _arms(self, branches: tuple[ast.Branch, ...], orelse: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
        """Lower a `match`: as `if … else if …`; if it is long, by halves, so that no pass recurses deeply."""
        if len(branches) <= MATCH_CHAIN:
            return self._branches(branches, orelse)
        half = len(branches) // 2
        first, rest = branches[:half], branches[half:]
        cond = any_of([lower_expr(self.typed, branch.cond) for branch in first])
        then = self._arms(first[:-1], self._body(first[-1].block.body))
        return (ir.If(cond, then, self._arms(rest, orelse), self.pos(branches[0].span)),)

    def _while(self, stmt: ast.While, pos: ir.Pos) -> ir.Stmt:
        """Lower a `while` to a `for` that counts up to the bound, and stops where the condition does not hold."""
        ends = ir.If(ir.Not(lower_expr(self.typed, stmt.cond)), (ir.Stop(pos),), (), self.pos(stmt.cond.span))
        bound = lower_expr(self.typed, stmt.bound, ir.U64)
        return ir.For(ir.ROUND, ir.Const(1, ir.U64), bound, (ends, *self._body(stmt.block.body)), pos)

    def _scan(self, stmt: ast.Scan, pos: ir.Pos) -> ir.Stmt:
        bound = lower_expr(self.typed, stmt.bound, ir.U64) if stmt.bound is not None else None
        self.far[stmt.folio.text] = stmt.end.far
        orelse = self._body(stmt.otherwise.body) if stmt.otherwise is not None else ()
        body = (*self._body(stmt.body), *self._branches(stmt.arms, orelse))
        return ir.Scan(self._list(stmt.list), stmt.end, bound, stmt.folio.text, body, pos)

    def _assign(self, stmt: ast.Assign, pos: ir.Pos) -> ir.Stmt:
        target = self.typed.refs[stmt.target]
        assert isinstance(target, StateSym | VarSym | FieldSym | TableSym) and target.type is not None
        wide = widened(target.type)
        indices: tuple[ir.Expr, ...] = ()
        folio = ""
        if not isinstance(stmt.target, ast.Path):
            indices = tuple(lower_expr(self.typed, index, ir.U64) for index in stmt.target.index)
        if not isinstance(stmt.target, ast.Element):
            path = stmt.target.path if isinstance(stmt.target, ast.FieldElement) else stmt.target
            folio = path.parts[0].text
        element = indices[0] if indices else None
        old: ir.Expr
        if isinstance(target, RecordFieldSym):
            assert isinstance(stmt.target, ast.Path)
            old = record_field(self.typed, stmt.target, target)
        elif isinstance(target, StateSym):
            old = ir.State(target.name, target.type)
        elif isinstance(target, VarSym):
            old = ir.Local(target.name, target.type)
        elif isinstance(target, TableSym):
            old = ir.TableGet(target.name, indices, target.type)
        else:
            old = ir.Field(folio, target.name, target.type, element)
        value = lower_expr(self.typed, stmt.value, wide)
        if stmt.op != "=":
            value = ir.Arith(_COMPOUND[stmt.op], widen(old), value, wide)
        value = narrow(value, target.type)
        if isinstance(old, ir.RecordField):
            return ir.SetRecord(old.record, old.folio, old.name, value, pos)
        if isinstance(target, VarSym):
            return ir.SetVar(target.name, target.type, value, pos)
        if isinstance(target, StateSym):
            return ir.SetState(target.name, value, pos)
        if isinstance(target, TableSym):
            return ir.SetTable(target.name, indices, value, pos)
        return ir.SetField(folio, target.name, value, pos, element)


def any_of(conds: list[ir.Expr]) -> ir.Expr:
    """Whether one of the conditions holds."""
    if len(conds) == 1:
        return conds[0]
    half = len(conds) // 2
    return ir.Logic("or", any_of(conds[:half]), any_of(conds[half:]))
