"""The text of a policy, the texts that it takes in, and positions in them.

Each copy of an action's body and each library has a region of offsets of its own, behind the text.
So a span alone tells the file, the place in it, and the call that made the copy.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from cpol.compiler import nodes

_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


@nodes.dataclass(frozen=True)
class Pos:
    """A position: line and column, both from 1. `file` is empty for the policy's own file."""

    line: int
    column: int
    file: str = ""

    def __str__(self) -> str:
        return f"{self.prefix}{self.line}:{self.column}"

    def within(self, path: str) -> str:
        """The place for a message about the policy at `path`."""
        return f"{self.file or path}:{self.line}:{self.column}"

    @property
    def facts(self) -> dict[str, str | int]:
        """The place as JSON, with the file if that is a library's."""
        return {**({"file": self.file} if self.file else {}), "line": self.line, "column": self.column}

    @property
    def prefix(self) -> str:
        """What stands before the line: the name of a library's file, or nothing."""
        return f"{Path(self.file).name}:" if self.file else ""


@dataclass(frozen=True, slots=True)
class Span:
    """A range of characters from `start` up to but not including `end`, as offsets from 0."""

    start: int
    end: int

    def __contains__(self, inner: Span) -> bool:
        return self.start <= inner.start and inner.end <= self.end

    def to(self, other: Span) -> Span:
        return Span(self.start, max(self.end, other.end))


@nodes.dataclass(frozen=True)
class Region:
    """The offsets from `base` up to `end`. They stand for those of `source` from `start`.

    `call` is the statement that made this copy, or None for a library.
    """

    base: int
    end: int
    source: Source
    start: int
    call: Span | None


@nodes.dataclass(frozen=True)
class Source:
    """The text of a policy. `path` is for messages."""

    path: str
    text: str
    regions: list[Region] = field(default_factory=list, compare=False, repr=False)

    def add(self, source: Source, span: Span, call: Span | None) -> int:
        """Add a region for `span` of `source`. Returns how far its offsets lie behind those of `span`."""
        base = (self.regions[-1].end if self.regions else len(self.text)) + 2
        self.regions.append(Region(base, base + span.end - span.start + 1, source, span.start, call))
        return base - span.start

    def copy(self, span: Span, call: Span) -> int:
        """Add a region for a copy of `span`, which lies in one file. Returns as `add` does."""
        source, own, _ = self.place(span)
        self.add(source, own, call)
        return self.regions[-1].base - span.start

    def region(self, offset: int) -> Region | None:
        """The region that holds `offset`; None for the text itself."""
        if offset <= len(self.text):
            return None
        return self.regions[bisect_right(self.regions, offset, key=lambda region: region.base) - 1]

    def place(self, span: Span) -> tuple[Source, Span, Span | None]:
        """The file of `span`, where it lies there, and the call that made this copy of it."""
        region = self.region(span.start)
        if region is None:
            return self, span, None
        shift = region.start - region.base
        return region.source, Span(span.start + shift, span.end + shift), region.call

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        starts.extend(end.end() for end in re.finditer("\n", self.text))
        return starts

    def pos(self, offset: int) -> Pos:
        region = self.region(offset)
        if region is not None:
            pos = region.source.pos(offset - region.base + region.start)
            return Pos(pos.line, pos.column, "" if region.source is self else region.source.path)
        line = bisect_right(self._starts, offset)
        return Pos(line, offset - self._starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """Line `number` (from 1) without its line end."""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def word(self, pos: Pos) -> Span | None:
        """The word or sign at a position, or None if the text has no such position."""
        for region in self.regions:
            if pos.file and region.call is None and region.source.path == pos.file:
                found = region.source.word(Pos(pos.line, pos.column))
                return found and Span(found.start + region.base, found.end + region.base)
        if not 1 <= pos.line <= len(self._starts) or not 1 <= pos.column <= len(self.line(pos.line)):
            return None
        start = self._starts[pos.line - 1] + pos.column - 1
        end = start + 1
        while end < len(self.text) and self.text[start] in _WORD and self.text[end] in _WORD:
            end += 1
        return Span(start, end)

    def slice(self, span: Span) -> str:
        source, span, _ = self.place(span)
        return source.text[span.start : span.end]
