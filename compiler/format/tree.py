"""Converts a parse tree to lines for the layout: words and blocks, with comments attached to words.

It handles braces, commas and operators generically, so new constructs of the grammar need no change
here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from cpol.compiler.format.space import spaced

BREAK_BEFORE = frozenset({"in", "from", "as", "then", "else", "up"})
"""Words before which a long line may break, besides binary operators."""

BREAK_BEHIND = frozenset({",", "=", "+=", "-=", "*="})

OPERATORS = frozenset(
    {"or", "and", "==", "!=", "<", "<=", ">", ">=", "&", "|", "^", "<<", ">>", "+", "-", "*", "/", "%"}
)


@dataclass(slots=True)
class Comment:
    """A comment. `line` and `column` (from 0) are its old place; `blank`: an empty line was above it."""

    text: str
    line: int
    column: int
    blank: bool = False


@dataclass(slots=True)
class Word:
    """A token. `before` are comments on the lines above it; `after` is a trailing comment."""

    text: str
    line: int
    column: int
    starts: bool  # was the first on its line
    space: bool = True  # a space precedes it on the same line
    level: int | None = None  # nesting depth of a break point before it; None: no break point
    before: list[Comment] = field(default_factory=list)
    after: Comment | None = None
    blank: bool = False  # an empty line was above it, below its comments


@dataclass(slots=True)
class Line:
    """A unit that starts on a line of its own: a declaration, a statement or an arm."""

    parts: list[Word | Body] = field(default_factory=list)

    def words(self) -> Iterator[Word]:
        for part in self.parts:
            if isinstance(part, Word):
                yield part
            else:
                yield from part.words()


@dataclass(slots=True)
class Body:
    """A block: braces and the lines between them."""

    open: Word
    lines: list[Line]
    close: Word

    def words(self) -> Iterator[Word]:
        yield self.open
        for line in self.lines:
            yield from line.words()
        yield self.close

    @property
    def one_line(self) -> bool:
        """Whether the block was on one line. An empty block counts as one line."""
        return not self.lines or self.open.line == self.close.line


def tree_of(file: Any, tokens: list[Any]) -> tuple[Line, list[Comment]]:
    """The policy as one line, and the comments after it."""
    words, rest = _words(tokens)
    builder = _Builder(words)
    line = Line()
    builder.add(file.policy() or file.library(), 0, line)
    return line, rest


def _words(tokens: list[Any]) -> tuple[dict[int, Word], list[Comment]]:
    """The word of each token by index, with its comments; and the comments after the last token."""
    words: dict[int, Word] = {}
    last: Word | None = None
    waiting: list[Comment] = []
    line = 0  # of the previous token or comment
    behind_doc = False
    for token in tokens:
        blank = line > 0 and (token.line > line + 1 or (behind_doc and token.line == line))
        if token.type == token.EOF:
            break
        behind_doc = False
        if token.channel:
            comment = Comment(token.text.rstrip(), token.line, token.column, blank)
            if last is not None and token.line == last.line and not waiting and last.after is None:
                last.after = comment
            else:
                waiting.append(comment)
            # A lone carriage return ends a doc comment. The next line must not become part of it.
            behind_doc = token.text.startswith("///")
        else:
            last = Word(token.text, token.line, token.column, token.line > line, before=waiting, blank=blank)
            words[token.tokenIndex] = last
            waiting = []
        line = token.line
    return words, waiting


class _Builder:
    def __init__(self, words: dict[int, Word]) -> None:
        self.words = words
        self.behind = -1  # depth of the previous token if a break may follow it, or -1
        self.previous: tuple[Any, Any] = (None, None)

    def add(self, node: Any, depth: int, line: Line) -> None:
        """Append the content of `node` to `line`."""
        if not hasattr(node, "children"):
            line.parts.append(self.word(node, depth))
            return
        children = node.children or []
        opening = next((i for i, child in enumerate(children) if _text(child) == "{"), len(children))
        for child in children[:opening]:
            self.add(child, depth + 1, line)
        if opening == len(children):
            return
        closing = max(i for i, child in enumerate(children) if _text(child) == "}")
        open = self.word(children[opening], depth)
        lines: list[Line] = []
        for child in children[opening + 1 : closing]:
            if _text(child) != "," or not lines:
                lines.append(Line())
            self.add(child, depth + 1, lines[-1])
        line.parts.append(Body(open, lines, self.word(children[closing], depth)))
        for child in children[closing + 1 :]:
            self.add(child, depth + 1, line)

    def word(self, node: Any, depth: int) -> Word:
        token, parent = node.symbol, node.parentCtx
        word = self.words[token.tokenIndex]
        word.space = spaced(*self.previous, node)
        first = parent.children[0] is node
        if self.behind >= 0:
            word.level = self.behind
        elif (word.text in OPERATORS and not _is_sign(node)) or (word.text in BREAK_BEFORE and not first):
            word.level = depth
        self.behind = depth if word.text in BREAK_BEHIND else -1
        self.previous = (self.previous[1], node)
        return word


def _text(node: Any) -> str:
    return node.symbol.text if hasattr(node, "symbol") else ""


def _is_sign(node: Any) -> bool:
    return bool(type(node.parentCtx).__name__ == "UnaryContext")
