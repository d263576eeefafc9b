"""Builds AST declarations from the parse tree."""

from __future__ import annotations

from typing import Any

from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.build.expr import name, span_of, token_span
from cpol.compiler.syntax.build.test import TestBuilder
from cpol.compiler.syntax.durations import UNIT
from cpol.compiler.syntax.errors.declarations import say_no_declaration
from cpol.compiler.syntax.errors.words import say_not_yet
from cpol.compiler.types import UNITS


def build(tree: Any, tokens: list[Any], report: Report) -> ast.Policy | ast.Library:
    """Build the AST of a parse tree without syntax errors. It adds errors to `report`."""
    builder = Builder(report, tokens)
    if tree.library() is not None:
        return ast.Library(*builder.whole(tree.library()))
    return ast.Policy(*builder.whole(tree.policy()))


def _ms(unit: Any) -> ast.Name:
    """The unit of a duration's value, in place of the UNIT."""
    return ast.Name("ms", token_span(unit))


class Builder(TestBuilder):
    """Builds the AST of declarations."""

    def __init__(self, report: Report, tokens: list[Any]) -> None:
        super().__init__(report)
        self.tokens = tokens

    def doc(self, ctx: Any) -> str:
        """The `///` lines right above `ctx`, or the `///` comment at the end of its last line."""
        doc_type = ctx.parser.DOC
        lines: list[str] = []
        i = ctx.start.tokenIndex - 1
        below = ctx.start.line
        while i >= 0 and self.tokens[i].type == doc_type and self._starts_line(i) and self.tokens[i].line == below - 1:
            lines.append(self._doc_text(i))
            below -= 1
            i -= 1
        lines.reverse()
        i = ctx.stop.tokenIndex + 1
        if not lines and self.tokens[i].type == doc_type and self.tokens[i].line == ctx.stop.line:
            lines.append(self._doc_text(i))
        return "\n".join(lines)

    def _starts_line(self, i: int) -> bool:
        return i == 0 or bool(self.tokens[i - 1].line < self.tokens[i].line)

    def _doc_text(self, i: int) -> str:
        text: str = self.tokens[i].text
        return text.removeprefix("///").removeprefix(" ").rstrip()

    def whole(self, ctx: Any) -> tuple[ast.Name, str, tuple[ast.Item, ...], Span]:
        """The parts of a policy or of a library."""
        items = [self.item(item) for item in ctx.item()]
        kept = tuple(item for item in items if item is not None)
        return name(ctx.name()), self.doc(ctx), kept, span_of(ctx)

    def item(self, tree: Any) -> ast.Item | None:
        """Build one declaration; None if it is reserved for a later version."""
        ctx = tree.children[0]
        kind = type(ctx).__name__.removesuffix("Context")
        build_item = getattr(self, f"_{kind}")
        item: ast.Item | None = build_item(ctx)
        return item

    def _ImportDecl(self, ctx: Any) -> ast.Item:
        names = tuple(name(n) for n in ctx.name())
        text = ctx.STRING()
        if text is None:
            return ast.Import(names[:-1], names[-1], False, span_of(ctx))
        source = ast.Name(text.symbol.text[1:-1], token_span(text.symbol))
        return ast.Import(names, source, True, span_of(ctx))

    def _ConstDecl(self, ctx: Any) -> ast.Item:
        return ast.ConstDecl(name(ctx.name()), name(ctx.typeName()), self.expr(ctx.expr()), span_of(ctx))

    def _ParamDecl(self, ctx: Any) -> ast.Item:
        default, *bounds = (self.expr(e) for e in ctx.expr())
        low, high = bounds or (None, None)
        notes = tuple(name(note) for note in ctx.note())
        self._check_notes(ctx)
        times = [e.stop for e in ctx.expr() if e.stop.type == UNIT]
        if times and not any(note.text in UNITS for note in notes):
            notes = (_ms(times[-1]), *notes)
        type, doc = name(ctx.typeName()), self.doc(ctx)
        return ast.ParamDecl(name(ctx.name()), type, default, low, high, notes, doc, span_of(ctx))

    def _check_notes(self, ctx: Any) -> None:
        """Report a misspelt declaration that the parser took for a note of the param above it."""
        for note in ctx.note():
            token = note.start
            first = next(t for t in self.tokens if t.line == token.line and t.channel == 0)
            if token.text not in (*UNITS, "live"):
                if first is token:
                    say_no_declaration(token, self.report, self.tokens)
                return

    def _EnumDecl(self, ctx: Any) -> ast.Item:
        return ast.EnumDecl(name(ctx.name()), tuple(name(item.name()) for item in ctx.enumItem()), span_of(ctx))

    def _ListDecl(self, ctx: Any) -> ast.Item:
        lists = tuple(
            ast.ListName(name(n.name()), self.expr(n.expr()) if n.expr() is not None else None, span_of(n))
            for n in ctx.listName()
        )
        return ast.ListDecl(lists, span_of(ctx))

    def _GhostDecl(self, ctx: Any) -> ast.Item:
        settings = tuple((name(i.name()), self.expr(i.expr())) for i in ctx.ghostItem() if i.folioDecl() is None)
        records = tuple(self._FolioDecl(i.folioDecl()) for i in ctx.ghostItem() if i.folioDecl() is not None)
        return ast.GhostDecl(name(ctx.name()), settings, records, span_of(ctx))

    def _FolioDecl(self, ctx: Any) -> ast.FolioDecl:
        return ast.FolioDecl(self._fields(ctx), span_of(ctx))

    def _RecordDecl(self, ctx: Any) -> ast.Item:
        kind = ast.Name(ctx.start.text, token_span(ctx.start))
        return ast.RecordDecl(kind, self.expr(ctx.bound().expr()), self._fields(ctx), span_of(ctx))

    def _fields(self, ctx: Any) -> tuple[ast.FieldDecl, ...]:
        return tuple(self._field(f) for f in ctx.fieldDecl())

    def _field(self, ctx: Any) -> ast.FieldDecl:
        length = tuple(self.expr(e) for e in ctx.index().expr()) if ctx.index() is not None else ()
        return ast.FieldDecl(name(ctx.word()), name(ctx.typeName()), length, self.expr(ctx.expr()), span_of(ctx))

    def _StateDecl(self, ctx: Any) -> ast.Item:
        return ast.StateDecl(name(ctx.name()), name(ctx.typeName()), self.expr(ctx.expr()), span_of(ctx))

    def _TableDecl(self, ctx: Any) -> ast.Item:
        *sizes, init = (self.expr(e) for e in ctx.expr())
        return ast.TableDecl(name(ctx.name()), name(ctx.typeName()), tuple(sizes), init, span_of(ctx))

    def _InputDecl(self, ctx: Any) -> ast.Item:
        key, *value = (name(type) for type in ctx.typeName())
        default = self.expr(ctx.expr()) if ctx.expr() is not None else None
        kind, type, doc = name(ctx.note()), value[0] if value else None, self.doc(ctx)
        sizes = tuple(self.expr(e) for e in ctx.index().expr()) if ctx.index() is not None else ()
        if kind.text == "array" and type is None:
            key, type = ast.Name("index", kind.span), key  # `of` is followed by the type of the entries
        return ast.InputDecl(name(ctx.name()), kind, key, type, default, doc, span_of(ctx), sizes)

    def _PinDecl(self, ctx: Any) -> ast.Item:
        return ast.PinDecl(*self._quota(ctx))

    def _KeepDecl(self, ctx: Any) -> ast.Item:
        return ast.KeepDecl(*self._quota(ctx))

    def _CacheDecl(self, ctx: Any) -> ast.Item:
        return ast.CacheDecl(*self._quota(ctx))

    def _quota(self, ctx: Any) -> tuple[ast.Expr, ast.Name | None, Span, Span]:
        unit = name(ctx.note()) if ctx.note() is not None else None
        head = token_span(ctx.start).to(token_span(ctx.bound().TO().symbol))
        return self.expr(ctx.bound().expr()), unit, span_of(ctx), head

    def _FnDecl(self, ctx: Any) -> ast.Item:
        params = self._params(ctx)
        for param in params:
            if param.list:
                self.report.error(
                    "E0104",
                    param.span,
                    "a parameter of a fn cannot be a list",
                    why="a fn takes values and folios; an action takes lists, too",
                    help="write an `action` in its place, or ask for `f.list`",
                )
        block = ctx.fnBody()
        lets = tuple(self.let(let) for let in block.letStmt()) if block is not None else ()
        body = self.expr(ctx.expr() if block is None else block.fnResult().expr())
        return ast.FnDecl(name(ctx.name()), params, name(ctx.typeName()), lets, body, span_of(ctx))

    def _params(self, ctx: Any) -> tuple[ast.FnParam, ...]:
        return tuple(self._param(param) for param in ctx.fnParam())

    def _param(self, ctx: Any) -> ast.FnParam:
        type = name(ctx.typeName()) if ctx.typeName() is not None else None
        return ast.FnParam(name(ctx.name()), type, span_of(ctx), "list" if ctx.LIST() is not None else "")

    def _ActionDecl(self, ctx: Any) -> ast.Item:
        params, block = self._params(ctx), self.block(ctx.block())
        head = Span(ctx.start.start, ctx.block().start.start).to(token_span(ctx.name().start))
        return ast.ActionDecl(name(ctx.name()), params, block, span_of(ctx), head)

    def _EveryDecl(self, ctx: Any) -> ast.Item:
        unit = self._unit(ctx)
        head = token_span(ctx.start).to(unit.span)
        return ast.Every(self.expr(ctx.expr()), unit, self.block(ctx.block()), span_of(ctx), head)

    def _unit(self, ctx: Any) -> ast.Name:
        """The unit of a period: the note, or that of a duration."""
        last = ctx.expr().stop
        if ctx.note() is None and last.type == UNIT:
            return _ms(last)
        if ctx.note() is None:
            self.report.error(
                "E0115",
                token_span(ctx.start).to(span_of(ctx.expr())),
                "this period has no unit",
                help="write `events` or `ms` behind it, or a time such as `5 s`",
            )
            return ast.Name("ms", token_span(last))
        unit = name(ctx.note())
        if last.type == UNIT:
            self.report.error(
                "E0115",
                unit.span,
                f"this period is a time, so `{unit.text}` is too much",
                help="write a time alone, or a number of events",
            )
        return unit

    def _TestDecl(self, ctx: Any) -> ast.Item:
        return self.test(ctx, self.doc(ctx))

    def _ScoreDecl(self, ctx: Any) -> ast.Item:
        return ast.ScoreDecl(name(ctx.name(0)), name(ctx.name(1)), self.expr(ctx.expr()), span_of(ctx))

    def _Invariant(self, ctx: Any) -> ast.Item:
        return ast.Invariant(self.expr(ctx.expr()), span_of(ctx))

    def _Handler(self, ctx: Any) -> ast.Item:
        events = tuple(name(e) for e in ctx.event())
        given = ctx.handlerParams()
        params = tuple(name(n) for n in given.name()) if given is not None else ()
        head = Span(ctx.start.start, (given or ctx.event()[-1]).stop.stop + 1)
        return ast.Handler(events, params, self.block(ctx.block()), token_span(ctx.start).to(span_of(ctx)), head)

    def _LaterDecl(self, ctx: Any) -> None:
        say_not_yet(ctx.start, self.report)
