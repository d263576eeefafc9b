"""Renders diagnostics: message, place, underlined source, reason and advice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from cpol.compiler.diagnostics.diagnostic import Diagnostic, Label, Severity
from cpol.compiler.diagnostics.source import Source, Span

MAX_WIDTH = 160
"""Columns of a source line. Of a longer line, only the part around the place is shown."""

_Spot: TypeAlias = tuple[Label, str, str]
"""A place with its text, the mark under it, and the colour of both."""

RED, YELLOW, BLUE, BOLD, RESET = "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;34m", "\x1b[1m", "\x1b[0m"


def render(diagnostic: Diagnostic, color: bool = False) -> str:
    """One diagnostic as text, without a final newline."""
    main = RED if diagnostic.severity is Severity.ERROR else YELLOW
    paint = _paint if color else _plain
    out = [paint(main, f"{diagnostic.severity.value}[{diagnostic.code}]") + paint(BOLD, f": {diagnostic.message}")]
    path = printable(diagnostic.source.path)
    if diagnostic.span is None:
        out.append(f" {paint(BLUE, '-->')} {path}")
        gutter = 1
    else:
        spots = [(Label(diagnostic.span, diagnostic.label), "^", main)]
        spots += [(label, "-", BLUE) for label in (*diagnostic.others, *calls(diagnostic))]
        files: dict[Source, list[_Spot]] = {}
        for label, mark, hue in spots:
            source, span, _ = diagnostic.source.place(label.span)
            files.setdefault(source, []).append((Label(span, label.text), mark, hue))
        gutter = max(len(str(source.pos(spot[0].span.start).line)) for source in files for spot in files[source])
        for i, (source, found) in enumerate(files.items()):
            pos = source.pos(found[0][0].span.start)
            arrow = paint(BLUE, "-->" if i == 0 else ":::")
            out.append(f"{' ' * gutter}{arrow} {printable(source.path)}:{pos.line}:{pos.column}")
            out.append(paint(BLUE, f"{' ' * gutter} |"))
            out += _lines(source, sorted(found, key=lambda spot: spot[0].span.start), gutter, paint)
    for word, text in (("why", diagnostic.why), ("help", diagnostic.help)):
        if text:
            out.append(f"{' ' * gutter} {paint(BLUE, '=')} {paint(BOLD, word + ':')} {text}")
    return "\n".join(out)


def calls(diagnostic: Diagnostic) -> list[Label]:
    """The calls that brought the place of `diagnostic` where it is, the innermost first."""
    found: list[Label] = []
    span = diagnostic.span
    while span is not None:
        span = diagnostic.source.place(span)[2]
        if span is not None:
            found.append(Label(span, "in this call"))
    return found


def _lines(source: Source, spots: list[_Spot], gutter: int, paint: Callable[[str, str], str]) -> Iterator[str]:
    """The lines of `source` with `spots`, which are in order."""
    last = 0
    for label, mark, hue in spots:
        line = source.pos(label.span.start).line
        text, under = _excerpt(source, label, mark)
        if last and line > last + 1:
            yield paint(BLUE, "...")
        if line != last:
            yield f"{paint(BLUE, f'{line:>{gutter}} |')} {text}".rstrip()
        yield f"{paint(BLUE, f'{chr(32) * gutter} |')} {_indent(under)}{paint(hue, under.lstrip())}"
        last = line


def _paint(code: str, text: str) -> str:
    return f"{code}{text}{RESET}"


def _plain(_code: str, text: str) -> str:
    return text


def _indent(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def printable(text: str) -> str:
    """Replace characters that could move the cursor or reorder the line."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _excerpt(source: Source, label: Label, mark: str) -> tuple[str, str]:
    """The first line of the label's span, and the marks and text below it."""
    start = source.pos(label.span.start)
    raw = source.line(start.line)
    first = min(start.column - 1, len(raw))
    last = min(first + max(1, _length(source, label.span, len(raw) - first)), max(len(raw), first + 1))
    cut = 0
    if len(raw) > MAX_WIDTH:
        cut = max(0, min(first - MAX_WIDTH // 3, len(raw) - MAX_WIDTH))
        raw = raw[cut : cut + MAX_WIDTH]
        first, last = first - cut, min(last - cut, MAX_WIDTH)
    before = printable(raw[:first].replace("\t", "    "))
    under = printable(raw[first:last].replace("\t", "    "))
    after = printable(raw[last:].replace("\t", "    "))
    marks = " " * _width(before) + mark * max(1, _width(under))
    return before + under + after, f"{marks} {label.text}".rstrip()


def _length(source: Source, span: Span, rest: int) -> int:
    """Length of the span on its first line, in characters."""
    newline = source.text.find("\n", span.start, span.end)
    return min(rest, (span.end if newline < 0 else newline) - span.start)


def _width(text: str) -> int:
    """Width of the text in terminal columns."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)
