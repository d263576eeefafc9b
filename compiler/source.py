"""The text of a policy, and places in it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from cpol.compiler.ir import Pos


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` up to, not including, `end`."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        return Span(self.start, max(self.end, other.end))


@dataclass(frozen=True)
class Source:
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
        """Line `number` (from 1) without its end."""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def slice(self, span: Span) -> str:
        return self.text[span.start : span.end]
