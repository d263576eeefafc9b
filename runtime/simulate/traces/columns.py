"""Which columns of a CSV trace hold what: `--columns time=0,file=path,page=3`."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

from cpol.compiler.diagnostics.words import closest
from cpol.runtime.simulate.traces.errors import TraceError

MAX_COLUMN = 63
"""The parser splits a line into so many columns, and one more."""

COLUMNS = ("time", "object", "file", "page", "offset", "size", "thread", "process", "comm", "rw", "count")
"""The columns in the order of `enum column` in requests.h."""

_TIME_UNITS = {"time": 0, "time_ms": 1, "time_us": 1000, "time_100ns": 10_000, "time_ns": 1_000_000}
"""Names for the column of times by unit: how many units are a millisecond; 0 is seconds with a fraction."""

NAMES = (*_TIME_UNITS, *COLUMNS[1:])

_DEFAULT = (("time",), ("object", "file", "page", "offset"), ("size",))
"""The names that fit the columns of a CSV trace without --columns."""

_ALSO_CALLED = {
    "time": ("t", "ts", "timestamp"),
    "object": ("id", "key", "obj", "obj_id", "object_id"),
    "file": ("inode", "ino", "disk", "device", "dev"),
    "page": ("block", "blk", "lba", "sector"),
    "size": ("bytes", "len", "length", "obj_size"),
    "rw": ("op", "operation", "cmd", "type", "verb"),
    "thread": ("tid",),
    "process": ("pid",),
}
"""Words of headings for a column."""

_MEANT = {name: name for name in NAMES} | {word: name for name, words in _ALSO_CALLED.items() for word in words}

_KINDS_OF_REQUESTS = frozenset(("r", "w", "read", "write", "get", "set", "put", "delete", "rs", "ws"))


class Columns(NamedTuple):
    """The column of each name: a number from 0, or the word in the heading."""

    places: dict[str, int | str]
    time_unit: int
    file_width: int = 1  # so many columns, from that of `file` on, name the file

    @property
    def by_heading(self) -> bool:
        """Whether the first line must be a heading."""
        return any(isinstance(place, str) for place in self.places.values())

    @property
    def carries(self) -> frozenset[str]:
        """Of file, page, thread, process, comm, time, rw: what the requests tell."""
        facts = {"page" if name == "offset" else name for name in self.places}
        return frozenset(facts & {"file", "page", "thread", "process", "comm", "time", "rw"})

    def numbers(self, path: Path, head: bytes, separator: str = ",") -> list[int]:
        """The number of each of COLUMNS in a file that begins with `head`; -1: there is none.

        Raises:
            TraceError: the heading lacks a word, or has it twice.
        """
        line = head.partition(b"\n")[0].decode("utf-8", "replace").lstrip("#")
        return self.among(path, _heading(path, line, separator))

    def among(self, path: Path, heading: list[str]) -> list[int]:
        """As `numbers`, for columns with these names."""
        return [_number(path, name, self.places.get(name, -1), heading) for name in COLUMNS]


def told_by(head: bytes) -> str | None:
    """The value of `--columns` for a CSV trace whose heading has these very names, as `cpolc trace` writes it; None: it
    has not, or it needs none."""
    words = head.partition(b"\n")[0].decode("utf-8", "replace").strip("\r").split(",")
    known = len(words) > 1 and len({*words}) == len(words) and {*words} <= {*NAMES}
    if not known or not {*words} & {"object", "page", "offset"} or words == ["time", "object", "size"]:
        return None
    return ",".join(f"{word}={word}" for word in words)


def check_heading(path: Path, head: bytes) -> None:
    """Check that no heading contradicts a CSV trace without --columns: its time, object and size in this order.

    Raises:
        TraceError: a word of the heading, which `head` begins with, is the name of another column.
    """
    heading = _heading(path, head.partition(b"\n")[0].decode("utf-8", "replace").lstrip("#\ufeff"))
    for number, (word, fits) in enumerate(zip(heading, _DEFAULT, strict=False)):
        if _MEANT.get(word.lower(), fits[0]) not in fits:
            places = {
                _MEANT[found.lower()]: at for at, found in reversed([*enumerate(heading)]) if found.lower() in _MEANT
            }
            named = ",".join(f"{name}={at}" for name, at in sorted(places.items(), key=lambda place: place[1]))
            raise TraceError(
                f"{path}: line 1: column {number} is called {word!r}, but without --columns csv has time, object and "
                f"size in this order; write --columns {named}"
            )
    for number in (1, 3):
        if (
            heading[number:]
            and heading[number].lower() in _KINDS_OF_REQUESTS
            and heading[0].replace(".", "", 1).isdigit()
        ):
            raise TraceError(
                f"{path}: line 1: column {number} is {heading[number]!r}, a kind of request, but without --columns csv "
                f"has time, object, size and the next request's number in this order; write --columns "
                f"{'time=0,rw=1,object=2' if number == 1 else 'time=0,object=1,size=2,rw=3'}"
            )


def _heading(path: Path, line: str, separator: str = ",") -> list[str]:
    if separator == " ":
        return line.split()
    try:
        words = next(csv.reader([line.strip("\r\n")], delimiter=separator, skipinitialspace=separator != "\t"), [])
        return [word.strip() for word in words]
    except csv.Error as error:
        raise TraceError(f"{path}: line 1: not the heading of a CSV trace: {error}; correct it") from None


def _number(path: Path, name: str, place: int | str, heading: list[str]) -> int:
    if isinstance(place, int):
        return place
    count = heading.count(place)
    if count != 1 or heading.index(place) > MAX_COLUMN:
        what = f"{count} columns are" if count > 1 else "no column is" if count == 0 else "a column too far right is"
        close = closest(place, heading)
        hint = f"did you mean {close}?" if close and count == 0 else f"the heading has {', '.join(heading)[:200]}"
        raise TraceError(f"{path}: line 1: {what} called {place!r}, which --columns names for {name}; {hint}")
    return heading.index(place)


def read_columns(text: str) -> Columns:
    """Read `NAME=COLUMN,…`.

    Raises:
        TraceError: it is wrong; the message does not name the option.
    """
    places: dict[str, int | str] = {}
    unit = 0
    for word in text.split(","):
        name, _, place = (part.strip() for part in word.partition("="))
        if not name or not place:
            raise TraceError(f"{word!r} is not NAME=COLUMN, such as page=3 or page=block")
        if name not in NAMES:
            close = closest(name, NAMES)
            hint = f"did you mean {close}?" if close else f"there is {', '.join(NAMES)}"
            raise TraceError(f"no column {name!r}; {hint}")
        unit = _TIME_UNITS.get(name, unit)
        name = "time" if name in _TIME_UNITS else name
        if name in places:
            raise TraceError(f"{name} is given twice; give one column")
        places[name] = _place(place)
    _check(places)
    return Columns(places, unit)


def _place(text: str) -> int | str:
    if not (text.isascii() and text.isdigit()):
        return text
    if len(text) > 3 or int(text) > MAX_COLUMN:
        raise TraceError(f"column {text[:20]} is too far right: columns are 0 to {MAX_COLUMN}")
    return int(text)


def _check(places: dict[str, int | str]) -> None:
    given = [name for name in ("object", "page", "offset") if name in places]
    if len(given) != 1:
        what = f"{' and '.join(given)} exclude each other" if given else "nothing says what is requested"
        raise TraceError(
            f"{what}; give one of page=COLUMN (a page's number in its file), offset=COLUMN (bytes) "
            "or object=COLUMN (any key)"
        )
