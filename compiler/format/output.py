"""Collects output: lines of code, with trailing comments in columns."""

from __future__ import annotations

from dataclasses import dataclass, field

from cpol.compiler.format.tree import Comment, Word

GAP = 2
"""Least columns between code and a trailing comment."""

COMMENT_WIDTH = 120
"""A trailing comment that would exceed this column moves left."""


@dataclass(slots=True)
class _Row:
    """A line of output. `first` is its first word, at column `indent`; None without code."""

    text: str
    first: Word | None = None
    indent: int = 0
    comment: Comment | None = None

    @property
    def column(self) -> int | None:
        """The old column of the trailing comment, shifted with its line; None if there was none."""
        if self.comment is None or self.first is None or not self.first.starts or self.first.line != self.comment.line:
            return None
        return self.comment.column + self.indent - self.first.column


@dataclass
class Output:
    """Output lines. `must_end`: the open line has a comment, so no code can follow on it."""

    rows: list[_Row] = field(default_factory=list)
    open: bool = False
    must_end: bool = False

    @property
    def column(self) -> int:
        """Length of the open line in columns; 0 if none is open."""
        return len(self.rows[-1].text) if self.open and not self.must_end else 0

    def put(self, first: Word, text: str, indent: int) -> None:
        """Start a line of code with `first` and leave it open."""
        self.rows.append(_Row(" " * indent + text, first, indent))
        self.open, self.must_end = True, False

    def add(self, word: Word, text: str) -> None:
        """Append code that starts with `word` to the open line. A single word brings its trailing comment."""
        self.rows[-1].text += " " + text if word.space else text
        if word.text == text:
            self.behind(word)

    def end(self) -> None:
        self.open, self.must_end = False, False

    def behind(self, word: Word) -> None:
        """Append the trailing comment of `word`, which ends the open line."""
        if word.after is not None and self.rows[-1].comment is None:
            self.rows[-1].comment = word.after
            self.must_end = True

    def above(self, word: Word, indent: int, *, blank: bool) -> None:
        """Write the comments above `word`, which starts a line, and their empty lines.

        `blank` keeps the empty line above the first comment, too.
        """
        for comment in word.before:
            self.comment(comment, indent, blank=blank)
            blank = True
        if word.blank and blank:
            self._blank()

    def amid(self, word: Word, indent: int) -> None:
        """Write the comments above `word`, which continues a line, without empty lines."""
        for comment in word.before:
            self.comment(comment, indent, blank=False)
        self.end()

    def comment(self, comment: Comment, indent: int, *, blank: bool = True) -> None:
        """Write a comment on a line of its own."""
        if comment.blank and blank:
            self._blank()
        self.rows.append(_Row(" " * indent + comment.text))
        self.end()

    def _blank(self) -> None:
        if self.rows and self.rows[-1].text:
            self.rows.append(_Row(""))
            self.end()

    def text(self) -> str:
        """The whole text. Consecutive trailing comments stay aligned if they were."""
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
    """The lines with their comments at `column`, or as near to it as fits."""
    comments = [row.comment.text if row.comment is not None else "" for row in rows]
    least = max(len(row.text) for row in rows) + GAP
    column = max(least, min(column, COMMENT_WIDTH - max(map(len, comments))))
    return [(row.text.ljust(column) + comment).rstrip() for row, comment in zip(rows, comments, strict=True)]
