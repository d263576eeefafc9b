"""Builds the AST of tests from the parse tree."""

from __future__ import annotations

from typing import Any

from cpol.compiler.comm import Comm
from cpol.compiler.diagnostics.words import suggest
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.build.expr import comm, in_ms, name, span_of, token_span, whole
from cpol.compiler.syntax.build.row import MAX_COPIED, Row, say_too_many
from cpol.compiler.syntax.build.stmt import StmtBuilder
from cpol.compiler.syntax.errors.words import VERBS


class TestBuilder(StmtBuilder):
    """Builds the AST of tests."""

    __test__ = False  # keeps pytest from collecting the class

    left = MAX_COPIED
    """How many words and signs the cases may still copy."""

    def test(self, ctx: Any, doc: str) -> ast.Test:
        """Build a test with its doc comment."""
        settings = tuple((name(s.name()), self._setting(s)) for s in ctx.setting())
        cases = self._cases(ctx)
        steps = () if ctx.testCase() else self._steps(ctx)
        end = next(child.symbol for child in ctx.children if child.getText() == ")")
        head = token_span(ctx.start).to(token_span(end))
        return ast.Test(name(ctx.name()), settings, cases, steps, doc, span_of(ctx), head)

    def _setting(self, ctx: Any) -> ast.Expr:
        """Build the value of a setting, which may be a range of numbers."""
        first, *last = (self.expr(e) for e in ctx.expr())
        if not last:
            return first
        if isinstance(first, ast.IntLit) and isinstance(last[0], ast.IntLit):
            return ast.Folios(0, first.value, last[0].value, first.span.to(last[0].span))
        self.report.error(
            "E0115",
            first.span.to(last[0].span),
            "a range in a setting has plain numbers at its ends",
            help="write such as `area: 0..1023`",
        )
        return first

    def _steps(self, ctx: Any) -> tuple[ast.Step, ...]:
        return tuple(self._step(step) for step in ctx.step())

    # Cases

    def _cases(self, ctx: Any) -> tuple[ast.Case, ...]:
        """Build the cases of a test. Each has all steps, with its own values in them."""
        rows = ctx.testCase()
        if not rows or not all(self._same_names(row, rows[0]) for row in rows) or not self._take(ctx):
            return ()
        return tuple(self._case(row, ctx) for row in rows)

    def _case(self, row: Any, test: Any) -> ast.Case:
        written = {cell.name().getText(): cell.argument() for cell in row.cell()}
        self.row = Row(written, self.left)
        steps = self._steps(test)
        used, self.left, self.row = self.row.used, self.row.left, Row({})
        cells = []
        for cell in row.cell():
            builder = self.builder()
            builder.row = Row(written)
            label = name(cell.name())
            cells.append(
                ast.Cell(label, tuple(builder.values(label.text, span_of(cell))), label.text in used, span_of(cell))
            )
        return ast.Case(name(row.name()), tuple(cells), steps, span_of(row))

    def _same_names(self, row: Any, first: Any) -> bool:
        """Whether each name of the first case is there once, and no other. It reports an error if not."""
        wanted = [cell.name().getText() for cell in first.cell()]
        names = [cell.name() for cell in row.cell()]
        texts = [each.getText() for each in names]
        case = row.name()
        for place, each in enumerate(names):
            if each.getText() in texts[:place]:
                message = f"`{each.getText()}` has two values"
                self.report.error("E0102", span_of(each), message, help="remove one of them")
                return False
            if each.getText() not in wanted:
                why = "all cases of a test have values of the same names"
                message = f"the case `{first.name().getText()}` has no `{each.getText()}`"
                self.report.error("E0115", span_of(each), message, why=why, help=suggest(each.getText(), wanted))
                return False
        missing = next((text for text in wanted if text not in texts), None)
        if missing is not None:
            message = f"the case `{case.getText()}` has no `{missing}`"
            self.report.error("E0115", span_of(case), message, help=f"write `{missing}: VALUE`, as in the first case")
        return missing is None

    def _take(self, ctx: Any) -> bool:
        """Count the words and signs of the copies, and report if there are too many. Returns whether there are not."""
        if ctx.step():
            each = ctx.stop.tokenIndex - ctx.step()[0].start.tokenIndex
            self.left -= each * (len(ctx.testCase()) - 1)
        if self.left < 0:
            say_too_many(span_of(ctx.testCase()[0]), self.report)
        return self.left >= 0

    # Steps

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
        if first.text == "case":
            helps = "write `case NAME(NAME: VALUE)`, in front of the steps"
            self.report.error("E0116", span_of(ctx), "this case has no values", help=helps)
            return ast.TestAction(first, (), None, None, None, None, (), span_of(ctx))
        if ctx.stepBlock() is not None:
            return self._repeat(first, ctx)
        if first.text in VERBS and first.text != "tick":  # the checker reports unknown steps
            self._no_times(ctx)
        folios = tuple(folio for part in ctx.folioRange() for folio in self._folios(part))
        slot = None if ctx.inSpace() is None else self._number(ctx.inSpace().number())
        how = tuple(ast.Name(word.symbol.text, token_span(word.symbol)) for word in ctx.HOW())
        return ast.TestAction(first, folios, self._size(ctx.folioSize()), *self._task(ctx), slot, how, span_of(ctx))

    def _task(self, ctx: Any) -> tuple[int | None, Comm | None]:
        """The number of the task behind `as`, and its command. None: it has none."""
        quoted, number = ctx.STRING(), ctx.number()
        if number is not None and number.name() is not None and quoted is None:
            if number.getText() not in self.row.cells:
                helps = f'write `"{number.getText()}"` for the name of a command, or the number of a thread'
                return self._no_value(number, helps), None
            values = self._values(number)
            if len(values) == 1 and isinstance(values[0], ast.CommLit):
                return None, values[0].comm
        called = None if quoted is None else comm(quoted.symbol.text, token_span(quoted.symbol), self.report)
        return (None if number is None else self._number(number)), called

    def _size(self, ctx: Any) -> ast.FolioSize | None:
        return None if ctx is None else ast.FolioSize(self._number(ctx.number()), name(ctx.name()), span_of(ctx))

    def _repeat(self, verb: ast.Name, ctx: Any) -> ast.Step:
        self._no_times(ctx)
        times = [folio for part in ctx.folioRange() for folio in self._folios(part)]
        only = times[0] if times else ast.Folios(0, 1, 1, verb.span)  # the value of the name is an error already
        steps = self._steps(ctx.stepBlock())
        if verb.text != "repeat":
            message, help = f"`{verb.text}` has no steps of its own", "remove the braces"
            self.report.error("E0116", span_of(ctx.stepBlock()), message, help=help)
        elif len(times) > 1 or only.file or only.first != only.last or ctx.AS() is not None or ctx.folioSize():
            span = verb.span.to(span_of(ctx.folioRange()[-1]))
            self.report.error(
                "E0116", span, "`repeat` takes one number, and steps in braces", help="write `repeat 3 { … }`"
            )
        return ast.Repeat(only, steps, span_of(ctx))

    def _no_times(self, ctx: Any) -> None:
        for part in ctx.folioRange():
            if part.UNIT() is not None:
                self.report.error("E0116", span_of(part), "a folio is a number, not a time", help="leave the unit out")

    def _folios(self, ctx: Any) -> list[ast.Folios]:
        parts = ctx.number()
        if len(parts) == 1 and parts[0].name() is not None:
            return [self._named(value, parts[0]) for value in self._values(parts[0])]
        numbers = [self._number(part) for part in parts]
        if ctx.UNIT() is not None:
            numbers = [in_ms(numbers[0], ctx.UNIT().symbol, span_of(ctx), self.report)]
        file = numbers.pop(0) if ctx.COLON() is not None else 0
        return [ast.Folios(file, numbers[0], numbers[-1], span_of(ctx))]

    def _number(self, ctx: Any) -> int:
        """The value of a number, or of a name that stands for one."""
        if ctx.INT() is not None:
            return whole(ctx.start.text, span_of(ctx), self.report)
        values = [self._named(value, ctx) for value in self._values(ctx)]
        if len(values) == 1 and values[0].first == values[0].last and not values[0].file:
            return values[0].first
        self.report.error(
            "E0116",
            span_of(ctx),
            f"`{ctx.getText()}` is not one number",
            help="write a number, or give the case one number",
        )
        return 0

    def _values(self, ctx: Any) -> list[ast.Expr]:
        """The values that the case has for the name `ctx`."""
        text = ctx.getText()
        if text in self.row.cells:
            return self.builder().values(text, span_of(ctx))
        helps = suggest(text, self.row.cells) or f"write a number, or `case NAME({text}: 1)` at the top of the test"
        return [ast.IntLit(self._no_value(ctx, helps), span_of(ctx))]

    def _no_value(self, ctx: Any, helps: str) -> int:
        """Report a name without a value. Returns a number to go on with."""
        why = "a step takes numbers, and names that the cases of its test have values for"
        self.report.error("E0101", span_of(ctx), f"there is no value `{ctx.getText()}`", why=why, help=helps)
        return 1

    def _named(self, value: ast.Expr, ctx: Any) -> ast.Folios:
        """Folios by a name: the value that it stands for."""
        if isinstance(value, ast.Folios):
            return value
        if not isinstance(value, ast.IntLit):
            message = f"`{ctx.getText()}` is no number in each case"
            self.report.error(
                "E0116",
                span_of(ctx),
                message,
                why="a step takes numbers and folios",
                help="give each case a number or a folio",
            )
            return ast.Folios(0, 1, 1, value.span)
        return ast.Folios(0, value.value, value.value, value.span)
