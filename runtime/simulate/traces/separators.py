"""What separates the columns of a trace's lines. Lines of keys have none; others are refused, with what to write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from cpol.runtime.simulate.traces.errors import TraceError
from cpol.runtime.simulate.traces.faults import RETURNS

_NAMES = {b",": "commas", b"\t": "tabs", b" ": "blanks", b";": "semicolons", b"|": "bars"}
_NUMBER = re.compile(rb"[0-9]{1,20}")
_HEADINGS = frozenset(b"object object_id obj obj_id id key block page lba lbn url".split())
"""What a column of keys is called, in lower case."""
_QUOTED = re.compile(rb'"[^"]*"')
_RETURN = re.compile(rb"\r[^\r\n]")


def separator_of(lines: Sequence[bytes]) -> str:
    """What separates the columns of these lines, for --columns: the first of comma, semicolon and tab that all of them
    have outside of quotes. A blank, for blanks and tabs, if all have one; else a comma."""
    rows = [_QUOTED.sub(b"", line) for line in lines if not line.startswith(b"#")] or lines
    for separator in (b",", b";", b"\t"):
        if rows and all(separator in line for line in rows):
            return separator.decode()
    return " " if rows and all(re.search(rb"[ \t]", line) for line in rows) else ","


def is_heading(cells: Sequence[bytes]) -> bool:
    """Whether the first of a column's cells is a heading: a word above numbers, or a usual name of such columns."""
    if len(cells) < 2:
        return False
    first, rest = cells[0], cells[1:]
    above_numbers = re.match(rb"[A-Za-z_]", first) and all(map(_NUMBER.fullmatch, rest))
    return bool(above_numbers) or (first.lower() in _HEADINGS and first not in rest)


def column_of(lines: Sequence[bytes], number: int, separator: str) -> list[bytes]:
    """The cells of a column in the lines that have so many columns, without quotes around them."""
    rows = [line.split(separator.encode()) if separator != " " else line.split() for line in lines]
    return [row[number].strip(b' \t\r"') for row in rows if number < len(row)]


def check_heading_of_keys(path: Path, lines: Sequence[bytes]) -> None:
    """Refuse a heading above keys, which would be a request.

    Raises:
        TraceError: the first line seems to be one.
    """
    if is_heading(lines):
        word = lines[0][:40].decode(errors="replace")
        raise TraceError(
            f"{path}: line 1: `{word}` seems to be a heading, which would count as a request; write --columns "
            f"object={word}, or --format text if it is a key"
        )


def check_quotes(path: Path, lines: Sequence[bytes]) -> None:
    """Refuse columns in quotes, which only --columns reads.

    Raises:
        TraceError: a line has one.
    """
    for line in lines[1:]:
        if b"," in line and re.search(rb'(^|,)[ \t]*"', line):
            raise TraceError(
                f"{path}: columns are in quotes, as in `{line[:60].decode(errors='replace')}`; --columns reads them: "
                "--columns time=0,object=1,size=2 (columns are counted from 0)"
            )


def check_mixed_quotes(path: Path, lines: Sequence[bytes]) -> None:
    """Refuse keys that stand with quotes and without: they would be two.

    Raises:
        TraceError: there is one.
    """
    bare = {*lines}
    for number, line in enumerate(lines, 1):
        if len(line) > 2 and line[:1] == line[-1:] == b'"' and line[1:-1] in bare:
            raise TraceError(
                f"{path}: line {number}: {line[:60].decode(errors='replace')} stands in quotes, and elsewhere without; "
                "write --columns object=0, which reads them as one, or --format text if they are two keys"
            )


def is_ranges(lines: Sequence[bytes]) -> bool:
    """Whether each line may be a range of an ARC trace: four numbers with blanks between them."""
    rows = [line.split() for line in lines]
    return all(len(row) == 4 and all(map(_NUMBER.fullmatch, row)) for row in rows)


def check_returns(path: Path, sample: bytes) -> None:
    """Refuse lines that end with a carriage return alone.

    Raises:
        TraceError: there is one.
    """
    if found := _RETURN.search(sample):
        line = sample.count(b"\n", 0, found.start()) + 1
        raise TraceError(f"{path}: line {line}: {RETURNS}")


def check_keys(path: Path, sample: bytes, complete: bool) -> None:
    """Refuse lines that may have columns where each should be a key.

    Raises:
        TraceError: there is one.
    """
    lines = sample.split(b"\n") if complete else sample.split(b"\n")[:-1]
    rows = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    for separator in (b",", b";", b"|"):
        counts = {line.count(separator) for _, line in rows}
        if len(counts) == 1 and 0 not in counts:
            raise _columns(path, rows[0][0], [line for _, line in rows], separator)
    for number, line in rows:
        for separator in (b"\t", b" "):
            if separator in line:
                raise _columns(path, number, [line for _, line in rows], separator)


def _columns(path: Path, number: int, lines: Sequence[bytes], separator: bytes) -> TraceError:
    """The error for a line that such a separator divides."""
    line = next(line for line in lines if separator in line)
    columns = line.split() if separator in b"\t " else line.split(separator)
    choices = [f"--columns {_guess(lines, columns)}"] if separator != b"|" else []
    if separator in b"\t " and is_ranges(lines):
        choices.append("--format lis if each is a range of an ARC trace (start, count, 0, number)")
    choices.append("--format text if each whole line is a key")
    from cpol.runtime.simulate.traces.known import known  # which other traces are read without

    advice = known(lines[0]) or "write " + ", or ".join(choices)
    convert = "; or have commas in place of the bars" if separator == b"|" else ""
    return TraceError(
        f"{path}: line {number}: {_NAMES[separator]} separate {len(columns)} columns, or are part of a key; "
        f"{advice}{convert}"
    )


def _guess(lines: Sequence[bytes], columns: Sequence[bytes]) -> str:
    """The columns as they may be meant."""
    rows = [line.split() for line in lines[:1000]]
    if len(columns) == 3 and all(len(row) == 3 and all(map(_NUMBER.fullmatch, row)) for row in rows):
        return "time=0,object=1,size=2 (columns are counted from 0)"
    return "object=COLUMN, the column of the keys (from 0)"
