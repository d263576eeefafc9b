"""Reads an event log. The file may be hostile. Each error names the line and what was expected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from cpol.compiler import comm
from cpol.compiler.ir import MAX_BATCH, MAX_LIST_ARRAY, MAX_LIST_ARRAYS, MAX_LISTS, REASON
from cpol.compiler.vocabulary.folio import FOLIO_FLAGS
from cpol.runtime.machine.events.prefetch import FAULT_FLAGS, OUT_FLAGS, REQUEST_FLAGS
from cpol.runtime.machine.events.rows import (
    DIRECTIONS,
    ENDS,
    FLUSHES,
    MAX_LINE,
    MAX_U64,
    OF_GHOSTS,
    OF_RANGES,
    VERSION,
    Header,
    Log,
    Op,
    Row,
)


class LogError(ValueError):
    """The file is not a well-formed event log. The message names the file and the line."""

    def __init__(self, name: str, line: int, what: str) -> None:
        super().__init__(f"{name}:{line}: {what}")
        self.name = name
        self.line = line
        self.what = what


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_NUMBER = re.compile(r"[0-9]{1,20}")
_VALUE = re.compile(r"[-A-Za-z0-9_.]{1,64}")
_ENTRIES = re.compile(rf"{_VALUE.pattern}(,{_VALUE.pattern})*")  # of an array; a line bounds them
_KEY = re.compile(r"[0-9]{1,20}(:[0-9]{1,20}\.\.[0-9]{1,20})?|[!-~]{1,60}")
_ARRAY = re.compile(r"(.*)\[([0-9]{1,20})\]")
_ELEMENT = re.compile(r"(.*)\.([0-9]{1,20})")
_OPS = {op.label: op for op in Op}
_HEADER_KEYS = ("policy", "lists", "ghosts", "capacity", "batch", "decisions")
_REPEATED = ("param", "input")
_ALL_HEADER_KEYS = (*_HEADER_KEYS, "seed", *_REPEATED)
_NAMELESS = {
    Op.EVICT: ("WANTED",),
    Op.TICK: ("MS",),
    Op.TASK: ("THREAD", "PROCESS"),
    Op.ORIGIN: ("DEVICE", "CGROUP"),
    Op.READERS: ("FILE", "READERS"),
    Op.RW: ("read|write",),
    Op.ROOM: ("PAGES",),
    Op.AREA: ("AREA", "FIRST", "LAST"),
    Op.SWAP: ("DEVICE", "SLOTS", "WINDOW"),
    Op.WINDOW: ("DEVICE", "SIZE", "START", "PAGES"),
    Op.FAULT: ("PAGE", "SLOT", "FLAGS"),
    Op.PREFETCH: ("PAGE", "SLOT"),
    Op.SLOT: ("SLOT",),
    Op.PAGE: ("PAGE",),
    Op.DEFAULT: (),
    Op.DROP: (),
    Op.FLUSH: ("start|wait",),
    Op.AHEAD: ("PAGES",),
    Op.HOLD: (),
    Op.RECLAIM: ("PAGES",),
    Op.LEAVE_FILE: (),
    Op.OUT: ("PAGE", "PAGES", "FLAGS"),
    **{op: ("FILE",) for op, event in OF_RANGES.items() if event.whole},
}
"""Columns of events that do not name a folio."""

_COLUMNS = {
    Op.ADDED: ("PAGES",),
    Op.REMOVED: ("evicted|deleted",),
    Op.FLAGS: ("FLAGS",),
    Op.READAHEAD: ("WANTED", "FLAGS"),
    **{op: ("PAGES",) for op, event in OF_RANGES.items() if not event.whole},
    Op.PLACE: ("LIST", "head|tail"),
    Op.MOVE: ("LIST", "head|tail"),
    **dict.fromkeys(OF_GHOSTS, ("GHOST",)),
}
"""Columns after FILE and INDEX of the others."""


def read(path: Path) -> Log:
    """Read the log at `path`.

    Raises:
        LogError: it is not well-formed.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return parse(_bounded_lines(file), str(path))


def _bounded_lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(MAX_LINE + 1):
        yield line


def parse(lines: Iterable[bytes], name: str = "<log>") -> Log:
    """Read a log from its lines; `name` is for messages.

    Raises:
        LogError: it is not well-formed.
    """
    parser = Reader(name)
    for line in lines:
        parser.feed(line)
    return parser.finish()


