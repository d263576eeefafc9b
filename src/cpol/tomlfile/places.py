"""Where the keys and values of a TOML text stand, which tomllib does not tell."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TypeAlias

Path: TypeAlias = "tuple[str | int, ...]"
"""The names and numbers that lead to a key or a value."""

_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_STRING = re.compile(r'"""(?:\\.|(?!""").)*"""+' r"|'''(?:(?!''').)*'''+" r'|"(?:\\.|[^"\\])*"' r"|'[^']*'", re.DOTALL)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_OTHER = re.compile(r"[^,\]}#\n]+")


class Places:
    """The places in a text that tomllib has read, so that it is known to be TOML."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text.replace("\r\n", "\n"), 0
        self._lines = [0, *(found.end() for found in re.finditer("\n", self._text))]
        self._keys: dict[Path, int] = {}
        self._values: dict[Path, int] = {}
        self._tables: dict[Path, int] = {}
        prefix: Path = ()
        while self._skip() < len(self._text):
            prefix = self._line(prefix)

    def key(self, path: Path) -> tuple[int, int]:
        """Line and column, from 1, of a key, or of the nearest one around it."""
        return self._place(self._keys, path)

    def value(self, path: Path) -> tuple[int, int]:
        """As `key`, of a value."""
        return self._place(self._values, path)

    def _place(self, places: dict[Path, int], path: Path) -> tuple[int, int]:
        known = next((path[:size] for size in range(len(path), 0, -1) if path[:size] in places), None)
        at = 0 if known is None else places[known]
        line = bisect_right(self._lines, at)
        return line, at - self._lines[line - 1] + 1

    def _skip(self) -> int:
        found = _BLANK.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._at

    def _line(self, prefix: Path) -> Path:
        """Read a table's head or a pair, and return the table that follows."""
        if self._text[self._at] != "[":
            self._pair(prefix)
            return prefix
        many = self._text.startswith("[[", self._at)
        start = self._at
        self._at += 2 if many else 1
        path = self._name(())
        if many:
            number = self._tables[path] = self._tables.get(path, -1) + 1
            path = (*path, number)
        self._values.setdefault(path, start)
        self._at += 2 if many else 1
        return path

    def _name(self, prefix: Path) -> Path:
        """Read a key of one part or more, up to what follows it."""
        path = prefix
        while True:
            self._skip()
            start = self._at
            found = _STRING.match(self._text, start) or _BARE.match(self._text, start)
            assert found
            self._at, word = found.end(), found.group()
            path = (*path, word[1:-1] if word[0] in "\"'" else word)
            self._keys.setdefault(path, start)
            self._skip()
            if self._text[self._at] != ".":
                return path
            self._at += 1

    def _pair(self, prefix: Path) -> None:
        path = self._name(prefix)
        self._at += 1  # =
        self._skip()
        self._value(path)

    def _value(self, path: Path) -> None:
        self._values[path] = self._at
        match self._text[self._at]:
            case "[":
                self._items(path, "]")
            case "{":
                self._items(path, "}")
            case _:
                found = _STRING.match(self._text, self._at) or _OTHER.match(self._text, self._at)
                assert found
                self._at = found.end()

    def _items(self, path: Path, end: str) -> None:
        self._at += 1
        number = 0
        while True:
            while self._text[self._skip()] == ",":
                self._at += 1
            if self._text[self._at] == end:
                self._at += 1
                return
            if end == "]":
                self._value((*path, number))
                number += 1
            else:
                self._pair(path)
