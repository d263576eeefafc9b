"""The formats, and how to find that of a file: by its name, which the contents must match, or by its contents."""

from __future__ import annotations

import re
import struct
from itertools import pairwise
from pathlib import Path

from cpol.compiler.diagnostics.words import closest
from cpol.runtime.traces import parquet, recording
from cpol.runtime.traces.blktrace import Blktrace, is_event
from cpol.runtime.traces.errors import TraceError

FORMATS = {
    "oraclegeneral": "libCacheSim's binary records of 24 bytes: time, id, size, next",
    "vscsi": "VMware's binary block traces, version 1 (32 bytes) or 2 (40 bytes)",
    "lirs": "one block number per line; lines of * are skipped",
    "text": "one key per line",
    "csv": "time, object, size[, next]",
    "twitter": "timestamp, key, key size, value size, client, operation, ttl",
    "blktrace": "blkparse's text: device, cpu, number, seconds, task, action, RWBS, sector + count",
    "log": "cpol's event log",
    "record": "what cpolc record wrote",
    "parquet": "Parquet files, with columns as csv with --columns",
}

SIZED = frozenset(("oraclegeneral", "vscsi", "csv", "twitter", "blktrace"))
"""Formats with the sizes of objects."""

CARRIES = {
    "oraclegeneral": frozenset(("time",)),
    "vscsi": frozenset(("time",)),
    "lirs": frozenset(("page",)),
    "text": frozenset[str](),
    "csv": frozenset(("time",)),
    "twitter": frozenset(("time", "thread")),
    "blktrace": Blktrace.carries,
    "log": frozenset(("file", "page", "thread", "process", "time")),
    "record": recording.CARRIES,
}
"""What the requests of each format tell of a folio's surroundings: file, page, thread, process, comm, time, rw. The
page of a `vscsi` trace is that of its device, if requests are cut into pages."""

_EVENT_LOG = b"cpol-events"
_BINARY = frozenset(("oraclegeneral", "vscsi", "parquet"))
_OTHER_NAMES = {
    "blkparse": "blktrace",
    "eventlog": "log",
    "recording": "record",
    "oraclegeneralbin": "oraclegeneral",
    "txt": "text",
}
"""libCacheSim's names."""

_COMPRESSED = re.compile(r"\.(zst|zstd|gz|bz2|xz)$")
_SAMPLE = 1 << 16
_NEVER = (-1, -2, (1 << 63) - 1)
_OPERATIONS = b"get gets set add replace cas append prepend delete incr decr".split()
_NUMBER = re.compile(rb"[0-9]{1,20}")
_TIME = re.compile(rb"[0-9]*\.?[0-9]*")


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
    by_name = _by_name(path)
    possible = _by_contents(sample, complete)
    if by_name in possible or (by_name == "text" and possible & {"text", "lirs"}):
        return str(by_name)
    if by_name is not None:
        looks = f"look like {' or '.join(sorted(possible))}" if possible else "are not of that format"
        raise TraceError(f"{path}: the name says {by_name}, but the contents {looks}; say which with --format")
    if _is_csv(path) and possible == {"text"}:
        _check_separators(path, sample, complete)
    if possible == {"lirs", "text"}:
        return "lirs"  # only numbers so far, which give the same ids; anything else later is an error
    if len(possible) == 1:
        return possible.pop()
    if not possible and _is_csv(path) and b"\0" not in sample:
        return _csv_or_twitter(_lines(sample, complete))
    if complete and not sample.strip():
        raise TraceError(f"{path}: no requests in the trace, which has only blank lines; name another file")
    known = ", ".join(FORMATS)
    what = f"may be {' or '.join(sorted(possible))}" if possible else "is of no format that is known here"
    count = _columns_of(_lines(sample, complete)) if not possible and b"\0" not in sample else 1
    csv = f", or, since its lines have {count} columns, --columns object=COLUMN for that of the keys"
    raise TraceError(f"{path}: the trace {what}; say what it is with --format ({known}){csv if count > 1 else ''}")