class Reader:
    """Reads a log line by line; `parse` keeps all of it. `name` is for messages."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.line = 0
        self.seen: dict[str, list[str]] = {}
        self.params: dict[str, str] = {}
        self.inputs: list[tuple[str, str, str]] = []
        self.array_lengths: list[int] = []
        self.header: Header | None = None
        self.started = False
        self.rows: list[Row] = []
        self.lines: list[int] = []

    def error(self, what: str) -> LogError:
        return LogError(self.name, self.line, what)

    def feed(self, raw: bytes) -> None:
        row = self.next(raw)
        if row is not None:
            self.rows.append(row)
            self.lines.append(self.line)

    def next(self, raw: bytes) -> Row | None:
        """The event or decision of the next line, which is not kept; None: the line belongs to the header.

        Raises:
            LogError: the line is wrong.
        """
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
        elif self.header is None and words[0] in _ALL_HEADER_KEYS:
            self.header_line(words)
        else:
            if self.header is None:
                self.header = self.make_header()
            return self.row(words, self.header)
        return None

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
        if key in _REPEATED:
            self.setting(key, values)
            return
        if key in self.seen:
            raise self.error(f"'{key}' is given twice")
        if key in ("lists", "ghosts"):
            values = [value for value in values if value or len(values) > 1]
            if key == "lists":
                values = self.list_names(values)
            values = [self.identifier(value) for value in values]
            if len(set(values)) != len(values):
                raise self.error(f"a name is given twice in '{key}'")
        elif len(values) != 1:
            raise self.error(f"'{key}' takes one value, not {len(values)}")
        elif key == "policy":
            self.identifier(values[0])
        elif key == "decisions":
            if values[0] not in ("yes", "no"):
                raise self.error(f"'decisions' is yes or no, not {_quote(values[0])}")
        elif key == "capacity":
            self.number(values[0], "capacity", 1, MAX_U64)
        elif key == "seed":
            self.number(values[0], "seed", 0, MAX_U64)
        else:
            self.number(values[0], "batch", 1, MAX_BATCH)
        self.seen[key] = values

    def setting(self, key: str, values: list[str]) -> None:
        """Read the value of a param, or of one key of an input."""
        wanted = "a name and a value" if key == "param" else "a name, a key and a value"
        if len(values) != (2 if key == "param" else 3):
            raise self.error(f"'{key}' takes {wanted}, not {len(values)} columns")
        name, *between, value = values
        self.identifier(name)
        if not (_VALUE if key == "param" else _ENTRIES).fullmatch(value):
            raise self.error(f"{_quote(value)} is not a value of {'a param' if key == 'param' else 'an input'}")
        if key == "param":
            if name in self.params:
                raise self.error(f"param {name} is given twice")
            self.params[name] = value
        elif not _KEY.fullmatch(between[0]):
            raise self.error(f"{_quote(between[0])} is not a key: a number, FILE:FIRST..LAST, or the name of a command")
        else:
            self.inputs.append((name, between[0], value))

    def list_names(self, values: list[str]) -> list[str]:
        """The names of the lists. The last ones may be arrays."""
        values, plain = list(values), len(values)
        while plain and (array := _ARRAY.fullmatch(values[plain - 1])) and len(self.array_lengths) < MAX_LIST_ARRAYS:
            plain -= 1
            room = MAX_LIST_ARRAY - sum(self.array_lengths)
            self.array_lengths.insert(0, self.number(array[2], f"the length of {array[1]}", 1, room))
            values[plain] = array[1]
        if plain > MAX_LISTS:
            raise self.error(f"a policy has at most {MAX_LISTS} lists, not {plain}")
        return values

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
            array_lengths=tuple(self.array_lengths),
            seed=int(seen.get("seed", ["1"])[0]),
            inputs=tuple(self.inputs),
        )

    def row(self, words: list[str], header: Header) -> Row:
        indented = words[0] == "" and len(words) > 1
        if indented:
            words = words[1:]
        if words[0] in _ALL_HEADER_KEYS:
            raise self.error(f"'{words[0]}' belongs in the header, before the first event")
        op = _OPS.get(words[0])
        if op is None:
            raise self.error(f"{_quote(words[0])} is neither an event nor a decision")
        if indented != op.is_decision:
            what = "a decision: write a tab before it" if op.is_decision else "an event: write no tab before it"
            raise self.error(f"'{op.label}' is {what}")
        if op.is_decision and not header.decisions:
            raise self.error(f"'{op.label}' is a decision, but the header says 'decisions no'")
        self.started = self.started or not op.is_decision
        if not self.started:
            raise self.error(f"'{op.label}' comes before any event")
        columns = _NAMELESS[op] if op in _NAMELESS else ("FILE", "INDEX", *_COLUMNS.get(op, ()))
        if len(words) - 1 != len(columns) and not (op is Op.TASK and len(words) == 4):
            more = " and perhaps COMM" if op is Op.TASK else ""
            raise self.error(f"'{op.label}' takes {' '.join(columns)}{more}, not {len(words) - 1} columns")
        return self.nameless(op, words[1:]) if op in _NAMELESS else self.named(op, words[1:], header)

    def nameless(self, op: Op, words: list[str]) -> Row:
        if op is Op.EVICT:
            return Row(op, 0, 0, self.number(words[0], "wanted", 1, MAX_BATCH))
        if op is Op.TICK:
            return Row(op, 0, 0, self.number(words[0], "time", 0, MAX_U64))
        if op is Op.ROOM:
            return Row(op, 0, 0, self.number(words[0], "room", 1, MAX_U64))
        if op is Op.RW:
            return Row(op, 0, 0, self.choice(words[0], DIRECTIONS, "direction"))
        if op is Op.ORIGIN:
            device, cgroup = self.number(words[0], "device", 0, MAX_U64), self.number(words[1], "cgroup", 0, MAX_U64)
            return Row(op, 0, 0, device, cgroup)
        if op is Op.READERS:
            return Row(op, self.number(words[0], "file", 0, MAX_U64), 0, self.number(words[1], "readers", 0, MAX_U64))
        if op is not Op.TASK:
            return self.prefetching(op, words)
        command = self.command(words[2]) if len(words) > 2 else comm.UNKNOWN
        thread, process = self.number(words[0], "thread", 0, MAX_U64), self.number(words[1], "process", 0, MAX_U64)
        return Row(op, *command, thread, process)

    def prefetching(self, op: Op, words: list[str]) -> Row:
        """An event or a decision of prefetching, all of whose columns are numbers, or flags at the end."""
        if op is Op.FLUSH:
            return Row(op, 0, 0, self.choice(words[0], FLUSHES, "way to flush"))
        numbers = [
            self.number(word, "a number", 0, MAX_U64) for word in words[: 2 if op in (Op.FAULT, Op.OUT) else None]
        ]
        if op is Op.OUT:
            return Row(op, 0, numbers[0], numbers[1], self.flags(words[2], OUT_FLAGS))
        if op is Op.FAULT:
            return Row(op, 0, numbers[0], numbers[1], self.flags(words[2], FAULT_FLAGS))
        if op in (Op.AREA, Op.SWAP):
            return Row(op, numbers[0], 0, numbers[1], numbers[2])
        if op in OF_RANGES:
            return Row(op, numbers[0], 0)
        if op in (Op.AHEAD, Op.RECLAIM):
            return Row(op, 0, 0, numbers[0])
        first, second, third, fourth = (*numbers, 0, 0, 0, 0)[:4]
        return Row(op, first, second, third, fourth) if op is Op.WINDOW else Row(op, 0, first, second)

    def command(self, word: str) -> comm.Comm:
        try:
            return comm.parse(word)
        except ValueError as error:
            raise self.error(f"no command is called {_quote(word)}: {error}") from None

    def named(self, op: Op, words: list[str], header: Header) -> Row:
        file = self.number(words[0], "file", 0, MAX_U64)
        index = self.number(words[1], "index", 0, MAX_U64)
        if op is Op.ADDED:
            return Row(op, file, index, self.number(words[2], "pages", 1, MAX_U64))
        if op is Op.REMOVED:
            return Row(op, file, index, self.choice(words[2], REASON.members, "reason"))
        if op is Op.FLAGS:
            return Row(op, file, index, self.flags(words[2]))
        if op in OF_RANGES:
            return Row(op, file, index, self.number(words[2], "pages", 1, MAX_U64))
        if op is Op.READAHEAD:
            return Row(
                op, file, index, self.number(words[2], "wanted", 1, MAX_U64), self.flags(words[3], REQUEST_FLAGS)
            )
        if op in (Op.PLACE, Op.MOVE):
            return Row(op, file, index, self.list_number(words[2], header), self.choice(words[3], ENDS, "end"))
        if op in OF_GHOSTS:
            return Row(op, file, index, self.choice(words[2], header.ghosts, "ghost"))
        return Row(op, file, index)

    def flags(self, word: str, all: tuple[str, ...] = FOLIO_FLAGS) -> int:
        names = word.split(",") if word != "none" else []
        bits = sum(1 << bit for bit, name in enumerate(all) if name in names)
        if len(names) != bits.bit_count():
            known = ", ".join(all)
            raise self.error(f"{_quote(word)} is not `none`, nor some of {known}, each once, with commas between")
        return bits

    def list_number(self, word: str, header: Header) -> int:
        """From 1: of a list, or of one in an array."""
        plain = header.plain_lists
        element = _ELEMENT.fullmatch(word)
        before = len(plain) + 1
        for name, length in header.arrays:
            if element is not None and element[1] == name:
                return before + self.number(element[2], "the number of a list", 0, length - 1)
            before += length
        if word not in plain:
            there = ", ".join([*plain, *(f"{name}.0 … {name}.{length - 1}" for name, length in header.arrays)])
            raise self.error(
                f"{_quote(word)} is not a list; {f'the lists are {there}' if there else 'the policy has no list'}"
            )
        return plain.index(word) + 1

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
            raise self.error(f"{_quote(word)} is not a known {what}; known: {', '.join(names) or 'none'}")
        return names.index(word)


def _quote(word: str) -> str:
    return repr(word if len(word) <= 40 else word[:37] + "...")
