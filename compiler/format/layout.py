"""Lays out lines and blocks.

- A block stays on one line if it was on one, has no comment, and the line fits into WIDTH.
- A chain (`if … else …`) goes on one line, has each block on a line of its own, or is expanded.
- A line that is too long breaks at its outermost operators and commas.
- Single empty lines stay. Nothing else of the old layout has an effect.
"""

from __future__ import annotations

from cpol.compiler.format.output import Output
from cpol.compiler.format.tree import Body, Comment, Line, Word

WIDTH = 100
"""Columns of code. Comments may exceed it."""

INDENT = 2
HANGING = 4
"""Additional indent of a continuation line."""

Row = tuple[list[Word], Body | None]
"""The words before a block, and the block."""


def layout(policy: Line, rest: list[Comment]) -> str:
    """The text of a policy, followed by the comments in `rest`."""
    out = Output()
    out.above(next(policy.words()), 0, blank=True)
    _expanded(_rows(policy), 0, out)
    for comment in rest:
        out.comment(comment, 0)
    return out.text()


def _rows(line: Line) -> list[Row]:
    rows: list[Row] = []
    words: list[Word] = []
    for part in line.parts:
        if isinstance(part, Word):
            words.append(part)
        else:
            rows.append((words, part))
            words = []
    return [*rows, (words, None)] if words else rows


def _lines(lines: list[Line], indent: int, out: Output) -> None:
    widths = _handler_widths(lines, indent)
    for number, (line, width) in enumerate(zip(lines, widths, strict=True)):
        first = next(line.words())
        out.above(first, indent, blank=number > 0)
        _line(line, indent, width, out)


def _line(line: Line, indent: int, width: int, out: Output) -> None:
    """Write one line. Pad the words before a block to `width` columns."""
    rows = _rows(line)
    bodies = [body for _, body in rows if body is not None]
    one = bool(bodies) and (bodies[0].one_line if len(bodies) == 1 else bodies[0].open.line == bodies[-1].close.line)
    if (one or not bodies) and _plain(line) and indent + len(flat := _flat(line, width)) <= WIDTH:
        out.put(next(line.words()), flat, indent)
        out.behind(list(line.words())[-1])
    elif len(bodies) == len(rows) > 1 and all(_fits(row, indent) for row in rows):
        for number, (words, body) in enumerate(rows):
            assert body is not None
            if number:
                out.amid(words[0], indent)
            out.put(words[0], _flat(Line([*words, body])), indent)
            out.behind(body.close)
    else:
        _expanded(rows, indent, out)


def _fits(row: Row, indent: int) -> bool:
    words, body = row
    assert body is not None
    line = Line([*words, body])
    return body.one_line and _plain(line) and indent + len(_flat(line)) <= WIDTH


def _expanded(rows: list[Row], indent: int, out: Output) -> None:
    """Write each block on lines of its own, indented."""
    for number, (words, body) in enumerate(rows):
        run = words if body is None else [*words, body.open]
        if number == 0:
            out.end()
        elif run[0].before or out.must_end:
            out.amid(run[0], indent)
        _run(run, indent, out)
        if body is None:
            continue
        if not body.lines and body.open.after is None and not body.close.before:
            out.add(body.close, body.close.text)
            continue
        out.end()
        _lines(body.lines, indent + INDENT, out)
        for position, comment in enumerate(body.close.before):
            out.comment(comment, indent + INDENT, blank=position > 0 or bool(body.lines))
        out.put(body.close, body.close.text, indent)
        out.behind(body.close)


def _run(words: list[Word], indent: int, out: Output) -> None:
    """Write words in sequence, with breaks where comments or WIDTH require. They may continue the open line."""
    start = 0
    for number, word in enumerate(words, 1):
        last = number == len(words)
        if not last and word.after is None and not words[number].before:
            continue
        part = words[start:number]
        begin = out.column if start == 0 and out.column else indent + (HANGING if start else 0)
        for piece_number, piece in enumerate(_wrap(part, begin, indent + HANGING)):
            if piece_number or not out.column:
                out.put(piece[0], _join(piece), indent if start == 0 and piece_number == 0 else indent + HANGING)
            else:
                out.add(piece[0], _join(piece))
        if word.after is not None:
            out.behind(word)
        if not last:
            out.amid(words[number], indent + HANGING)
        start = number


def _wrap(words: list[Word], begin: int, hanging: int) -> list[list[Word]]:
    """Split words at the outermost break points so that each piece fits. The first starts at `begin`."""
    levels = [word.level for word in words[1:] if word.level is not None]
    if begin + 1 + len(_join(words)) <= WIDTH or not levels:
        return [words]
    level = min(levels)
    pieces: list[list[Word]] = [[words[0]]]
    for word in words[1:]:
        if word.level == level:
            pieces.append([])
        pieces[-1].append(word)
    done: list[list[Word]] = []
    for piece in pieces:
        joined = [*done[-1], *piece] if done else piece
        room = begin if len(done) <= 1 else hanging
        if done and room + 1 + len(_join(joined)) <= WIDTH:
            done[-1] = joined
        else:
            done += _wrap(piece, hanging if done else begin, hanging)
    return done


def _join(words: list[Word]) -> str:
    text = words[0].text
    for word in words[1:]:
        text += " " + word.text if word.space else word.text
    return text


def _plain(line: Line) -> bool:
    """Whether comments stand only above or behind the line."""
    words = list(line.words())
    return not any(word.before for word in words[1:]) and all(word.after is None for word in words[:-1])


def _flat(line: Line, width: int = 0) -> str:
    """The text on one line. Pad the words before the first block to `width` columns."""
    text = ""
    for part in line.parts:
        if isinstance(part, Word):
            text += " " + part.text if text and part.space else part.text
            continue
        text = (text.ljust(width) if "{" not in text else text) + " {" if text else "{"
        for number, inner in enumerate(part.lines):
            text += " " if number == 0 or text.endswith(",") else "  "
            text += _flat(inner)
        text += " }"
    return text


def _handler_widths(lines: list[Line], indent: int) -> list[int]:
    """The width of the heads of consecutive one-line handlers, which aligns their braces."""
    widths = [0] * len(lines)
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and _is_short_handler(lines[end], indent):
            first = next(lines[end].words())
            if end > start and (first.blank or first.before):
                break
            end += 1
        heads = [len(_join(_rows(line)[0][0])) for line in lines[start:end]]
        if heads and all(indent + len(_flat(line, max(heads))) <= WIDTH for line in lines[start:end]):
            widths[start:end] = [max(heads)] * len(heads)
        start = max(end, start + 1)
    return widths


def _is_short_handler(line: Line, indent: int) -> bool:
    rows = _rows(line)
    return len(rows) == 1 and rows[0][1] is not None and next(line.words()).text == "on" and _fits(rows[0], indent)
