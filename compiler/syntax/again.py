"""Reads texts that change a little from one time to the next, as an editor has them, faster than from the start.

No token spans two lines, so each line becomes tokens once. A declaration that stands as before is not parsed again: its
part of the AST moves. What comes out is what `read_whole` makes, diagnostics too: where a declaration is wrong, the
parser runs over the whole text, and only passes over those that are known to be right.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from types import SimpleNamespace
from typing import Any

from antlr4 import CommonTokenStream, InputStream, PredictionMode, Token
from antlr4.error.Errors import ParseCancellationException
from antlr4.error.ErrorStrategy import BailErrorStrategy
from antlr4.Token import CommonToken

from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.build.policy import Builder
from cpol.compiler.syntax.build.row import MAX_COPIED
from cpol.compiler.syntax.errors.place import DECLARATION, LATER_DECLARATIONS, NAMES
from cpol.compiler.syntax.errors.strategy import PlainStrategy
from cpol.compiler.syntax.parse import CLOSING, MAX_TOKENS, OPENING, check_marked, mark
from cpol.compiler.syntax.read import check_text
from cpol.compiler.syntax.whole import read_whole
from cpol.grammar.generated.CpolLexer import CpolLexer
from cpol.grammar.generated.CpolParser import CpolParser

MOST_LINES = 20_000
"""Lines whose tokens are kept, of all texts."""

MOST_TEXTS = 4
"""Texts whose tokens are kept: what is open, and what its fixes make of it."""

_Line = list[tuple[int, int, int, int, str]]
"""The tokens of a line: type, channel, start, stop and text."""


class _Given(InputStream):  # type: ignore[misc]  # antlr4 has no types
    """A text whose tokens are made already, so that nobody reads its characters one by one."""

    def _loadString(self) -> None:
        self._index = 0
        self._size = len(self.strdata)


class Lexer:
    """Makes tokens of texts, line by line."""

    def __init__(self) -> None:
        self.lines: dict[str, _Line] = {}
        self._marked: dict[str, list[Any]] = {}

    def marked(self, text: str) -> list[Any]:
        """The tokens of a text as the parser reads them, with the words marked whose type hangs on their place.

        All that an editor asks about one text shares them, so nobody may change them.
        """
        if text not in self._marked:
            tokens = self.tokens(text)
            mark(tokens)
            while len(self._marked) >= MOST_TEXTS:
                del self._marked[next(iter(self._marked))]
            self._marked[text] = tokens
        return self._marked[text]

    def tokens(self, text: str) -> list[Any]:
        """The tokens of a text, as the grammar alone makes them."""
        if len(self.lines) > MOST_LINES:
            self.lines.clear()
        source = (None, _Given(text))
        out: list[Any] = []
        offset = 0
        lines = text.split("\n")
        for number, line in enumerate(lines, 1):
            for type, channel, start, stop, word in self._line(line):
                token = CommonToken.__new__(CommonToken)
                token.source, token.type, token.channel = source, type, channel
                token.start, token.stop = start + offset, stop + offset
                token.line, token.column, token.tokenIndex = number, start, len(out)
                token._text = word
                out.append(token)
            offset += len(line) + 1
        end = CommonToken(source, Token.EOF, Token.DEFAULT_CHANNEL, len(text), len(text) - 1)
        end.line, end.column, end.tokenIndex = len(lines), len(lines[-1]), len(out)
        return [*out, end]

    def _line(self, line: str) -> _Line:
        if line not in self.lines:
            lexer = CpolLexer(InputStream(line))
            lexer.removeErrorListeners()
            self.lines[line] = [(t.type, t.channel, t.start, t.stop, t.text) for t in lexer.getAllTokens()]
        return self.lines[line]


def stream_of(tokens: list[Any]) -> CommonTokenStream:
    """The stream that a parser reads."""
    stream = CommonTokenStream(CpolLexer(tokens[-1].source[1]))
    stream.tokens = tokens
    stream.fetchedEOF = True
    stream.lazyInit()
    return stream


@dataclass
class _Part:
    """A declaration: its first token, the first one behind it, and all that its meaning hangs on."""

    first: int
    end: int
    key: tuple[Any, ...]


@dataclass
class _Known:
    """A declaration that was parsed: where it began, its part of the AST, and what its cases copied."""

    start: int
    item: ast.Item
    copied: int


@dataclass
class _File:
    """What is known of a file."""

    items: dict[tuple[Any, ...], _Known] = field(default_factory=dict)
    text: str = ""
    whole: ast.Policy | ast.Library | None = None


class Again:
    """A reader (`whole.Reader`) that keeps what it made of each file."""

    def __init__(self) -> None:
        self.lexer = Lexer()
        self.files: dict[str, _File] = {}

    def __call__(self, report: Report) -> ast.Policy | ast.Library:
        """The AST of the report's text.

        Raises:
            CompileError: the syntax is wrong.
        """
        file = self.files.setdefault(report.source.path, _File())
        text = report.source.text
        if file.whole is not None and file.text == text:
            return file.whole
        check_text(report)
        tokens = self.lexer.marked(text)
        if len(tokens) >= MAX_TOKENS:
            return read_whole(report)  # which says so
        check_marked(tokens, report)
        words = [token for token in tokens if not token.channel]
        whole = None
        if (begun := _begun(words)) is not None:
            whole = self._read(file, tokens, _parts(words, text, begun), report)
        elif _is_file(words):
            _say(stream_of(tokens), [part for part in _around(words, text) if part.key in file.items], report)
        if whole is None:
            return read_whole(report)
        file.text, file.whole = text, whole
        return whole

    def _read(
        self, file: _File, tokens: list[Any], parts: list[_Part], report: Report
    ) -> ast.Policy | ast.Library | None:
        """The AST; None if it takes the usual way to say what is wrong.

        Raises:
            CompileError: the syntax is wrong.
        """
        inner = Report(report.source)
        stream = stream_of(tokens)
        parser = CpolParser(stream)
        parser.removeErrorListeners()
        parser._interp.predictionMode = PredictionMode.SLL
        parser._errHandler = BailErrorStrategy()
        found: list[_Known | None] = []
        items = dict(file.items)
        for part in parts:
            known = items.get(part.key)
            if known is None:
                known = _parse(parser, stream, tokens, part, inner)
            elif known.start != tokens[part.first].start:
                known = _Known(
                    tokens[part.first].start, moved(known.item, tokens[part.first].start - known.start), known.copied
                )
            if inner.failed:
                return None
            found.append(known)
            if known is not None:
                items[part.key] = known
        if None in found:
            file.items = items
            _say(stream, [part for part, known in zip(parts, found, strict=True) if known is not None], report)
            return None
        file.items = {part.key: known for part, known in zip(parts, found, strict=True) if known is not None}
        kept = [known for known in found if known is not None]
        if sum(known.copied for known in kept) > MAX_COPIED or len({id(known.item) for known in kept}) < len(kept):
            return None
        return _whole(parser, tokens, tuple(known.item for known in kept), inner)


def _is_file(words: list[Any]) -> bool:
    """Whether words begin as a file does."""
    return bool(
        len(words) > 4
        and words[0].type in (CpolParser.POLICY, CpolParser.LIBRARY)
        and words[1].type in NAMES
        and words[2].type == CpolParser.LBRACE
    )


def _begun(words: list[Any]) -> list[int] | None:
    """Where the declarations of a file begin whose braces are in order; None for any other text."""
    if not _is_file(words) or words[-2].type != CpolParser.RBRACE:
        return None
    found: list[int] = []
    depth = 1
    for at in range(3, len(words) - 2):
        word = words[at]
        if depth == 1 and begins(words, at):
            found.append(at)
        depth += (word.type in OPENING) - (word.type in CLOSING)
        if depth < 1:
            return None
    return found if depth == 1 and found and found[0] == 3 else None


def _around(words: list[Any], text: str) -> list[_Part]:
    """What may be declarations where braces are not in order: from one word that begins a line to the next."""
    begun = [at for at in range(3, len(words) - 1) if words[at - 1].line < words[at].line and begins(words, at)]
    return _parts(words, text, begun)[:-1] if begun else []


def _parts(words: list[Any], text: str, found: list[int]) -> list[_Part]:
    """The declarations that begin at these words."""
    out = []
    for at, behind in zip(found, [*found[1:], len(words) - 2], strict=True):
        before, first, end = words[at - 1], words[at], words[behind]
        # Comments above and behind belong to it: `///` is its doc.
        around = text[before.stop + 1 : first.start], text[first.start : end.start]
        types = tuple(word.type for word in words[at : behind + 1])
        out.append(_Part(first.tokenIndex, end.tokenIndex, (around, types, first.column)))
    return out


def begins(words: list[Any], at: int) -> bool:
    """Whether a word outside of all brackets but the file's begins a declaration."""
    type, behind, before = words[at].type, words[at + 1].type, words[at - 1].type
    if type == CpolParser.RECORD:
        return bool(behind == CpolParser.UP)
    if type in (CpolParser.PIN, CpolParser.KEEP, CpolParser.CACHE):
        return bool(behind == CpolParser.UP)
    if type == CpolParser.EVERY:
        return bool(behind != CpolParser.DOT)
    return type in DECLARATION | LATER_DECLARATIONS and before != CpolParser.DOT


