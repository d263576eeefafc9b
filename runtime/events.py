"""The event log: one format for what the simulator did, what the kernel recorded and what a check found.

Text, UTF-8, one line an item, columns separated by single tabs. The header comes first:

    cpol-events 1
    policy      NAME
    lists       NAME ...        the policy's lists, in order of declaration (list 1, 2, ...)
    ghosts      NAME ...        its ghosts, likewise (ghost 0, 1, ...); the line may have no name
    capacity    PAGES
    batch       PAGES           wanted by an evict request of the simulator, 1 to 32
    decisions   yes|no          whether decision lines were recorded
    param       NAME VALUE      any number of them: what the policy ran with, as a user writes it

Then events, in the order in which they happened. `file` and `index` name a folio (docs/semantics.md, *Identity*); all
numbers are decimal and fit into 64 bits.

    missed          FILE INDEX
    added           FILE INDEX PAGES
    first_accessed  FILE INDEX
    accessed        FILE INDEX
    removed         FILE INDEX evicted|deleted
    evict           WANTED              one request, all its calls of the handler
    refused         FILE INDEX          a proposed folio could not go, and went back to its list
    fallback        FILE INDEX          the machine (or the kernel) chose this folio itself; removed, as evicted

After an event and before the next one, each on a line that begins with a tab, come the decisions: the effects of
the event's handler, in the order in which they took place. What has no effect (a move of a proposed folio) has no line.

    place       FILE INDEX LIST head|tail
    move        FILE INDEX LIST head|tail
    propose     FILE INDEX
    ghost_add   FILE INDEX GHOST
    ghost_take  FILE INDEX GHOST        found and forgotten; a take that found nothing has no line

`evict lowest` writes a `move` whenever a folio goes to the far end (one displaced, or one that found no seat), then a
`propose` for each seated one. `refused` is followed by the `move` that brings the folio back. A request of the
simulator is `evict` with its decisions, then for each proposal in order `removed … evicted` with that event's own.

For C and for comparing, a line is a row of five unsigned 64-bit numbers `op, file, index, a, b`:

    op  name            file, index   a                     b
     1  missed          the folio     0                     0
     2  added           the folio     pages                 0
     3  first_accessed  the folio     0                     0
     4  accessed        the folio     0                     0
     5  removed         the folio     0 evicted, 1 deleted  0
     6  evict           0, 0          wanted                0
     7  refused         the folio     0                     0
     8  fallback        the folio     0                     0
    16  place           the folio     list, from 1          0 head, 1 tail
    17  move            the folio     list, from 1          0 head, 1 tail
    18  propose         the folio     0                     0
    19  ghost_add       the folio     ghost, from 0         0
    20  ghost_take      the folio     ghost, from 0         0
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO

from cpol.compiler.ir import MAX_BATCH, MAX_LISTS, REASON

VERSION = "1"
MAX_LINE = 4096
"""Bytes. No line that is written here comes near it; a longer one is not an event log."""

MAX_U64 = 2**64 - 1
ENDS = ("head", "tail")


class Op(IntEnum):
    MISSED = 1
    ADDED = 2
    FIRST_ACCESSED = 3
    ACCESSED = 4
    REMOVED = 5
    EVICT = 6
    REFUSED = 7
    FALLBACK = 8
    PLACE = 16
    MOVE = 17
    PROPOSE = 18
    GHOST_ADD = 19
    GHOST_TAKE = 20

    @property
    def is_decision(self) -> bool:
        return self >= Op.PLACE

    @property
    def label(self) -> str:
        return self.name.lower()


class Row(NamedTuple):
    """One event or decision; the meaning of `a` and `b` is in the table above. `page` is the table's `index`."""

    op: int
    file: int
    page: int
    a: int = 0
    b: int = 0


@dataclass(frozen=True)
class Header:
    policy: str
    lists: tuple[str, ...]
    ghosts: tuple[str, ...]
    capacity: int
    batch: int = 1
    params: dict[str, str] = field(default_factory=dict)
    decisions: bool = True


@dataclass(frozen=True)
class Log:
    header: Header
    rows: list[Row]
    lines: list[int]
    """The line in the file that each row was read from."""


class LogError(ValueError):
    """The file is not a well-formed event log. The message names file and line."""

    def __init__(self, name: str, line: int, what: str) -> None:
        super().__init__(f"{name}:{line}: {what}")
        self.name = name
        self.line = line
        self.what = what


# Writing.


