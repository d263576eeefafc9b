"""The formats, and how to find that of a file: by its name, which the contents must match, or by its contents."""

from __future__ import annotations

import re
import struct
from pathlib import Path

from cpol.compiler.diagnostics.words import closest
from cpol.runtime.traces import lcs, parquet, recording
from cpol.runtime.traces.blktrace import Blktrace, is_event
from cpol.runtime.traces.columns import Columns
from cpol.runtime.traces.errors import TraceError
from cpol.runtime.traces.separators import (
    check_heading_of_keys,
    check_keys,
    check_mixed_quotes,
    check_quotes,
    check_returns,
    is_ranges,
)

FORMATS = {
    "oraclegeneral": "libCacheSim's binary records of 24 bytes: time, id, size, next",
    "vscsi": "VMware's binary block traces, version 1 (32 bytes) or 2 (40 bytes)",
    "lcs": "libCacheSim's binary records behind a header, version 1 (24 bytes) or 2 (28 bytes)",
    "lirs": "one block number per line; lines of * are skipped",
    "lis": "ARC's ranges of blocks: start, count, 0, number",
    "text": "one key per line",
    "csv": "time, object, size[, next]",
    "twitter": "timestamp, key, key size, value size, client, operation, ttl",
    "msr": "MSR Cambridge's block traces: ticks of 100 ns, host, disk, Read or Write, offset, size, latency",
    "blktrace": "blkparse's text: device, cpu, number, seconds, task, action, RWBS, sector + count",
    "log": "cpol's event log",
    "record": "what cpolc record wrote",
    "parquet": "Parquet files, with columns as csv with --columns",
}

SIZED = frozenset(("oraclegeneral", "vscsi", "lcs", "csv", "twitter", "msr", "blktrace"))
"""Formats with the sizes of objects."""

MSR = Columns({"time": 0, "file": 1, "rw": 3, "offset": 4, "size": 5}, 10_000, file_width=2)
"""The columns of `msr`: the host and the disk are the file."""

CARRIES = {
    "oraclegeneral": frozenset(("time",)),
    "vscsi": frozenset(("time",)),
    "lcs": frozenset(("time",)),
    "lirs": frozenset(("page",)),
    "lis": frozenset(("page",)),
    "text": frozenset[str](),
    "csv": frozenset(("time",)),
    "twitter": frozenset(("time", "thread")),
    "msr": MSR.carries,
    "blktrace": Blktrace.carries,
    "log": frozenset(("file", "page", "thread", "process", "time")),
    "record": recording.CARRIES,
}
"""What the requests of each format tell of a folio's surroundings: file, page, thread, process, comm, time, rw. The
page of a `vscsi` trace is that of its device, if requests are cut into pages."""

_EVENT_LOG = b"cpol-events"
_BINARY = frozenset(("oraclegeneral", "vscsi", "lcs", "parquet"))
_KEYS = frozenset(("lirs", "text"))
_OTHER_NAMES = {
    "blkparse": "blktrace",
    "eventlog": "log",
    "recording": "record",
    "oraclegeneralbin": "oraclegeneral",
    "txt": "text",
}
"""libCacheSim's names."""

_SUFFIXES = {
    ".trace": "lirs",
    ".lirs": "lirs",
    ".lis": "lis",
    ".lcs": "lcs",
    ".txt": "text",
    ".parquet": "parquet",
}
_LINE_FORMATS = frozenset(("blktrace", "log", "record", "parquet"))
"""What readers of its own read, which know what a line may have."""

_COMPRESSED = re.compile(r"\.(zst|zstd|gz|bz2|xz)$")
_SAMPLE = 1 << 16
_NEVER = (-1, -2, (1 << 63) - 1)
_OPERATIONS = b"get gets set add replace cas append prepend delete incr decr".split()
_ACTIONS = (b"read", b"write")
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
        if possible <= {*_KEYS, "lis"} and (possible or by_name in _KEYS):
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
    from cpol.runtime.traces.known import known  # which other traces are read without

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
            f"the name says oraclegeneral, but {oracle_fault(sample)}; sort the trace, fetch it again, or, to read it "
            "as it is, write --format oraclegeneral"
        )
    looks = f"look like {' or '.join(sorted(possible))}" if possible else "are not of that format"
    return f"the name says {by_name}, but the contents {looks}; say which with --format"


def _by_name(path: Path) -> str | None:
    name = _COMPRESSED.sub("", path.name.lower())
    if "oraclegeneral" in name:
        return "oraclegeneral"
    if "vscsi" in name:
        return "vscsi"
    return _SUFFIXES.get(Path(name).suffix)


def _is_csv(path: Path) -> bool:
    return _COMPRESSED.sub("", path.name.lower()).endswith(".csv")


def _comma_format(lines: list[bytes]) -> str:
    """What to read a file called .csv as, if no format fits: the parser then names the line that is wrong."""
    rows = [[column.strip() for column in line.split(b",")] for line in lines]
    seven = [row for row in rows if len(row) == 7]
    if 2 * len(seven) <= len(rows):
        return "csv"
    return "msr" if 2 * sum(row[3].lower() in _ACTIONS for row in seven) > len(seven) else "twitter"


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
    if sample.startswith(parquet.FIRST):
        return {"parquet"}
    if sample.startswith(_EVENT_LOG):
        return {"log"}
    if sample.startswith(recording.FIRST):
        return {"record"}
    if b"\0" in sample:
        if sample.startswith(lcs.FIRST):
            return {"lcs"}
        binary = {"oraclegeneral": not oracle_fault(sample), "vscsi": vscsi_version(sample) is not None}
        return {name for name, holds in binary.items() if holds}
    lines = lines_of(sample, complete)
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
    if all(
        len(row) == 7 and row[3].lower() in _ACTIONS and _is_time(row[0]) and _NUMBER.fullmatch(row[4]) for row in rows
    ):
        return {"msr"}
    if all(len(row) in (3, 4) and _is_time(row[0]) and _NUMBER.fullmatch(row[2]) for row in rows):
        return {"csv"}
    if any(len(row) > 1 for row in rows):
        return set()
    if is_ranges(lines):
        return {"lis", "text"}
    if b"*" in lines and all(line == b"*" or _NUMBER.fullmatch(line) for line in lines):
        return {"lirs"}
    return {"lirs", "text"} if all(_NUMBER.fullmatch(line) for line in lines) else {"text"}


def _is_time(word: bytes) -> bool:
    return bool(_TIME.fullmatch(word)) and word not in (b"", b".")


def oracle_fault(sample: bytes) -> str:
    """The first record that no trace of oraclegeneral has, and why; empty: there is none.

    Times never decrease, and each record's next request comes later or never.
    """
    last = 0
    records = sample[: len(sample) // 24 * 24]
    for number, (time, _, _, later) in enumerate(struct.iter_unpack("<IQIq", records), 1):
        place = f"record {number} (byte {24 * (number - 1)})"
        if time < last:
            return f"{place} has the time {time:,}, before {last:,} of the record before it"
        if later not in _NEVER and later <= number:
            return f"{place} has its next request at record {later}, which is no later one"
        last = time
    return "" if records else f"its {len(sample):,} bytes are less than a record of 24"


def vscsi_version(sample: bytes) -> int | None:
    """1 or 2, if all records of the sample have that version; else None."""
    for version, size, at in ((1, 32, 14), (2, 40, 2)):
        starts = range(0, len(sample) - size + 1, size)
        if len(starts) and all(sample[start + at + 1] == version for start in starts):
            return version
    return None
