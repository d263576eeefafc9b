"""Typed AST to IR."""

from __future__ import annotations

from typing import Literal

from cpol.compiler import ast, ir
from cpol.compiler.lower_expr import lower_expr
from cpol.compiler.source import Source, Span
from cpol.compiler.symbols import FieldSym, GhostSym, ParamSym, ScoreSym, StateSym, Typed, widened

_COMPOUND: dict[str, Literal["add", "sub", "mul"]] = {"+=": "add", "-=": "sub", "*=": "mul"}


def lower(typed: Typed, source: Source) -> ir.Policy:
    """The IR of a policy that passed every check."""
    return _Lowerer(typed, source).policy()


class _Lowerer:
    def __init__(self, typed: Typed, source: Source) -> None:
        self.typed = typed
        self.source = source

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
            fields=tuple(self._variable(s) for s in symbols.fields.values()),
            scores=tuple(self._score(s) for s in names if isinstance(s, ScoreSym)),
            handlers=handlers,
            invariants=tuple(self._invariant(i) for i in symbols.invariants),
        )

    # Declarations

    def _param(self, s: ParamSym) -> ir.ParamDecl:
        assert s.type is not None
        return ir.ParamDecl(s.name, s.type, s.default, s.low, s.high, s.doc, self.pos(s.span))

    def _variable(self, s: StateSym | FieldSym) -> ir.VarDecl:
        assert s.type is not None
        return ir.VarDecl(s.name, s.type, s.init, self.pos(s.span))

    def _ghost(self, s: GhostSym) -> ir.GhostDecl:
        assert s.capacity is not None
        return ir.GhostDecl(s.name, lower_expr(self.typed, s.capacity, ir.U64), self.pos(s.span))

    def _score(self, s: ScoreSym) -> ir.ScoreDecl:
        assert s.decl is not None
        return ir.ScoreDecl(s.name, s.decl.folio.text, lower_expr(self.typed, s.decl.body), self.pos(s.span))

    def _invariant(self, invariant: ast.Invariant) -> ir.Invariant:
        text = " ".join(self.source.slice(invariant.cond.span).split())
        return ir.Invariant(lower_expr(self.typed, invariant.cond), text, self.pos(invariant.span))

    def _handler(self, event: str, handler: ast.Handler) -> ir.Handler:
        folio, why = (*(name.text for name in handler.params), None, None)[:2]
        return ir.Handler(event, folio, why, self._body(handler.block.body), self.pos(handler.span))

    # Statements

    def _body(self, body: tuple[ast.Stmt, ...]) -> tuple[ir.Stmt, ...]:
        lowered = (self._statement(stmt) for stmt in body)
        return tuple(stmt for stmt in lowered if stmt is not None)

    def _statement(self, stmt: ast.Stmt) -> ir.Stmt | None:
        pos = self.pos(stmt.span)
        if isinstance(stmt, ast.Let):
            return ir.Let(stmt.name.text, lower_expr(self.typed, stmt.value), pos)
        if isinstance(stmt, ast.Assign):
            return self._assign(stmt, pos)
        if isinstance(stmt, ast.CallStmt):
            receiver, _ = stmt.call.callee.parts
            folio = stmt.call.args[0]
            assert isinstance(folio, ast.Path)
            return ir.GhostAdd(receiver.text, folio.text, pos)
        if isinstance(stmt, ast.If):
            orelse = self._body(stmt.orelse.body) if stmt.orelse is not None else ()
            branches = self._branches(stmt.branches, orelse)
            assert len(branches) == 1
            return branches[0]
        if isinstance(stmt, ast.Place):
            return ir.Place(stmt.folio.text, stmt.end, stmt.list.text, pos)
        if isinstance(stmt, ast.Move):
            return ir.Move(stmt.folio.text, stmt.end, stmt.list.text, pos)
        if isinstance(stmt, ast.Scan):
            return self._scan(stmt, pos)
        if isinstance(stmt, ast.Evict):
            return ir.Propose(stmt.folio.text, pos)
        if isinstance(stmt, ast.EvictLowest):
            bound = lower_expr(self.typed, stmt.bound, ir.U64)
            return ir.EvictLowest(stmt.score.text, bound, stmt.end, stmt.list.text, pos)
        return ir.Stop(pos) if isinstance(stmt, ast.Stop) else None  # `keep` does nothing

    def _branches(self, branches: tuple[ast.Branch, ...], orelse: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
        """`if … else if … else …` as nested `If`s."""
        for branch in reversed(branches):
            cond = lower_expr(self.typed, branch.cond)
            orelse = (ir.If(cond, self._body(branch.block.body), orelse, self.pos(branch.span)),)
        return orelse

    def _scan(self, stmt: ast.Scan, pos: ir.Pos) -> ir.Stmt:
        bound = lower_expr(self.typed, stmt.bound, ir.U64) if stmt.bound is not None else None
        orelse = self._body(stmt.otherwise.body) if stmt.otherwise is not None else ()
        body = (*self._body(stmt.body), *self._branches(stmt.arms, orelse))
        return ir.Scan(stmt.list.text, stmt.end, bound, stmt.folio.text, body, pos)

    def _assign(self, stmt: ast.Assign, pos: ir.Pos) -> ir.Stmt:
        target = self.typed.refs[stmt.target]
        assert isinstance(target, StateSym | FieldSym) and target.type is not None
        wide = widened(target.type)
        value = lower_expr(self.typed, stmt.value, wide)
        folio = stmt.target.parts[0].text
        if stmt.op != "=":
            old: ir.Expr = (
                ir.State(target.name, target.type)
                if isinstance(target, StateSym)
                else ir.Field(folio, target.name, target.type)
            )
            if target.type != wide:
                old = ir.Convert(old, wide)
            value = ir.Arith(_COMPOUND[stmt.op], old, value, wide)
        if isinstance(target, StateSym):
            return ir.SetState(target.name, value, pos)
        return ir.SetField(folio, target.name, value, pos)
