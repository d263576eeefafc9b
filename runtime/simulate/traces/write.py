"""Writes a trace in a format that this simulator and others read."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from cpol.compiler import comm
from cpol.runtime.simulate.traces.about import no_requests
from cpol.runtime.simulate.traces.errors import TraceError
from cpol.runtime.simulate.traces.formats.record import REQUEST
from cpol.runtime.simulate.traces.memory import Column
from cpol.runtime.simulate.traces.trace import Trace

PAGE = 4096
"""The size of an object whose trace tells none, in bytes."""

ROWS = 1 << 16
"""Rows that are written at once."""

_NEVER = -1


def _oraclegeneral(trace: Trace, to: BinaryIO) -> None:
    """Records of 24 bytes, little-endian: seconds, object, bytes, the number of the object's next request, from 1."""
    later = array("q", bytes(8 * len(trace.ids)))
    nearest: dict[int, int] = {}
    for place in range(len(trace.ids) - 1, -1, -1):
        later[place] = nearest.get(trace.ids[place], _NEVER)
        nearest[trace.ids[place]] = place + 1
    record = struct.Struct("<IQIq")
    for start, stop in _batches(trace):
        times = (time // 1000 for time in trace.times[start:stop]) if trace.times else (0 for _ in range(start, stop))
        sizes = trace.sizes[start:stop] if trace.sizes else (PAGE for _ in range(start, stop))
        rows = zip(times, trace.ids[start:stop], sizes, later[start:stop], strict=True)
        try:
            to.write(b"".join(record.pack(*row) for row in rows))
        except struct.error:
            raise TraceError(
                f"{trace.path}: a size or a time takes more than the 32 bits of oraclegeneral; write csv"
            ) from None


def _text(trace: Trace, to: BinaryIO) -> None:
    """An object a line."""
    for start, stop in _batches(trace):
        to.write("".join(f"{each}\n" for each in trace.ids[start:stop]).encode())


def _csv(trace: Trace, to: BinaryIO) -> None:
    """A heading, and all columns that the trace has, time in seconds: `time,object,size` is what other tools read."""
    columns = _columns(trace)
    to.write((",".join(columns) + "\n").encode())
    for start, stop in _batches(trace):
        rows = zip(*(column(start, stop) for column in columns.values()), strict=True)
        to.write("".join(",".join(map(_field, row)) + "\n" for row in rows).encode(errors="surrogateescape"))


def _parquet(trace: Trace, to: BinaryIO) -> None:
    """The same columns, time in milliseconds."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise TraceError("pyarrow, which writes Parquet, is not installed: pip install pyarrow") from None
    columns = _columns(trace, seconds=False)
    writer = None
    for start, stop in _batches(trace):
        table = pyarrow.table({name: _arrow(pyarrow, name, column(start, stop)) for name, column in columns.items()})
        writer = writer or pyarrow.parquet.ParquetWriter(to, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _arrow(pyarrow: Any, name: str, values: Any) -> Any:
    if name in ("comm", "rw"):
        return pyarrow.array([value.encode(errors="surrogateescape").decode(errors="replace") for value in values])
    return pyarrow.array(list(values), pyarrow.uint64())


WRITERS: Mapping[str, Callable[[Trace, BinaryIO], None]] = {
    "oraclegeneral": _oraclegeneral,
    "csv": _csv,
    "text": _text,
    "parquet": _parquet,
}

SUFFIXES = {
    ".bin": "oraclegeneral",
    ".oraclegeneral": "oraclegeneral",
    ".csv": "csv",
    ".txt": "text",
    ".parquet": "parquet",
}
"""What to write by the end of a file's name."""


def only_requests(trace: Trace) -> Trace:
    """The trace without the pages that readahead brought: no other format can tell them from requests.

    Raises:
        TraceError: nothing else is in it.
    """
    if trace.ahead is None:
        return trace
    found = replace(trace.chosen([brings == REQUEST for brings in trace.ahead]), ahead=None)
    if not found.ids:
        raise no_requests(trace)
    return found


def _columns(trace: Trace, seconds: bool = True) -> dict[str, Callable[[int, int], Any]]:
    """The columns that the trace has, by the names of `--columns`: each gives its values of requests in a range."""
    found: dict[str, Callable[[int, int], Any]] = {}
    names, comms, writes = trace.names, trace.comms, trace.writes
    times = trace.times
    if times is not None and seconds:
        found["time"] = lambda start, stop: (f"{time / 1000:.3f}" for time in times[start:stop])
    elif times is not None:
        found["time_ms"] = _part(times)
    if names is not None:
        found["file"] = lambda start, stop: (names.files[each] for each in trace.ids[start:stop])
        found["page"] = lambda start, stop: (names.indices[each] for each in trace.ids[start:stop])
    else:
        found["object"] = _part(trace.ids)
    for name, column in (("size", trace.sizes), ("thread", trace.tasks), ("process", trace.processes)):
        if column is not None:
            found[name] = _part(column)
    if comms is not None:
        found["comm"] = lambda start, stop: (_command(comms.of(place)) for place in range(start, stop))
    if writes is not None:
        found["rw"] = lambda start, stop: ("w" if each else "r" for each in writes[start:stop])
    return found


def _command(name: comm.Comm) -> str:
    """The name, which may have any bytes. Control characters are written as escapes: a line cannot hold them."""
    text = comm.unpack(name).decode("utf-8", "surrogateescape")
    return comm.show(name) if any(ord(each) < 0x20 or ord(each) == 0x7F for each in text) else text


def _field(value: object) -> str:
    """A value as CSV has it: in quotes where a comma, a quote or a blank at an end would be lost."""
    text = str(value)
    quoted = "," in text or '"' in text or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if quoted else text


def _part(column: Column) -> Callable[[int, int], Any]:
    return lambda start, stop: column[start:stop]


def columns_of(trace: Trace) -> str:
    """The value of `--columns` that reads what `csv` writes of this trace; empty: none is needed."""
    columns = _columns(trace)
    plain = list(columns) in (["time", "object"], ["time", "object", "size"])
    return "" if plain else ",".join(f"{name}={name}" for name in columns)


def _batches(trace: Trace) -> Iterator[tuple[int, int]]:
    for start in range(0, len(trace.ids), ROWS):
        yield start, min(start + ROWS, len(trace.ids))
