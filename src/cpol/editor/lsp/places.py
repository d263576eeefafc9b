"""Offsets in a text, which the compiler counts in characters, and places of the protocol: lines, and units of UTF-16.

An editor may send any place, also one that its text has not: each means the nearest that there is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from lsprotocol import types

from cpol.compiler.diagnostics.source import Span

_END = re.compile(r"\r\n|\n|\r")
"""What ends a line for the protocol. Others, such as a form feed, do not, whatever Python says."""


class Lines:
    """The lines of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(end.end() for end in _END.finditer(text))]
        self._plain = text.isascii()
        self._alike = self._plain and text.count("\r") == text.count("\r\n")
        """Whether a token's line and column are those of the protocol."""

    def position(self, offset: int) -> types.Position:
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.starts, offset) - 1
        start = self.starts[line]
        if self._plain:
            return types.Position(line, offset - start)
        return types.Position(line, sum(1 + (char > "\uffff") for char in self.text[start:offset]))

    def start(self, token: Any) -> tuple[int, int]:
        """The line of a token, from 0, and where in it the token starts."""
        if self._alike:
            return token.line - 1, token.column
        at = self.position(token.start)
        return at.line, at.character

    def length(self, token: Any) -> int:
        """The length of a token, which stands in one line."""
        if self._plain:
            return int(token.stop + 1 - token.start)
        return sum(1 + (char > "\uffff") for char in self.text[token.start : token.stop + 1])

    def offset(self, position: types.Position) -> int:
        if position.line >= len(self.starts):
            return len(self.text)
        if position.line < 0:
            return 0
        start = self.starts[position.line]
        text = self.line(position.line)
        if self._plain:
            return start + min(max(position.character, 0), len(text))
        units = 0
        for at, char in enumerate(text):
            units += 1 + (char > "\uffff")
            if units > position.character:
                return start + at
        return start + len(text)

    def line(self, number: int) -> str:
        """Line `number`, from 0, without its end."""
        start = self.starts[number]
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def range(self, span: Span) -> types.Range:
        return types.Range(self.position(span.start), self.position(span.end))

    @property
    def whole(self) -> types.Range:
        return types.Range(types.Position(0, 0), self.position(len(self.text)))


def moved(offset: int, old: str, new: str) -> int:
    """Where in `old` the place lies that has this offset in `new`, if one part of `old` was replaced."""
    most = min(len(old), len(new))
    same = _most(most, lambda count: old[:count] == new[:count])
    if offset <= same:
        return offset
    behind = _most(most - same, lambda count: old[len(old) - count :] == new[len(new) - count :])
    if offset >= len(new) - behind:
        return offset + len(old) - len(new)
    return min(offset, len(old) - behind)


def _most(limit: int, holds: Callable[[int], bool]) -> int:
    """The largest number up to a limit for which something holds that holds for all below it, 0 among these."""
    low = 0
    while low < limit:
        middle = (low + limit + 1) // 2
        low, limit = (middle, limit) if holds(middle) else (low, middle - 1)
    return low
