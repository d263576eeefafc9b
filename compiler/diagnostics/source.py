"""The text of a policy and positions in it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


@dataclass(frozen=True)
class Pos:
    """A position in the `.cpol` file: line and column, both from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Span:
    """A range of characters from `start` up to but not including `end`, as offsets from 0."""

    start: int
    end: int

    def __contains__(self, inner: Span) -> bool:
        return self.start <= inner.start and inner.end <= self.end

    def to(self, other: Span) -> Span:
        return Span(self.start, max(self.end, other.end))


@dataclass(frozen=True)
class Source:
    """The text of a policy. `path` is for messages."""

    path: str
    text: str

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        starts.extend(i + 1 for i, c in enumerate(self.text) if c == "\n")
        return starts

    def pos(self, offset: int) -> Pos:
        line = bisect_right(self._starts, offset)
        return Pos(line, offset - self._starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """Line `number` (from 1) without its line end."""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def word(self, pos: Pos) -> Span | None:
        """The word or sign at a position, or None if the text has no such position."""
        if not 1 <= pos.line <= len(self._starts) or not 1 <= pos.column <= len(self.line(pos.line)):
            return None
        start = self._starts[pos.line - 1] + pos.column - 1
        end = start + 1
        while end < len(self.text) and self.text[start] in _WORD and self.text[end] in _WORD:
            end += 1
        return Span(start, end)

    def slice(self, span: Span) -> str:
        return self.text[span.start : span.end]
