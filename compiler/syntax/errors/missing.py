"""Fixes that write a word or a sign which is missing."""

from __future__ import annotations

from typing import Any

from cpol.compiler.diagnostics.edit import Edit, Fix
from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.syntax.errors.place import Place
from cpol.grammar.generated.CpolParser import CpolParser as P

CLOSE = (")", "]", ",", ":", "(", "[", "..")
"""Signs without a space in front of them."""


def written(place: Place, source: Source) -> Fix | None:
    """Writes the one word or sign that can stand between the two tokens at `place`."""
    missing = place.missing
    if not missing or missing == "}" or place.before is None or place.token.type == P.EOF:
        return None
    at = place.before.stop + 1
    before = "" if missing in CLOSE else " "
    behind = source.text[at : at + 1]
    after = "" if behind.isspace() or missing in ("(", "[", "..") or behind in (")", ",", "]") else " "
    return Fix(f"Write `{missing}`", (Edit(Span(at, at), before + missing + after),))


def closed(brace: Any, place: Place, source: Source) -> Fix | None:
    """Writes the `}` of `brace` in front of the error at `place`. None if the layout leaves open where it belongs."""
    indent: dict[int, int] = {}
    for token in place.tokens:
        if token.channel == 0:
            indent.setdefault(token.line, token.column)
    inside = []
    for token in place.tokens[brace.tokenIndex :]:
        if token.type == P.EOF or token.start >= place.token.start:
            break
        starts_line = token.column == indent.get(token.line) and token.line > brace.line
        if token.channel == 0 and starts_line and token.column <= indent[brace.line]:
            if place.token.type != P.EOF:
                return None  # what follows the block is taken for a part of it already
            break
        inside += [token] if token.channel == 0 else []
    last = inside[-1]
    if not _laid_out(inside, indent):
        return None
    if last.line == brace.line:
        at, text = last.stop + 1, " }"
    else:
        end = source.text.find("\n", last.stop)
        at = len(source.text) if end < 0 else end
        line = source.text[source.text.rfind("\n", 0, brace.start) + 1 : brace.start]
        text = f"\n{line[: len(line) - len(line.lstrip())]}}}"
    if place.token.line == last.line and place.token.type != P.EOF:
        return None  # the next declaration is on this line
    return Fix("Write `}`", (Edit(Span(at, at), text),))


def _laid_out(tokens: list[Any], indent: dict[int, int]) -> bool:
    """Whether the lines show the `}` of each `{` behind the first, and only that of the first is missing.

    On one line nothing shows which of two blocks goes on.
    """
    open: list[Any] = []
    for token in tokens:
        if token.type == P.LBRACE:
            open.append(token)
        elif token.type == P.RBRACE:
            brace = open.pop()
            ends_block = token.column == indent[token.line] == indent[brace.line]
            if not open or (not ends_block if brace.line < token.line else token.line == tokens[0].line):
                return False
    return len(open) == 1