def format_row(row: Row, header: Header) -> str:
    """The line of `row`, without its newline."""
    op = Op(row.op)
    if op is Op.EVICT:
        return f"evict\t{row.a}"
    words = [op.label, str(row.file), str(row.page)]
    if op is Op.ADDED:
        words.append(str(row.a))
    elif op is Op.REMOVED:
        words.append(REASON.members[row.a])
    elif op in (Op.PLACE, Op.MOVE):
        words += [header.lists[row.a - 1], ENDS[row.b]]
    elif op in (Op.GHOST_ADD, Op.GHOST_TAKE):
        words.append(header.ghosts[row.a])
    return ("\t" if op.is_decision else "") + "\t".join(words)


def format_header(header: Header) -> str:
    lines = [
        ("cpol-events", VERSION),
        ("policy", header.policy),
        ("lists", *header.lists),
        ("ghosts", *header.ghosts),
        ("capacity", str(header.capacity)),
        ("batch", str(header.batch)),
        ("decisions", "yes" if header.decisions else "no"),
        *(("param", name, value) for name, value in header.params.items()),
    ]
    return "".join("\t".join(words) + "\n" for words in lines)


def write(out: TextIO, header: Header, rows: Iterable[Row]) -> None:
    out.write(format_header(header))
    for row in rows:
        if header.decisions or not Op(row.op).is_decision:
            out.write(format_row(row, header) + "\n")


