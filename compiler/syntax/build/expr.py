"""Builds AST expressions from the parse tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

from cpol.compiler.comm import UNKNOWN, Comm
from cpol.compiler.comm import parse as parse_comm
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.literals import MAX_FRACTION_DIGITS
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.build.row import Row, say_too_many
from cpol.compiler.types import UNIT_MS

MAX_OPERANDS = 250
"""Limit for one expression. It bounds the depth of the tree, and with it the recursion of later passes."""


Target: TypeAlias = ast.Path | ast.Element | ast.FieldElement


def span_of(ctx: Any) -> Span:
    """The span of a parse tree node with at least one token."""
    return Span(ctx.start.start, ctx.stop.stop + 1)


def token_span(token: Any) -> Span:
    return Span(token.start, token.stop + 1)


def name(ctx: Any) -> ast.Name:
    return ast.Name(ctx.start.text, token_span(ctx.start))


class ExprBuilder:
    """Builds the AST of one expression. `row` is the row of values whose names it may have, in a test with cases."""

    def __init__(self, report: Report, row: Row | None = None) -> None:
        self.report = report
        self.left = MAX_OPERANDS
        self.row = row or Row({})

    def expr(self, ctx: Any) -> ast.Expr:
        if len(ctx.children) == 1:
            return self._chain(ctx.children[0], lambda c: self._chain(c, self._not))
        self._spend(ctx.start)
        cond, then, orelse = (self.expr(part) for part in ctx.expr())
        return ast.IfElse(cond, then, orelse, span_of(ctx))

    def _chain(self, ctx: Any, operand: Any) -> ast.Expr:
        """Build `operand (operator operand)*`, left-associative."""
        children = ctx.children
        tree: ast.Expr = operand(children[0])
        for i in range(1, len(children), 2):
            right = operand(children[i + 1])
            token = children[i].symbol
            tree = ast.Binary(token.text, tree, right, _from_to(children, i + 1), token_span(token))
        return tree

    def _not(self, ctx: Any) -> ast.Expr:
        *nots, comparison = ctx.children
        return self._prefix(nots, self._comparison(comparison), span_of(comparison))

    def _prefix(self, operators: list[Any], tree: ast.Expr, operand: Span) -> ast.Expr:
        """`operand`: what the operators stand before, with its parentheses."""
        for node in reversed(operators):
            self._spend(node.symbol)
            tree = ast.Unary(node.symbol.text, tree, token_span(node.symbol).to(operand))
        return tree

    def _comparison(self, ctx: Any) -> ast.Expr:
        children = ctx.children
        tree = self._bits(children[0])
        for i in range(1, len(children), 2):
            right = self._bits(children[i + 1])
            token = children[i].start
            if token.text == "=":
                self.report.error(
                    "E0015",
                    token_span(token),
                    "`=` stores a value, it does not compare",
                    help="write `==`",
                )
            if i == 3:
                self.report.error(
                    "E0014",
                    token_span(token),
                    "comparisons do not chain",
                    label="a second comparison",
                    why="`a < b < c` would compare a truth value with a number",
                    help="write `a < b and b < c`",
                )
            tree = ast.Binary(token.text, tree, right, _from_to(children, i + 1), token_span(token))
            for side in (children[i - 1], children[i + 1]) if i == 1 else (children[i + 1],):
                if len(side.children) > 1:
                    self._enclose(span_of(side), side.children[1].start, token)
        return tree

    def _bits(self, ctx: Any) -> ast.Expr:
        """Build `operand (operator operand)*`. Operators that could be read in another order need parentheses."""
        children = ctx.children
        tree = self._sum(children[0])
        mixed = False
        for i in range(1, len(children), 2):
            right = self._sum(children[i + 1])
            first, token = children[1].start, children[i].start
            for side in (children[i - 1], children[i + 1]) if i == 1 else (children[i + 1],):
                operator = _operator(side)
                if operator is not None:
                    self._enclose(span_of(side), operator, token)
            if i > 1 and not mixed and (token.text != first.text or token.text in ("<<", ">>")):
                mixed = True  # says it once
                self._enclose(span_of(children[0]).to(span_of(children[i - 1])), first, token)
            tree = ast.Binary(token.text, tree, right, _from_to(children, i + 1), token_span(token))
        return tree

    def _enclose(self, inner: Span, operator: Any, beside: Any) -> None:
        """Report that `inner`, whose operator is `operator`, needs parentheses beside another operator."""
        text = self.report.source.slice(inner)
        self.report.error(
            "E0019",
            inner,
            f"`{operator.text}` beside `{beside.text}` needs parentheses",
            label=f"an operand of `{beside.text}`?",
            why="languages differ in the order of operations on bits, and so do readers",
            help=f"write `({text})`" if len(text) <= 40 and "\n" not in text else "",
        )

    def _sum(self, ctx: Any) -> ast.Expr:
        return self._chain(ctx, lambda c: self._chain(c, self._unary))

    def _unary(self, ctx: Any) -> ast.Expr:
        *minuses, primary = ctx.children
        return self._prefix(minuses, self._primary(primary), span_of(primary))

    def _spend(self, token: Any) -> None:
        self.left -= 1
        if self.left == -1:
            self.report.error(
                "E0007",
                token_span(token),
                f"this expression has more than {MAX_OPERANDS} operands",
                help="name parts of it with `let`",
            )

    def _primary(self, ctx: Any) -> ast.Expr:
        self._spend(ctx.start)
        first = ctx.children[0]
        span = span_of(ctx)
        parser = ctx.parser
        kind = ctx.start.type
        text = ctx.start.text
        if kind == parser.INT:
            value = self._int(text, token_span(ctx.start))
            return ast.IntLit(value if ctx.UNIT() is None else in_ms(value, ctx.UNIT().symbol, span, self.report), span)
        if kind == parser.FIXED:
            return self._fix(text, span)
        if kind in (parser.TRUE, parser.FALSE):
            return ast.BoolLit(kind == parser.TRUE, span)
        if kind == parser.STRING:
            return ast.CommLit(comm(text, span, self.report), span)
        if kind == parser.LPAREN:
            return self.expr(ctx.children[1])
        if kind in (parser.EVICT, parser.EVERY):
            member = first.children[2]
            return ast.Path((ast.Name(text, token_span(ctx.start)), name(member)), span)
        target = self.target(first)
        if len(ctx.children) == 1:
            return self._value(target) if isinstance(target, ast.Path) and target.text in self.row.cells else target
        called = self.call(target, ctx.children[1], span)
        return called if ctx.index() is None else self._of_record(called, ctx.index())

    def values(self, name: str, span: Span) -> list[ast.Expr]:
        """Build the values that the case has for this name, which stands at `span`."""
        self.row.used.add(name)
        row, self.row = self.row, Row({})
        row.left -= sum(ctx.stop.tokenIndex - ctx.start.tokenIndex + 1 for ctx in row.cells[name])
        if row.left < 0:
            say_too_many(span, self.report)
            return [ast.IntLit(1, span)]
        args: list[ast.Expr] = []
        named: list[ast.Named] = []
        for argument in row.cells[name]:
            self._argument(argument, args, named)
        for wrong in named:
            self.report.error("E0001", wrong.span, "a value of a case has one name", help="leave this name out")
        self.row = row
        return [replace(value, span=span) for value in args]

    def _value(self, path: ast.Path) -> ast.Expr:
        """Build the value of the case that has this name."""
        values = self.values(path.text, path.span)
        if len(values) == 1:
            return values[0]
        why = "a list of folios stands alone between parentheses, or behind a step"
        self.report.error(
            "E0107",
            path.span,
            f"`{path.text}` is no single value",
            why=why,
            help=f"write `({path.text})` with nothing else between the parentheses, or give the case one number",
        )
        return path

    def _fix(self, text: str, span: Span) -> ast.FixLit:
        before, _, after = text.replace("_", "").partition(".")
        if len(after) > MAX_FRACTION_DIGITS:
            self.report.error(
                "E0204",
                span,
                f"this number has {len(after)} digits after the point",
                why="a `fix` has 16 bits after the point; five digits tell all its values apart",
                help=f"write at most {MAX_FRACTION_DIGITS} digits after the point",
            )
            after = "0"
        return ast.FixLit(f"{self._int(before, span)}.{after}", span)

    def _int(self, text: str, span: Span) -> int:
        return whole(text, span, self.report)

    def target(self, ctx: Any) -> Target:
        """Build `name.member`, `name[index, …].member` or `name.member[index, …]`."""
        words = (name(ctx.name()), *(name(member) for member in ctx.member()))
        parts = [child for child in ctx.children if hasattr(child, "children")]  # without the points
        places = [at for at, part in enumerate(parts) if part in ctx.index()]
        if not places:
            return ast.Path(words, span_of(ctx))
        index = tuple(self.expr(e) for e in parts[places[0]].expr())
        if places == [1]:
            return ast.Element(words[0], index, words[1:], span_of(ctx))
        if places != [2] or len(words) > 2:
            odd = parts[places[-1]]
            why = "one index stands behind the name of a table or of lists, or behind the field of a folio"
            self.report.error(
                "E0216", span_of(odd), "no index can stand here", why=why, help="write `NAME[i]`, or `f.FIELD[i]`"
            )
        path = ast.Path(words, words[0].span.to(words[-1].span))
        return ast.FieldElement(path, index, span_of(ctx))

    def _of_record(self, call: ast.Call, ctx: Any) -> ast.Call:
        """Build `cache.FIELD(FOLIO)[INDEX]`, which tests ask."""
        if call.callee.parts[0].text != "cache" or call.index:
            why = "only a test reads an element so, of a folio's record: `cache.FIELD(FOLIO)[INDEX]`"
            self.report.error(
                "E0216", span_of(ctx), "no index can stand here", why=why, help="put the value into a `let` first"
            )
        index = tuple(self.expr(e) for e in ctx.expr())
        return ast.Call(call.callee, call.args, call.named, index, call.span)

    def call(self, target: Target, ctx: Any, span: Span) -> ast.Call:
        """Build the call of `target` with the arguments `ctx`."""
        args: list[ast.Expr] = []
        named: list[ast.Named] = []
        for argument in ctx.argument():
            self._argument(argument, args, named)
        if isinstance(target, ast.Path):
            return ast.Call(target, tuple(args), tuple(named), (), span)
        if isinstance(target, ast.FieldElement):
            self.report.error(
                "E0109",
                target.span,
                "an element of an array cannot be called",
                help="write the element without parentheses",
            )
            return ast.Call(target.path, tuple(args), tuple(named), (), span)
        words = (target.name, *target.members)
        return ast.Call(ast.Path(words, target.span), tuple(args), tuple(named), target.index, span)

    def _in_space(self, ctx: Any, space: str, values: list[ast.Expr], signs: list[str], args: list[ast.Expr]) -> None:
        """Build slots or pages that a test names by number: `slot 10..17`."""
        numbers = [value.value for value in values if isinstance(value, ast.IntLit)]
        if len(numbers) < len(values) or ":" in signs:
            why = "`slot NUMBER`, or `slot FIRST..LAST`"
            self.report.error(
                "E0116",
                span_of(ctx),
                f"a test names a {space} by number",
                why=why,
                help=f"write `{space} 10` or `{space} 10..17`",
            )
        else:
            args.append(ast.Folios(0, numbers[0], numbers[-1], span_of(ctx), space))

    def _argument(self, ctx: Any, args: list[ast.Expr], named: list[ast.Named]) -> None:
        if ctx.getText() in self.row.cells:
            args += self.values(ctx.getText(), span_of(ctx))
            return
        small = ctx.smallWord()
        space = "" if ctx.SPACE_OF() is None else ctx.SPACE_OF().symbol.text
        values = [self.expr(e) for e in ctx.expr()]
        signs = [child.getText() for child in ctx.children if child.getText() in (":", "..")]
        first = values[0]
        if small is not None:
            named.append(ast.Named(name(small), first, span_of(ctx)))
        elif space:
            self._in_space(ctx, space, values, signs, args)
        elif not signs:
            if named:
                self.report.error(
                    "E0001",
                    first.span,
                    "a value cannot follow `NAME: VALUE`",
                    help="write the values without names first",
                )
            args.append(first)
        elif signs == [":"] and isinstance(first, ast.Path) and len(first.parts) == 1:
            named.append(ast.Named(first.parts[0], values[1], span_of(ctx)))
        elif all(isinstance(value, ast.IntLit) for value in values):
            numbers = [value.value for value in values if isinstance(value, ast.IntLit)]
            file = numbers.pop(0) if signs[0] == ":" else 0
            args.append(ast.Folios(file, numbers[0], numbers[-1], span_of(ctx)))
        else:
            self.report.error(
                "E0001",
                span_of(ctx),
                "this is not an argument",
                why="an argument is a value, `FIELD: VALUE`, or in a test `FILE:INDEX` or `FIRST..LAST` by number",
                help="write one of these",
            )


def _from_to(children: list[Any], last: int) -> Span:
    """From the first child to this one, with the parentheses around them."""
    return span_of(children[0]).to(span_of(children[last]))


def _operator(ctx: Any) -> Any:
    """The first operator of a sum or a product; None if it is a single operand."""
    while hasattr(ctx, "children") and type(ctx).__name__ != "UnaryContext":
        if len(ctx.children) > 1:
            return ctx.children[1].symbol
        ctx = ctx.children[0]
    return None


def whole(text: str, span: Span, report: Report) -> int:
    """The value of the number `text`, such as `1_024` or `0x400`; 0 after an error."""
    base = 16 if text.startswith("0x") else 10
    digits = text.removeprefix("0x").replace("_", "").lstrip("0") or "0"
    # A length is checked first: Python refuses, or is slow, to convert a long one.
    if len(digits) > 20 or int(digits, base) >= 1 << 64:
        report.error(
            "E0204", span, "this number is too large", label="above 18446744073709551615", help="write a smaller number"
        )
        return 0
    return int(digits, base)


def in_ms(value: int, unit: Any, span: Span, report: Report) -> int:
    """The milliseconds of a duration; 0 after an error."""
    ms = value * UNIT_MS[unit.text]
    if ms >= 1 << 64:
        report.error(
            "E0204", span, "this time is too long", label="above 18446744073709551615 ms", help="write a shorter time"
        )
        return 0
    return ms


def comm(text: str, span: Span, report: Report) -> Comm:
    """The command named by the literal `text`, with its quotes; unknown after an error."""
    try:
        return parse_comm(text[1:-1])
    except ValueError as error:
        shown = text if len(text) <= 40 else f'{text[:37]}…"'
        report.error(
            "E0020",
            span,
            f"no command is called `{shown}`",
            why=str(error),
            help='write a command\'s name as `ps` shows it, such as `"postgres"`',
        )
        return UNKNOWN
