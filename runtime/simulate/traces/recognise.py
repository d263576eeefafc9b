"""How to find the format of a file: by its name, which the contents must match, or by its contents."""

from __future__ import annotations

import re
from pathlib import Path

from cpol.compiler.diagnostics.words import closest
from cpol.runtime.simulate.traces.errors import TraceError
from cpol.runtime.simulate.traces.formats import FORMATS, oraclegeneral
from cpol.runtime.simulate.traces.formats.format import Lines
from cpol.runtime.simulate.traces.formats.keys import is_time
from cpol.runtime.simulate.traces.formats.msr import ACTIONS
from cpol.runtime.simulate.traces.separators import (
    check_heading_of_keys,
    check_keys,
    check_mixed_quotes,
    check_quotes,
    check_returns,
)

_BINARY = frozenset(name for name, format in FORMATS.items() if format.binary)
_KEYS = frozenset(name for name, format in FORMATS.items() if format.holds == "keys")
_PLAIN = frozenset(name for name, format in FORMATS.items() if format.holds)
_OTHER_NAMES = {other: name for name, format in FORMATS.items() for other in format.others}
_SUFFIXES = {suffix: name for name, format in FORMATS.items() for suffix in format.suffixes}
_PARTS = {format.part: name for name, format in FORMATS.items() if format.part}
_LINE_FORMATS = frozenset(name for name, format in FORMATS.items() if format.reader or format.begins)
"""What readers of its own read, which know what a line may have."""

_COMPRESSED = re.compile(r"\.(zst|zstd|gz|bz2|xz)$")
_SAMPLE = 1 << 16


def format_of(name: str) -> str:
    """The name in FORMATS for `name`, which may have any case, or the spelling of other simulators.

    Raises:
        TraceError: there is no such format.
    """
    plain = re.sub(r"[-_ ]", "", name.lower())
    found = _OTHER_NAMES.get(plain, plain)
    if found in FORMATS:
        return found
    close = closest(plain, FORMATS)
    hint = f"did you mean {close}?" if close else f"there is {', '.join(FORMATS)}"
    raise TraceError(f"no format {name!r}; {hint}")


def check(path: Path, given: str, head: bytes, whole: bool) -> None:
    """Check the user's format against a file that begins with `head` (`whole`: that is all of it).

    The user decides between the text formats, so any of them is accepted for a text file.

    Raises:
        TraceError: the file contradicts the format.
    """
    sample, name = head[:_SAMPLE], _by_name(path)
    binary = b"\0" in sample
    if given == name and binary == (given in _BINARY):
        return
    possible = _by_contents(sample, whole and len(sample) == len(head))
    if given in _BINARY and not binary and (possible - {"text"} or sample.isascii()):
        raise TraceError(f"{path}: --format says {given}, but the file is text; {_instead(possible)}")
    if given == name or given in possible:
        return
    if binary and possible:
        raise TraceError(f"{path}: --format says {given}, but the contents do not; {_instead(possible)}")
    if binary and name in _BINARY:
        raise TraceError(f"{path}: --format says {given}, the name {name}, and the contents neither; fetch it again")


def _instead(possible: set[str]) -> str:
    return f"leave --format out, or give {' or '.join(sorted(possible)) or 'another'}"