def save(path: Path, header: Header, rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as out:
        write(out, header, rows)


# Reading. Nothing about the file is trusted: each complaint says where it is and what was expected.

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_NUMBER = re.compile(r"[0-9]{1,20}")
_VALUE = re.compile(r"[-A-Za-z0-9_.]{1,64}")
_OPS = {op.label: op for op in Op}
_HEADER_KEYS = ("policy", "lists", "ghosts", "capacity", "batch", "decisions")
_COLUMNS = {
    Op.ADDED: ("PAGES",),
    Op.REMOVED: ("evicted|deleted",),
    Op.PLACE: ("LIST", "head|tail"),
    Op.MOVE: ("LIST", "head|tail"),
    Op.GHOST_ADD: ("GHOST",),
    Op.GHOST_TAKE: ("GHOST",),
}


def read(path: Path) -> Log:
    """The whole log at `path`. Raises LogError, or OSError."""
    with path.open("rb") as file:
        return parse(_bounded_lines(file), str(path))


def _bounded_lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(MAX_LINE + 1):
        yield line


def parse(lines: Iterable[bytes], name: str = "<log>") -> Log:
    parser = _Parser(name)
    for line in lines:
        parser.feed(line)
    return parser.finish()


class _Parser:
    def __init__(self, name: str) -> None:
        self.name = name
        self.line = 0
        self.seen: dict[str, list[str]] = {}
        self.params: dict[str, str] = {}
        self.header: Header | None = None
        self.rows: list[Row] = []
        self.lines: list[int] = []

    def error(self, what: str) -> LogError:
        return LogError(self.name, self.line, what)

    def feed(self, raw: bytes) -> None:
        self.line += 1
        if len(raw) > MAX_LINE:
            raise self.error(f"the line is longer than {MAX_LINE} bytes")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise self.error("not UTF-8 text") from None
        words = text.removesuffix("\n").split("\t")
        if self.line == 1:
            self.first_line(words)
        elif self.header is None and words[0] in (*_HEADER_KEYS, "param"):
            self.header_line(words)
        else:
            if self.header is None:
                self.header = self.make_header()
            self.rows.append(self.row(words, self.header))
            self.lines.append(self.line)

    def finish(self) -> Log:
        if self.line == 0:
            self.line = 1
            raise self.error("the file is empty; an event log begins with 'cpol-events 1'")
        return Log(self.header or self.make_header(), self.rows, self.lines)

    def first_line(self, words: list[str]) -> None:
        if words[0] != "cpol-events":
            raise self.error(f"not an event log: it begins with {_quote(words[0])}, not with 'cpol-events'")
        if words[1:] != [VERSION]:
            raise self.error(f"version {_quote(' '.join(words[1:]))} of the format is not known; version {VERSION} is")

    def header_line(self, words: list[str]) -> None:
        key, values = words[0], words[1:]
        if key == "param":
            if len(values) != 2:
                raise self.error(f"'param' takes a name and a value, not {len(values)} columns")
            param = self.identifier(values[0])
            if param in self.params:
                raise self.error(f"param {param} is given twice")
            if not _VALUE.fullmatch(values[1]):
                raise self.error(f"{_quote(values[1])} is not a value of a param")
            self.params[param] = values[1]
            return
        if key in self.seen:
            raise self.error(f"'{key}' is given twice")
        if key in ("lists", "ghosts"):
            values = [self.identifier(value) for value in values if value or len(values) > 1]
            if len(set(values)) != len(values):
                raise self.error(f"a name is given twice in '{key}'")
            if key == "lists" and not 1 <= len(values) <= MAX_LISTS:
                raise self.error(f"a policy has 1 to {MAX_LISTS} lists, not {len(values)}")
        elif len(values) != 1:
            raise self.error(f"'{key}' takes one value, not {len(values)}")
        elif key == "policy":
            self.identifier(values[0])
        elif key == "decisions":
            if values[0] not in ("yes", "no"):
                raise self.error(f"'decisions' is yes or no, not {_quote(values[0])}")
        elif key == "capacity":
            self.number(values[0], "capacity", 1, MAX_U64)
        else:
            self.number(values[0], "batch", 1, MAX_BATCH)
        self.seen[key] = values

    def make_header(self) -> Header:
        missing = [key for key in _HEADER_KEYS if key not in self.seen]
        if missing:
            raise self.error(f"the header lacks {', '.join(repr(key) for key in missing)}")
        seen = self.seen
        return Header(
            policy=seen["policy"][0],
            lists=tuple(seen["lists"]),
            ghosts=tuple(seen["ghosts"]),
            capacity=int(seen["capacity"][0]),
            batch=int(seen["batch"][0]),
            params=self.params,
            decisions=seen["decisions"][0] == "yes",
        )

    def row(self, words: list[str], header: Header) -> Row:
        indented = words[0] == "" and len(words) > 1
        if indented:
            words = words[1:]
        if words[0] in _HEADER_KEYS or words[0] == "param":
            raise self.error(f"'{words[0]}' belongs into the header, before the first event")
        op = _OPS.get(words[0])
        if op is None:
            raise self.error(f"{_quote(words[0])} is neither an event nor a decision")
        if indented != op.is_decision:
            what = "a decision: a tab comes before it" if op.is_decision else "an event: no tab comes before it"
            raise self.error(f"'{op.label}' is {what}")
        if op.is_decision and not header.decisions:
            raise self.error(f"'{op.label}' is a decision, but the header says 'decisions no'")
        if op.is_decision and not self.rows:
            raise self.error(f"'{op.label}' comes before any event")
        columns = ("WANTED",) if op is Op.EVICT else ("FILE", "INDEX", *_COLUMNS.get(op, ()))
        if len(words) - 1 != len(columns):
            raise self.error(f"'{op.label}' takes {' '.join(columns)}, not {len(words) - 1} columns")
        if op is Op.EVICT:
            return Row(op, 0, 0, self.number(words[1], "wanted", 1, MAX_BATCH))
        file = self.number(words[1], "file", 0, MAX_U64)
        index = self.number(words[2], "index", 0, MAX_U64)
        if op is Op.ADDED:
            return Row(op, file, index, self.number(words[3], "pages", 1, MAX_U64))
        if op is Op.REMOVED:
            return Row(op, file, index, self.choice(words[3], REASON.members, "reason"))
        if op in (Op.PLACE, Op.MOVE):
            number = self.choice(words[3], header.lists, "list") + 1
            return Row(op, file, index, number, self.choice(words[4], ENDS, "end"))
        if op in (Op.GHOST_ADD, Op.GHOST_TAKE):
            return Row(op, file, index, self.choice(words[3], header.ghosts, "ghost"))
        return Row(op, file, index)

    def identifier(self, word: str) -> str:
        if not _NAME.fullmatch(word):
            raise self.error(f"{_quote(word)} is not a name")
        return word

    def number(self, word: str, what: str, low: int, high: int) -> int:
        if not _NUMBER.fullmatch(word):
            raise self.error(f"{what} is a decimal number, not {_quote(word)}")
        value = int(word)
        if not low <= value <= high:
            raise self.error(f"{what} is {low} to {high}, not {value}")
        return value

    def choice(self, word: str, names: tuple[str, ...], what: str) -> int:
        if word not in names:
            raise self.error(f"{_quote(word)} is no {what}; there is {', '.join(names) or 'none'}")
        return names.index(word)


def _quote(word: str) -> str:
    return repr(word if len(word) <= 40 else word[:37] + "...")
