"""Plain binary traces, which native code reads and numbers: all is as if Python had read them in pieces."""

from __future__ import annotations

import random
import struct
from array import array
from pathlib import Path

import pytest

from cpol.runtime.simulate.traces import Numbers, Stream, TraceError, begin
from cpol.runtime.simulate.traces.formats.lcs import FIRST, HEADER

REQUESTS = 150_000
"""Several parts, and a last one that is not full."""


def lcs(version: int, record: str) -> tuple[bytes, str]:
    return (FIRST + struct.pack("<Q", version)).ljust(HEADER - len(FIRST), b"\0") + FIRST, record


FORMATS = {
    "oracleGeneral": (b"", "<IQIq"),
    "lcs": lcs(1, "<IQIq"),
    "lcs2": lcs(2, "<IQIIq"),
    "vscsi": (b"", "<IIIHHQQ"),
}


def record(name: str, number: int, key: int) -> tuple[int, ...]:
    match name:
        case "lcs2":
            return number // 100, key, 1, 0, -2
        case "vscsi":
            return number, 512, 1, 0x28, 1 << 8, key, number
        case _:
            return number // 100, key, 1, -2


@pytest.fixture(params=FORMATS)
def trace(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    name: str = request.param
    header, layout = FORMATS[name]
    keys = random.Random(7)
    records = (struct.pack(layout, *record(name, n, keys.randrange(1, 40_000))) for n in range(REQUESTS))
    path = tmp_path / f"trace.{name.rstrip('2')}"
    path.write_bytes(header + b"".join(records))
    return path


def stream(path: Path) -> Stream:
    opened = begin(path, path.suffix[1:])
    assert isinstance(opened, Stream)
    return opened


def numbered(opened: Stream) -> tuple[array[int], int]:
    numbers, found = Numbers(opened.records or 0), array("I")
    for part in opened.parts(numbers):
        assert part.ids is None and part.numbered is not None
        found.extend(part.numbered.numbers)
    return found, numbers.count


def test_the_numbers_are_those_of_the_ids(trace: Path) -> None:
    ids = array("Q")
    for part in stream(trace).parts():
        ids.extend(part.ids or ())
    opened = stream(trace)
    assert numbered(opened) == Numbers().of(ids)
    assert opened.requests == len(ids) == REQUESTS


def test_a_trace_that_is_cut_off_meanwhile(trace: Path) -> None:
    opened = stream(trace)
    with trace.open("r+b") as file:
        file.truncate(trace.stat().st_size - 5)
    with pytest.raises(TraceError, match=f"record {REQUESTS} "):
        numbered(opened)


def test_a_trace_that_goes_meanwhile(trace: Path) -> None:
    opened = stream(trace)
    trace.unlink()
    with pytest.raises(TraceError, match="cannot be read: No such file or directory"):
        numbered(opened)
    trace.mkdir()
    with pytest.raises(TraceError, match="cannot be read: Is a directory"):
        numbered(opened)


def test_a_record_of_another_version(tmp_path: Path) -> None:
    path = tmp_path / "trace.vscsi"
    records = [record("vscsi", number, 8 * number) for number in range(REQUESTS)]
    records[REQUESTS - 2] = (*records[0][:4], 3 << 8, *records[0][5:])
    path.write_bytes(b"".join(struct.pack("<IIIHHQQ", *each) for each in records))
    with pytest.raises(TraceError, match=f"record {REQUESTS - 1} "):
        numbered(stream(path))
    with pytest.raises(TraceError, match=f"record {REQUESTS - 1} "):
        list(stream(path).parts())