def _by_name(path: Path) -> str | None:
    name = _COMPRESSED.sub("", path.name.lower())
    if "oraclegeneral" in name:
        return "oraclegeneral"
    if "vscsi" in name:
        return "vscsi"
    return {".trace": "lirs", ".lirs": "lirs", ".txt": "text", ".parquet": "parquet"}.get(Path(name).suffix)


def _is_csv(path: Path) -> bool:
    return _COMPRESSED.sub("", path.name.lower()).endswith(".csv")


def _check_separators(path: Path, sample: bytes, complete: bool) -> None:
    """Refuse a file that is called .csv, and whose lines other characters than commas separate into columns.

    Raises:
        TraceError: it is such a file, whose whole lines would be keys otherwise.
    """
    lines = _lines(sample, complete)
    for separator, name in ((b";", "semicolons"), (b"\t", "tabs")):
        if lines and all(separator in line for line in lines):
            raise TraceError(
                f"{path}: line 1: the name says csv, but {name} separate the columns, not commas; convert it, "
                "or give --format text if each whole line is a key"
            )


def _csv_or_twitter(lines: list[bytes]) -> str:
    """What to read a file called .csv as, if no format fits: the parser then names the line that is wrong."""
    seven = sum(line.count(b",") == 6 for line in lines)
    return "twitter" if 2 * seven > len(lines) else "csv"


def _columns_of(lines: list[bytes]) -> int:
    """How many columns commas separate in each of these lines; 1: not all have as many."""
    counts = {line.count(b",") + 1 for line in lines}
    return counts.pop() if len(counts) == 1 else 1


def _lines(sample: bytes, complete: bool) -> list[bytes]:
    """The first lines of a text that are whole and not blank."""
    lines = sample.split(b"\n")
    if not complete:
        lines.pop()  # the last line may be incomplete
    return [line.strip() for line in lines if line.strip()][:1000]


def _by_contents(sample: bytes, complete: bool) -> set[str]:
    if sample.startswith(parquet.FIRST):
        return {"parquet"}
    if sample.startswith(_EVENT_LOG):
        return {"log"}
    if sample.startswith(recording.FIRST):
        return {"record"}
    if b"\0" in sample:
        binary = {"oraclegeneral": _is_oracle_general(sample), "vscsi": vscsi_version(sample) is not None}
        return {name for name, holds in binary.items() if holds}
    lines = _lines(sample, complete)
    return _by_lines(lines) if lines else set()


def _by_lines(lines: list[bytes]) -> set[str]:
    if is_event(lines[0]):
        return {"blktrace"}
    rows = [[column.strip() for column in line.split(b",")] for line in lines]
    if rows[0][0].startswith(b"#") or (len(rows) > 1 and len(rows[0]) > 1 and not _is_time(rows[0][0])):
        rows.pop(0)  # a heading
    if not rows:
        return set()
    if all(len(row) == 7 and row[5] in _OPERATIONS and _is_time(row[0]) for row in rows):
        return {"twitter"}
    if all(len(row) in (3, 4) and _is_time(row[0]) and _NUMBER.fullmatch(row[2]) for row in rows):
        return {"csv"}
    if any(len(row) > 1 for row in rows):
        return set()
    if b"*" in lines and all(line == b"*" or _NUMBER.fullmatch(line) for line in lines):
        return {"lirs"}
    return {"lirs", "text"} if all(_NUMBER.fullmatch(line) for line in lines) else {"text"}


def _is_time(word: bytes) -> bool:
    return bool(_TIME.fullmatch(word)) and word not in (b"", b".")


def _is_oracle_general(sample: bytes) -> bool:
    """Whether times never decrease, and each record's next request comes later or never."""
    records = list(struct.iter_unpack("<IQIq", sample[: len(sample) // 24 * 24]))
    later = all(record[3] in _NEVER or record[3] > number for number, record in enumerate(records, 1))
    ordered = all(a[0] <= b[0] for a, b in pairwise(records))
    return bool(records) and later and ordered


def vscsi_version(sample: bytes) -> int | None:
    """1 or 2, if all records of the sample have that version; else None."""
    for version, size, at in ((1, 32, 14), (2, 40, 2)):
        starts = range(0, len(sample) - size + 1, size)
        if len(starts) and all(sample[start + at + 1] == version for start in starts):
            return version
    return None
