"""What an editor draws into a text: the kinds of its words, types and widths beside them, and commands above tests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from lsprotocol import types

from cpol.compiler.syntax import ast
from cpol.compiler.syntax.again import Lexer
from cpol.compiler.syntax.walk import statements
from cpol.compiler.types import IntType, Type, parse_type, raw_range
from cpol.compiler.vocabulary.function import FUNCTIONS
from cpol.editor.lsp.texts import Text, Texts
from cpol.grammar.generated.CpolParser import CpolParser as P

TYPES = (
    "keyword", "comment", "string", "number", "operator", "variable", "parameter", "property", "function", "method",
    "enum", "enumMember", "type", "event", "struct", "namespace",
)  # fmt: skip
MODIFIERS = ("declaration", "readonly", "documentation", "defaultLibrary")

_OF_NAME = {
    "param": ("parameter", "readonly"), "const": ("variable", "readonly"), "list": ("struct", ""),
    "ghost": ("struct", ""), "table": ("struct", ""), "input": ("struct", ""), "state": ("variable", ""),
    "enum": ("enum", ""), "member": ("enumMember", "readonly"), "fn": ("function", ""), "action": ("function", ""),
    "score": ("function", ""), "field": ("property", ""), "let": ("variable", "readonly"), "var": ("variable", ""),
    "for": ("variable", "readonly"), "import": ("function", ""), "test": ("method", ""), "policy": ("namespace", ""),
    "library": ("namespace", ""),
}  # fmt: skip

_BUILT_IN = ("cache", "task", "evicted", "deleted")


def semantic(texts: Texts, path: str, lexer: Lexer) -> list[int]:
    """The kinds of all words, as the protocol packs them."""
    now = texts.text(path)
    state, _ = texts.parsed(path)
    known = {(use.span.start, use.span.end): use for use in state.names.uses} if state.text == now.text else {}
    lines = now.lines
    out: list[int] = []
    line = column = before = 0
    for token in lexer.marked(now.text)[:-1]:
        use = known.get((token.start, token.stop + 1))
        packed: tuple[int, int] | None
        if token.channel:
            packed = _pack("comment", *(("documentation",) if token.type == P.DOC else ()))
        elif use is not None and token.type not in _PLAIN:
            packed = _of_name(use.name.kind, use.name.span == use.span)
        else:
            packed = _of_word(token.type, token.text, before)
        if not token.channel:
            before = token.type
        if packed is None:
            continue
        at, start = lines.start(token)
        out += (at - line, start - (column if at == line else 0), lines.length(token), *packed)
        line, column = at, start
    return out


@cache
def _pack(kind: str, *modifiers: str) -> tuple[int, int]:
    """A kind and its modifiers in numbers."""
    return TYPES.index(kind), sum(1 << MODIFIERS.index(each) for each in modifiers)


@cache
def _of_name(kind: str, declared: bool) -> tuple[int, int]:
    """Of a name of the text, where it is declared or not."""
    word, modifier = _OF_NAME.get(kind, ("variable", ""))
    return _pack(word, *(("declaration",) if declared else ()), *((modifier,) if modifier else ()))


_PLAIN = {P.INT: "number", P.FIXED: "number", P.UNIT: "number", P.STRING: "string"}


@lru_cache(10_000)
def _of_word(type: int, word: str, before: int) -> tuple[int, int] | None:
    """Of any other word, by the type of the one in front of it; None: it has no colour."""
    if type in _PLAIN:
        return _pack(_PLAIN[type])
    if before == P.DOT:
        return _pack("property", "defaultLibrary")
    if before == P.ON:
        return _pack("event")
    if parse_type(word) is not None:
        return _pack("type", "defaultLibrary")
    if word in FUNCTIONS:
        return _pack("function", "defaultLibrary")
    if word in _BUILT_IN:
        return _pack("variable", "defaultLibrary")
    if type in (P.HOW, P.OF_SWAP):
        return _pack("keyword")
    if type != P.IDENT and word[:1].isalpha() and type < len(P.literalNames):
        return _pack("keyword")
    if type == P.IDENT:
        return _pack("variable")
    return _pack("operator") if P.DOT < type < P.IDENT else None


def hints(texts: Texts, path: str, within: types.Range) -> list[types.InlayHint]:
    """Types of `let`s, what fields can hold, and where a sum saturates."""
    text = texts.text(path)
    if text.compiled is None or text.tree is None:
        return []
    lines = text.lines
    start, end = lines.offset(within.start), lines.offset(within.end)
    return [
        types.InlayHint(lines.position(offset), label, kind=kind, tooltip=tip or None, padding_left=pad)
        for offset, label, kind, tip, pad in _hints(text)
        if start <= offset <= end
    ]


_Hint = tuple[int, str, types.InlayHintKind | None, str, bool]


def _hints(text: Text) -> Iterator[_Hint]:
    assert text.compiled is not None and text.tree is not None
    typed, size = text.compiled.typed, len(text.text)
    for node, symbol in typed.refs.items():
        found = getattr(symbol, "type", None)
        if isinstance(node, ast.Name) and node.span.end <= size and _is_let(text, node) and isinstance(found, Type):
            yield node.span.end, f": {found}", types.InlayHintKind.Type, "", False
    for item in text.tree.items:
        if isinstance(item, ast.FolioDecl | ast.RecordDecl):
            yield from _widths(item.fields)
        elif isinstance(item, ast.GhostDecl):
            for record in item.records:
                yield from _widths(record.fields)
        elif isinstance(item, ast.StateDecl | ast.TableDecl):
            yield from _width(item.type)
        elif isinstance(item, ast.Handler | ast.Every | ast.ActionDecl):
            for stmt in statements(item.block.body):
                if isinstance(stmt, ast.Assign) and stmt.op != "=":
                    yield from _saturation(text, stmt)


def _is_let(text: Text, node: ast.Name) -> bool:
    return text.text[: node.span.start].rstrip().endswith("let")


def _widths(declared: tuple[ast.FieldDecl, ...]) -> Iterator[_Hint]:
    for each in declared:
        yield from _width(each.type)


def _width(name: ast.Name) -> Iterator[_Hint]:
    type = parse_type(name.text)
    if isinstance(type, IntType) and type.bits <= 32:
        least, most = raw_range(type)
        yield name.span.end, f"{least:,}..{most:,}", None, "what it can hold; at its ends it saturates", True


def _saturation(text: Text, stmt: ast.Assign) -> Iterator[_Hint]:
    use = text.names.at(stmt.target.span.end if not isinstance(stmt.target, ast.Element) else stmt.target.name.span.end)
    declared = getattr(use.name.node, "type", None) if use is not None else None
    type = parse_type(declared.text) if isinstance(declared, ast.Name) else None
    if isinstance(type, IntType) and type.bits <= 32:
        least, most = raw_range(type)
        stops = most if stmt.op != "-=" else least
        yield stmt.span.end, f"stops at {stops:,}", None, f"`{type}` saturates", True


def lenses(texts: Texts, path: str) -> list[types.CodeLens]:
    """Commands of the editor: to run a test, to step through it, to simulate the policy."""
    text = texts.text(path)
    if not isinstance(text.tree, ast.Policy) or not path.startswith("/"):
        return []  # `cpolc` reads files
    tree = text.tree
    head = text.lines.range(tree.name.span)
    out = [
        types.CodeLens(head, types.Command("run tests", "cpol.test", arguments=[path])),
        types.CodeLens(head, types.Command("check", "cpol.check", arguments=[path])),
        types.CodeLens(head, types.Command("simulate", "cpol.simulate", arguments=[path])),
    ]
    for item in tree.items:
        if isinstance(item, ast.Test):
            where = text.lines.range(item.name.span)
            for title, command in (("run test", "cpol.test"), ("step", "cpol.step")):
                out.append(types.CodeLens(where, types.Command(title, command, arguments=[path, item.name.text])))
    return out
