"""The symbols of a text, and what can be folded."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.again import Lexer
from cpol.editor.lsp.texts import Text, Texts
from cpol.grammar.generated.CpolLexer import CpolLexer

Kind = types.SymbolKind

KINDS = {
    "ConstDecl": Kind.Constant, "ParamDecl": Kind.Property, "StateDecl": Kind.Variable, "TableDecl": Kind.Array,
    "InputDecl": Kind.Interface, "FnDecl": Kind.Function, "ActionDecl": Kind.Function, "ScoreDecl": Kind.Function,
    "GhostDecl": Kind.Object, "EnumDecl": Kind.Enum, "Test": Kind.Method, "Handler": Kind.Event, "Every": Kind.Event,
    "FolioDecl": Kind.Struct, "RecordDecl": Kind.Struct, "Invariant": Kind.Boolean, "PinDecl": Kind.Number,
    "KeepDecl": Kind.Number, "CacheDecl": Kind.Number,
}  # fmt: skip


def symbols(texts: Texts, path: str) -> list[types.DocumentSymbol]:
    """What a text declares. None while its syntax is wrong: the editor keeps what it has."""
    text = texts.text(path)
    if text.tree is None:
        return []
    tree = text.tree
    children = [symbol for item in tree.items for symbol in _of(text, item)]
    kind = Kind.Class if isinstance(tree, ast.Policy) else Kind.Package
    return [_symbol(text, tree.name.text, kind, tree.span, tree.name.span, tree.doc.split("\n")[0], children)]


def _of(text: Text, item: ast.Item) -> Iterator[types.DocumentSymbol]:
    kind = KINDS.get(type(item).__name__, Kind.Variable)
    match item:
        case ast.Import():
            for name in item.names:
                yield _symbol(text, name.text, Kind.Module, name.span, name.span, f"from {item.source.text}")
        case ast.ListDecl():
            for each in item.lists:
                yield _symbol(text, each.name.text, Kind.Struct, each.span, each.name.span, "list")
        case ast.Handler():
            events = ", ".join(event.text for event in item.events)
            yield _symbol(text, f"on {events}", kind, item.span, item.head)
        case ast.Every():
            yield _symbol(text, _words(text, item.head), kind, item.span, item.head)
        case ast.Invariant():
            yield _symbol(text, f"invariant {_words(text, item.cond.span)}", kind, item.span, item.cond.span)
        case ast.FolioDecl():
            head = Span(item.span.start, item.span.start + len("folio"))
            yield _symbol(text, "folio", kind, item.span, head, "", [_field(text, each) for each in item.fields])
        case ast.RecordDecl():
            fields = [_field(text, each) for each in item.fields]
            yield _symbol(text, item.name.text, kind, item.span, item.name.span, "record", fields)
        case ast.PinDecl() | ast.KeepDecl() | ast.CacheDecl():
            yield _symbol(text, _words(text, item.span), kind, item.span, item.head)
        case ast.GhostDecl():
            fields = [_field(text, each) for record in item.records for each in record.fields]
            yield _symbol(text, item.name.text, kind, item.span, item.name.span, "ghost", fields)
        case ast.EnumDecl():
            members = [_symbol(text, name.text, Kind.EnumMember, name.span, name.span) for name in item.members]
            yield _symbol(text, item.name.text, kind, item.span, item.name.span, "enum", members)
        case _:
            declared = getattr(item, "type", None)
            detail = (
                declared.text if isinstance(declared, ast.Name) else type(item).__name__.removesuffix("Decl").lower()
            )
            yield _symbol(text, item.name.text, kind, item.span, item.name.span, detail)


def _field(text: Text, each: ast.FieldDecl) -> types.DocumentSymbol:
    return _symbol(text, each.name.text, Kind.Field, each.span, each.name.span, each.type.text)


def _words(text: Text, span: Span) -> str:
    words = " ".join(text.text[span.start : span.end].split())
    return words if len(words) <= 60 else words[:59] + "…"


def _symbol(
    text: Text,
    name: str,
    kind: types.SymbolKind,
    span: Span,
    own: Span,
    detail: str = "",
    children: list[types.DocumentSymbol] | None = None,
) -> types.DocumentSymbol:
    lines = text.lines
    return types.DocumentSymbol(name, kind, lines.range(span), lines.range(own), detail or None, children=children)


def folds(texts: Texts, path: str, lexer: Lexer) -> list[types.FoldingRange]:
    """Braces over several lines, comments over several lines, and imports: also of a text with wrong syntax."""
    text = texts.text(path)
    out: list[types.FoldingRange] = []
    opened: list[int] = []
    comments: list[int] = []
    for token in lexer.marked(text.text):
        line, _ = text.lines.start(token)
        if token.channel:
            if comments and comments[-1] != line - 1:
                _fold(out, comments, types.FoldingRangeKind.Comment)
            if not comments or comments[-1] == line - 1:
                comments.append(line)
            continue
        if comments and line > comments[-1]:
            _fold(out, comments, types.FoldingRangeKind.Comment)
        elif comments:
            comments.clear()
        if token.type == CpolLexer.LBRACE:
            opened.append(line)
        elif token.type == CpolLexer.RBRACE and opened:
            start = opened.pop()
            if line - 1 > start:
                out.append(types.FoldingRange(start, line - 1))
    imports = [text.lines.position(item.span.start).line for item in text.imports]
    _fold(out, imports, types.FoldingRangeKind.Imports)
    return out


def _fold(out: list[types.FoldingRange], lines: list[int], kind: types.FoldingRangeKind) -> None:
    if lines and lines[-1] > lines[0]:
        out.append(types.FoldingRange(lines[0], lines[-1], kind=kind))
    lines.clear()
