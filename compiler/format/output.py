"""The text that grows: lines of code, comments behind them at their columns."""

from __future__ import annotations

from dataclasses import dataclass, field

from cpol.compiler.format.tree import Comment, Word

GAP = 2
"""Least columns between code and a comment behind it."""

COMMENT_WIDTH = 120
"""A comment that would go beyond is moved towards the code."""


@dataclass(slots=True)
class _Row:
    """`first`: the word that the line starts with, at the column `indent`; None on lines without code."""

    text: str
    first: Word | None = None
    indent: int = 0
    comment: Comment | None = None

    @property
    def column(self) -> int | None:
        """Where the comment stood, if it stood behind this line; moved as the line was."""
        if self.comment is None or self.first is None or not self.first.starts or self.first.line != self.comment.line:
            return None
        return self.comment.column + self.indent - self.first.column


@dataclass
class Output:
    """`must_end`: a comment was written, so that nothing can follow on its line."""

    rows: list[_Row] = field(default_factory=list)
    open: bool = False
    must_end: bool = False

    @property
    def column(self) -> int:
        """How far the open line goes; 0 if none is open."""
        return len(self.rows[-1].text) if self.open and not self.must_end else 0

    def put(self, first: Word, text: str, indent: int) -> None:
        """A new line of code, which starts with `first` and stays open."""
        self.rows.append(_Row(" " * indent + text, first, indent))
        self.open, self.must_end = True, False

    def add(self, word: Word, text: str) -> None:
        """More code on the open line, which starts with `word`; and the comment behind that if it is all."""
        self.rows[-1].text += " " + text if word.space else text
        if word.text == text:
            self.behind(word)

    def end(self) -> None:
        self.open, self.must_end = False, False

    def behind(self, word: Word) -> None:
        """The comment behind `word`, which ends the open line."""
        if word.after is not None and self.rows[-1].comment is None:
            self.rows[-1].comment = word.after
            self.must_end = True

    def above(self, word: Word, indent: int, *, blank: bool) -> None:
        """The comments above `word`, which starts a line, with their empty lines; with `blank`, the first's too."""
        for comment in word.before:
            self.comment(comment, indent, blank=blank)
            blank = True
        if word.blank and blank:
            self._blank()

    def amid(self, word: Word, indent: int) -> None:
        """The comments above `word`, which goes on a line; empty lines there are of no use."""
        for comment in word.before:
            self.comment(comment, indent, blank=False)
        self.end()

    def comment(self, comment: Comment, indent: int, *, blank: bool = True) -> None:
        """A comment on a line of its own."""
        if comment.blank and blank:
            self._blank()
        self.rows.append(_Row(" " * indent + comment.text))
        self.end()

    def _blank(self) -> None:
        if self.rows and self.rows[-1].text:
            self.rows.append(_Row(""))
            self.end()

    def text(self) -> str:
        """All lines. Comments behind lines that follow each other stay in one column if they were in one."""
        lines: list[str] = []
        start = 0
        while start < len(self.rows):
            column = self.rows[start].column
            end = start + 1
            while column is not None and end < len(self.rows) and self.rows[end].column == column:
                end += 1
            lines += _with_comments(self.rows[start:end], column or 0)
            start = end
        return "".join(f"{line}\n" for line in lines)


def _with_comments(rows: list[_Row], column: int) -> list[str]:
    """The lines with their comments at `column`, if that is wide enough and not too wide."""
    comments = [row.comment.text if row.comment is not None else "" for row in rows]
    least = max(len(row.text) for row in rows) + GAP
    column = max(least, min(column, COMMENT_WIDTH - max(map(len, comments))))
    return [(row.text.ljust(column) + comment).rstrip() for row, comment in zip(rows, comments, strict=True)]
