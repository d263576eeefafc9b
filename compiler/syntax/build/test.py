"""Builds the AST of tests from the parse tree."""

from __future__ import annotations

from typing import Any

from cpol.compiler.syntax import ast
from cpol.compiler.syntax.build.expr import comm, in_ms, name, span_of, token_span, whole
from cpol.compiler.syntax.build.stmt import StmtBuilder


class TestBuilder(StmtBuilder):
    """Builds the AST of tests."""

    __test__ = False  # keeps pytest from collecting the class

    def test(self, ctx: Any, doc: str) -> ast.Test:
        """Build a test with its doc comment."""
        settings = tuple((name(s.name()), self.expr(s.expr())) for s in ctx.setting())
        steps = tuple(self._step(step) for step in ctx.step())
        end = next(child.symbol for child in ctx.children if child.getText() == ")")
        head = token_span(ctx.start).to(token_span(end))
        return ast.Test(name(ctx.name()), settings, steps, doc, span_of(ctx), head)

    def _step(self, ctx: Any) -> ast.Step:
        if ctx.EXPECT() is not None:
            return ast.Expect(self.expr(ctx.expr()), span_of(ctx))
        first = name(ctx.name())
        if ctx.arguments() is not None:
            target = ast.Path((first, name(ctx.member())), span_of(ctx))
            call = self.builder().call(target, ctx.arguments(), span_of(ctx))
            for named in call.named:
                self.report.error(
                    "E0001", named.span, "the arguments of a step have no names", help="leave the name out"
                )
            return ast.Fill(first, target.parts[1], call.args, call.span)
        if ctx.stepBlock() is not None:
            return self._repeat(first, ctx)
        task = self._whole(ctx.INT()) if ctx.INT() is not None else None
        if first.text != "tick":
            self._no_times(ctx)
        quoted = ctx.STRING()
        called = None if quoted is None else comm(quoted.symbol.text, token_span(quoted.symbol), self.report)
        folios = tuple(self._folios(part) for part in ctx.folioRange())
        return ast.TestAction(first, folios, self._size(ctx.folioSize()), task, called, span_of(ctx))

    def _size(self, ctx: Any) -> ast.FolioSize | None:
        return None if ctx is None else ast.FolioSize(self._whole(ctx.INT()), name(ctx.name()), span_of(ctx))

    def _repeat(self, verb: ast.Name, ctx: Any) -> ast.Step:
        self._no_times(ctx)
        times = [self._folios(part) for part in ctx.folioRange()]
        only = times[0]
        steps = tuple(self._step(step) for step in ctx.stepBlock().step())
        if verb.text != "repeat":
            message, help = f"`{verb.text}` has no steps of its own", "remove the braces"
            self.report.error("E0116", span_of(ctx.stepBlock()), message, help=help)
        elif len(times) > 1 or only.file or only.first != only.last or ctx.AS() is not None or ctx.folioSize():
            self.report.error("E0116", verb.span.to(times[-1].span), "`repeat` takes one number, and steps in braces")
        return ast.Repeat(only, steps, span_of(ctx))

    def _no_times(self, ctx: Any) -> None:
        for part in ctx.folioRange():
            if part.UNIT() is not None:
                self.report.error("E0116", span_of(part), "a folio is a number, not a time", help="leave the unit out")

    def _folios(self, ctx: Any) -> ast.Folios:
        numbers = [self._whole(node) for node in ctx.INT()]
        if ctx.UNIT() is not None:
            numbers = [in_ms(numbers[0], ctx.UNIT().symbol, span_of(ctx), self.report)]
        file = numbers.pop(0) if ctx.COLON() is not None else 0
        return ast.Folios(file, numbers[0], numbers[-1], span_of(ctx))

    def _whole(self, node: Any) -> int:
        return whole(node.symbol.text, token_span(node.symbol), self.report)
