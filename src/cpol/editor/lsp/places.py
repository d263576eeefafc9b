"""Offsets in a text, which the compiler counts in characters, and places of the protocol: lines, and units of UTF-16.

An editor may send any place, also one that its text has not: each means the nearest that there is.
"""

from __future__ import annotations

import re
from bisect import bisect_right

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

    def position(self, offset: int) -> types.Position:
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.starts, offset) - 1
        start = self.starts[line]
        if self._plain:
            return types.Position(line, offset - start)
        return types.Position(line, sum(1 + (char > "\uffff") for char in self.text[start:offset]))

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
    same = next((at for at in range(most) if old[at] != new[at]), most)
    if offset <= same:
        return offset
    behind = 0
    while behind < most - same and old[-1 - behind] == new[-1 - behind]:
        behind += 1
    if offset >= len(new) - behind:
        return offset + len(old) - len(new)
    return min(offset, len(old) - behind)