def _parse(parser: Any, stream: Any, tokens: list[Any], part: _Part, report: Report) -> _Known | None:
    """Parse a declaration; None if it is wrong, or more or less than one."""
    stream.seek(part.first)
    parser._ctx = None
    parser._errHandler.endErrorCondition(parser)
    try:
        tree = parser.item()
    except ParseCancellationException:
        return None
    if stream.index != part.end:
        return None
    builder = Builder(report, tokens)
    item = builder.item(tree)
    if item is None:
        return None
    return _Known(tokens[part.first].start, item, MAX_COPIED - builder.left)


def _whole(parser: Any, tokens: list[Any], items: tuple[ast.Item, ...], report: Report) -> ast.Policy | ast.Library:
    words = [token for token in tokens if not token.channel]
    first, named, last = words[0], words[1], words[-2]
    doc = Builder(report, tokens).doc(SimpleNamespace(parser=parser, start=first, stop=last))
    kind = ast.Policy if first.type == CpolParser.POLICY else ast.Library
    name = ast.Name(named.text, Span(named.start, named.stop + 1))
    return kind(name, doc, items, Span(first.start, last.stop + 1))


class _Passing(CpolParser):  # type: ignore[misc]  # antlr4 has no types
    """A parser that passes over declarations that are right."""

    right: dict[int, int]
    """Their first tokens, and those behind them."""

    def item(self) -> Any:
        end = self.right.get(self._input.index)
        if end is None:
            return super().item()
        self._errHandler.reportMatch(self)
        self._input.seek(end)
        return None


