"""Builds AST statements from the parse tree."""

from __future__ import annotations

from typing import Any

from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.build.expr import ExprBuilder, name, span_of, token_span
from cpol.compiler.syntax.build.row import Row
from cpol.compiler.types import End

MAX_NESTING = 50
"""Limit for statements. Each `else if` or `when` counts as a level. It bounds the recursion of later passes."""
MATCH_CHAIN = 8
"""A `match` with more arms is lowered to a choice between its halves, down to chains of so many comparisons."""


def arm_depth(number: int, arms: int) -> int:
    """The levels that arm `number`, from 1, of a `match` with so many counts as."""
    halvings = max((arms - 1) // MATCH_CHAIN, 0).bit_length()
    return min(number, MATCH_CHAIN) + 1 + halvings


class StmtBuilder:
    """Builds the AST of statements."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.row = Row({})
        self.depth = 0
        self.too_deep = False

    def expr(self, ctx: Any) -> ast.Expr:
        return self.builder().expr(ctx)

    def builder(self) -> ExprBuilder:
        """A new builder for one expression."""
        return ExprBuilder(self.report, self.row)

    def block(self, ctx: Any, deeper: int = 1) -> ast.Block:
        body = self._statements(ctx.statement(), deeper, ctx.start)
        return ast.Block(body, span_of(ctx))

    def _statements(self, nodes: list[Any], deeper: int, token: Any) -> tuple[ast.Stmt, ...]:
        if self.depth + deeper > MAX_NESTING:
            if not self.too_deep:
                self.too_deep = True
                self.report.error(
                    "E0007",
                    token_span(token),
                    f"statements are nested more than {MAX_NESTING} deep",
                    why="each further `else if` and `when` counts as one level",
                    help="write it with fewer levels: join conditions by `and`, or use a `fn`",
                )
            return ()
        self.depth += deeper
        built = [self._statement(node.children[0]) for node in nodes]
        self.depth -= deeper
        return tuple(stmt for stmt in built if stmt is not None)

    def _statement(self, ctx: Any) -> ast.Stmt | None:
        kind = type(ctx).__name__.removesuffix("Context")
        build = getattr(self, f"_{kind}")
        stmt: ast.Stmt | None = build(ctx)
        return stmt

    def _LetStmt(self, ctx: Any) -> ast.Stmt:
        return self.let(ctx)

    def let(self, ctx: Any) -> ast.Let:
        return ast.Let(name(ctx.name()), self.expr(ctx.expr()), span_of(ctx))

    def _VarStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Var(name(ctx.name()), name(ctx.typeName()), self.expr(ctx.expr()), span_of(ctx))

    def _IfStmt(self, ctx: Any) -> ast.Stmt:
        branches = [ast.Branch(self.expr(ctx.expr()), self.block(ctx.block()), span_of(ctx))]
        orelse: ast.Block | None = None
        for i, part in enumerate(ctx.elsePart(), 2):
            if orelse is not None:
                self.report.error(
                    "E0016",
                    token_span(part.start),
                    "nothing can come after `else { … }`",
                    label="this can never run",
                    help="write `else if CONDITION { … }` before the last `else`",
                )
                break
            block = self.block(part.block(), i)
            if part.expr() is None:
                orelse = block
            else:
                branches.append(ast.Branch(self.expr(part.expr()), block, span_of(part)))
        return ast.If(tuple(branches), orelse, span_of(ctx))

    def _MatchStmt(self, ctx: Any) -> ast.Stmt | None:
        value = self.expr(ctx.expr())
        arms: list[ast.Arm] = []
        blocks: list[ast.Block] = []
        otherwise: ast.Block | None = None
        for number, part in enumerate(ctx.matchArm(), 1):
            if otherwise is not None:
                self.report.error(
                    "E0016",
                    token_span(part.start),
                    "nothing can come after `otherwise { … }`",
                    label="this can never run",
                    help="move it before `otherwise`",
                )
                break
            block = self.block(part.block(), arm_depth(number, len(ctx.matchArm())))
            if part.OTHERWISE() is not None:
                otherwise = block
                continue
            members = tuple(ast.Path((name(member),), span_of(member)) for member in part.name())
            arms.append(ast.Arm(members, members[0].span.to(members[-1].span)))
            blocks.append(block)
        if isinstance(value, ast.Path):
            return _match(value, arms, blocks, otherwise, span_of(ctx))
        self.report.error(
            "E0223",
            value.span,
            "`match` takes a name",
            label="this is computed",
            why="each arm compares it, so it is computed once, before",
            help="write `let x = …` above, and `match x`",
        )
        return None

    def _PlaceStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Place(name(ctx.name()), end(ctx.end()), self._list(ctx.listRef()), span_of(ctx))

    def _LeaveStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Leave(name(ctx.name()), span_of(ctx))

    def _RefuseStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Refuse(name(ctx.name()), span_of(ctx))

    def _ForStmt(self, ctx: Any) -> ast.Stmt:
        low, high = (self.expr(e) for e in ctx.expr())
        head = token_span(ctx.start).to(high.span)
        return ast.For(name(ctx.name()), low, high, self.block(ctx.block()), span_of(ctx), head)

    def _WhileStmt(self, ctx: Any) -> ast.Stmt:
        cond, bound = self.expr(ctx.expr()), self.expr(ctx.bound().expr())
        head = token_span(ctx.start).to(bound.span)
        return ast.While(cond, bound, self.block(ctx.block()), span_of(ctx), head)

    def _list(self, ctx: Any) -> ast.ListRef:
        index = self.expr(ctx.expr()) if ctx.expr() is not None else None
        return ast.ListRef(name(ctx.name()), index, span_of(ctx))

    def _MoveStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Move(name(ctx.name()), end(ctx.end()), self._list(ctx.listRef()), span_of(ctx))

    def _ScanStmt(self, ctx: Any) -> ast.Stmt:
        bound = self.expr(ctx.bound().expr()) if ctx.bound() else None
        body: list[Any] = []
        arms: list[ast.Branch] = []
        otherwise: ast.Block | None = None
        for item in ctx.scanItem():
            block = item.block()
            if otherwise is not None:
                self.report.error(
                    "E0017",
                    token_span(item.start),
                    "nothing can come after `otherwise { … }`",
                    label="this can never run",
                    why="`otherwise` takes every folio that no `when` took",
                    help="move it before `otherwise`",
                )
                break
            if block is None and arms:
                self.report.error(
                    "E0017",
                    token_span(item.start),
                    "a statement cannot follow a `when`",
                    why="a folio takes the first `when` that holds, and nothing after it",
                    help="put it before the first `when`, or into `otherwise { … }`",
                )
                break
            if block is None:
                body.append(item.statement())
            elif item.expr() is None:
                otherwise = self.block(block, len(arms) + 2)
            else:
                arms.append(ast.Branch(self.expr(item.expr()), self.block(block, len(arms) + 2), span_of(item)))
        statements = self._statements(body, 1, ctx.start)
        folio = name(ctx.name())
        head = token_span(ctx.start).to(folio.span)
        source, where = self._list(ctx.listRef()), end(ctx.end())
        return ast.Scan(source, where, bound, folio, statements, tuple(arms), otherwise, span_of(ctx), head)

    def _EvictStmt(self, ctx: Any) -> ast.Stmt:
        if ctx.bound() is None:
            return ast.Evict(name(ctx.name()), span_of(ctx))
        bound = self.expr(ctx.bound().expr())
        highest = ctx.HIGHEST() is not None
        return ast.EvictByScore(
            name(ctx.name()), bound, end(ctx.end()), self._list(ctx.listRef()), span_of(ctx), highest
        )

    def _StopStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Stop(span_of(ctx))

    def _KeepStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Keep(span_of(ctx))

    def _PinStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Pin(name(ctx.name()), span_of(ctx))

    def _UnpinStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Unpin(name(ctx.name()), span_of(ctx))

    def _PrefetchStmt(self, ctx: Any) -> ast.Stmt:
        word = ctx.SPACE_OF()
        space = None if word is None else ast.Name(word.symbol.text, token_span(word.symbol))
        bound, stride = (None if part is None else self.expr(part.expr()) for part in (ctx.bound(), ctx.stride()))
        return ast.Prefetch(space, self.expr(ctx.expr()), bound, stride, span_of(ctx))

    def _DefaultStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Default(span_of(ctx))

    def _HoldStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Hold(name(ctx.name()), span_of(ctx))

    def _DropStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Drop(name(ctx.name()), span_of(ctx))

    def _FlushStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Flush(name(ctx.name()), ctx.WAIT() is not None, span_of(ctx))

    def _AheadStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Ahead(self.expr(ctx.expr()), span_of(ctx))

    def _ReclaimStmt(self, ctx: Any) -> ast.Stmt:
        return ast.Reclaim(self.expr(ctx.expr()), span_of(ctx))

    def _DoStmt(self, ctx: Any) -> ast.Stmt:
        callee = name(ctx.name())
        call = self.builder().call(ast.Path((callee,), callee.span), ctx.arguments(), span_of(ctx))
        return ast.Do(call, None, call.span)

    def _PathStmt(self, ctx: Any) -> ast.Stmt:
        builder = self.builder()
        target = builder.target(ctx.path())
        if ctx.arguments() is not None:
            call = builder.call(target, ctx.arguments(), span_of(ctx))
            return ast.CallStmt(call, call.span)
        return ast.Assign(target, ctx.assignOp().start.text, builder.expr(ctx.expr()), span_of(ctx))


def end(ctx: Any) -> End:
    return End(ctx.start.text)


def _match(
    value: ast.Path, arms: list[ast.Arm], blocks: list[ast.Block], otherwise: ast.Block | None, span: Span
) -> ast.Match:
    """A `match` as an `if` that compares. Every comparison has nodes of its own, since passes keep facts by node."""
    branches = []
    for arm, block in zip(arms, blocks, strict=True):
        cond: ast.Expr | None = None
        for member in arm.members:
            again, other = ast.Path(value.parts, value.span), ast.Path(member.parts, member.span)
            equal = ast.Binary("==", again, other, member.span, member.span)
            cond = equal if cond is None else ast.Binary("or", cond, equal, arm.span, arm.span)
        assert cond is not None
        branches.append(ast.Branch(cond, block, arm.span.to(block.span)))
    orelse = otherwise
    if otherwise is None:
        orelse = branches.pop().block
    return ast.Match(tuple(branches), orelse, span, value, tuple(arms), otherwise)
