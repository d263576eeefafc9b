"""Parse tree to what the layout works on: lines, each a run of words and blocks, with the comments at their words.

Knows braces, commas and operators, but no construct of the language by name, so that what the grammar gains is laid
out without a change here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from cpol.compiler.format.space import spaced

BREAK_BEFORE = frozenset({"in", "from", "as", "then", "else", "up"})
"""Words before which a line that is too long may go on below, besides operators of two operands."""

BREAK_BEHIND = frozenset({",", "=", "+=", "-=", "*="})

OPERATORS = frozenset({"or", "and", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"})


@dataclass(slots=True)
class Comment:
    """`line` and `column` (from 0) are where it stood; `blank`: with an empty line above."""

    text: str
    line: int
    column: int
    blank: bool = False


@dataclass(slots=True)
class Word:
    """A token. `before`: comments on lines of their own above it; `after`: one on its line, right behind it."""

    text: str
    line: int
    column: int
    starts: bool  # whether it was the first on its line
    space: bool = True  # from the word before it, if that is on the same line
    level: int | None = None  # how deep the operator or comma is at which the line may be broken before this word
    before: list[Comment] = field(default_factory=list)
    after: Comment | None = None
    blank: bool = False  # an empty line above it, below its comments


@dataclass(slots=True)
class Line:
    """What starts on a line of its own: a declaration, a statement, an arm."""

    parts: list[Word | Body] = field(default_factory=list)

    def words(self) -> Iterator[Word]:
        for part in self.parts:
            if isinstance(part, Word):
                yield part
            else:
                yield from part.words()


@dataclass(slots=True)
class Body:
    """Braces, and the lines between them."""

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
        """Whether it stood on one line. Nothing between braces always could."""
        return not self.lines or self.open.line == self.close.line


def tree_of(file: Any, tokens: list[Any]) -> tuple[Line, list[Comment]]:
    """The policy as one line, and the comments below it."""
    words, rest = _words(tokens)
    builder = _Builder(words)
    line = Line()
    builder.add(file.policy(), 0, line)
    return line, rest


def _words(tokens: list[Any]) -> tuple[dict[int, Word], list[Comment]]:
    """Each token's word, with its comments; and the comments behind the last one."""
    words: dict[int, Word] = {}
    last: Word | None = None
    waiting: list[Comment] = []
    line = 0  # of the token before, a comment too
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
            # A doc comment that a lone carriage return ends belongs to nothing: the next line is not to take it.
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
        self.behind = -1  # how deep the last token was, if the line can be broken behind it
        self.previous: tuple[Any, Any] = (None, None)

    def add(self, node: Any, depth: int, line: Line) -> None:
        """Append what `node` holds to `line`."""
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