def _say(stream: Any, right: list[_Part], report: Report) -> None:
    """Report the errors of a text.

    Raises:
        CompileError: there are some.
    """
    stream.seek(0)
    parser = _Passing(stream)
    parser.right = {part.first: part.end for part in right}
    parser.removeErrorListeners()
    parser._interp.predictionMode = PredictionMode.LL
    parser._errHandler = PlainStrategy(report)
    parser.file_()
    report.check()


def moved(node: Any, by: int, made: dict[int, Any] | None = None) -> Any:
    """A copy of a part of the AST whose places lie `by` characters further on."""
    made = {} if made is None else made
    kind = type(node)
    if kind is Span:
        return Span(node.start + by, node.end + by)
    if kind is tuple:
        return tuple([moved(part, by, made) for part in node]) if node else node
    names = _names(kind)
    if not names:
        return node
    if id(node) in made:
        return made[id(node)]
    copy = made[id(node)] = object.__new__(kind)
    for name in names:
        part = getattr(node, name)
        object.__setattr__(copy, name, part if type(part) in _PLAIN else moved(part, by, made))
    return copy


_PLAIN = frozenset((str, int, bool, type(None)))


def _names(kind: Any) -> tuple[str, ...]:
    """The parts of a node of the AST; none of anything else."""
    if kind not in _parts_of:
        ours = kind.__module__ in _NODES and is_dataclass(kind)
        _parts_of[kind] = tuple(part.name for part in fields(kind)) if ours else ()
    return _parts_of[kind]


_parts_of: dict[Any, tuple[str, ...]] = {}


_NODES = frozenset({kind.__module__ for kind in (ast.Name, ast.Policy, ast.Block, ast.Test)})