def find(path: Path, head: bytes, whole: bool) -> str:
    """The format of a file that begins with `head` (`whole`: that is all of it).

    Raises:
        TraceError: the format is unclear, or the name contradicts the contents.
    """
    sample = head[:_SAMPLE]
    complete = whole and len(sample) == len(head)
    if complete and not sample.strip():
        blank = len(sample.splitlines())
        which = f"all {blank:,} lines are" if blank > 1 else "its one line is"
        raise TraceError(f"{path}: no requests in the trace: {which} blank; name another file")
    by_name = _by_name(path)
    possible = _by_contents(sample, complete)
    if by_name in possible and by_name not in _KEYS:
        return str(by_name)
    if b"\0" not in sample and not possible & _LINE_FORMATS:
        check_returns(path, sample)
        lines = lines_of(sample, complete)
        if possible <= _PLAIN and (possible or by_name in _KEYS):
            check_keys(path, sample, complete)
            if "lirs" not in possible:
                check_heading_of_keys(path, lines)
                check_mixed_quotes(path, lines)
        elif not possible and _is_csv(path):
            check_quotes(path, lines)
    if by_name in possible or (by_name == "text" and "lirs" in possible):
        return str(by_name)
    if by_name is not None:
        raise TraceError(f"{path}: {_contradiction(by_name, possible, sample)}")
    if possible == {"lirs", "text"}:
        return "lirs"  # only numbers so far, which give the same ids; anything else later is an error
    if len(possible) == 1:
        return possible.pop()
    from cpol.runtime.simulate.traces.known import known  # which other traces are read without

    hint = known((lines_of(sample, complete) or [b""])[0])
    if not possible and _is_csv(path) and b"\0" not in sample and not hint:
        return _comma_format(lines_of(sample, complete))
    names = ", ".join(FORMATS)
    what = f"may be {' or '.join(sorted(possible))}" if possible else "is of no format that is known here"
    count = _columns_of(lines_of(sample, complete)) if not possible and b"\0" not in sample else 1
    csv = f", or, since its lines have {count} columns, --columns object=COLUMN for that of the keys"
    say = hint or f"say what it is with --format ({names}){csv if count > 1 else ''}"
    raise TraceError(f"{path}: the trace {what}; {say}")


def _contradiction(by_name: str, possible: set[str], sample: bytes) -> str:
    """What is wrong with a file whose contents are not of the format that its name says."""
    if by_name == "oraclegeneral" and not possible and b"\0" in sample:
        return (
            f"the name says oraclegeneral, but {oraclegeneral.fault(sample)}; sort the trace, fetch it again, or, to "
            "read it as it is, write --format oraclegeneral"
        )
    looks = f"look like {' or '.join(sorted(possible))}" if possible else "are not of that format"
    return f"the name says {by_name}, but the contents {looks}; say which with --format"


def _by_name(path: Path) -> str | None:
    name = _COMPRESSED.sub("", path.name.lower())
    for part, format in _PARTS.items():
        if part in name:
            return format
    return _SUFFIXES.get(Path(name).suffix)


def _is_csv(path: Path) -> bool:
    return _COMPRESSED.sub("", path.name.lower()).endswith(".csv")


def _comma_format(lines: list[bytes]) -> str:
    """What to read a file called .csv as, if no format fits: the parser then names the line that is wrong."""
    rows = [[column.strip() for column in line.split(b",")] for line in lines]
    seven = [row for row in rows if len(row) == 7]
    if 2 * len(seven) <= len(rows):
        return "csv"
    return "msr" if 2 * sum(row[3].lower() in ACTIONS for row in seven) > len(seven) else "twitter"


def _columns_of(lines: list[bytes]) -> int:
    """How many columns commas separate in each of these lines; 1: not all have as many."""
    counts = {line.count(b",") + 1 for line in lines}
    return counts.pop() if len(counts) == 1 else 1


def lines_of(sample: bytes, complete: bool) -> list[bytes]:
    """The first lines of a text that are whole and not blank."""
    lines = sample.split(b"\n")
    if not complete:
        lines.pop()  # the last line may be incomplete
    return [line.strip() for line in lines if line.strip()][:1000]


def _by_contents(sample: bytes, complete: bool) -> set[str]:
    for name, format in FORMATS.items():
        if format.begins and sample.startswith(format.begins):
            return {name}
    if b"\0" in sample:
        return {name for name, format in FORMATS.items() if format.records and format.records(sample)}
    lines = lines_of(sample, complete)
    return _by_lines(lines) if lines else set()


def _by_lines(lines: list[bytes]) -> set[str]:
    rows = [[column.strip() for column in line.split(b",")] for line in lines]
    if rows[0][0].startswith(b"#") or (len(rows) > 1 and len(rows[0]) > 1 and not is_time(rows[0][0])):
        rows.pop(0)  # a heading
    text = Lines(lines, rows)
    possible = {name for name, format in FORMATS.items() if rows and format.lines and format.lines(text)}
    return possible - _PLAIN or possible  # any line may be a key
