"""Times that go back are told with the first place, in every format; and why a file is no oraclegeneral."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from test_trace_formats import lcs, lines, write

from cpol.runtime.simulate.traces import TraceError, begin, read, read_columns, whole

TIMES = [5000, 5001, 4999, 5001, 4000]


def records(times: list[int], later: int = -2) -> bytes:
    return b"".join(struct.pack("<IQIq", time, 7, 100, later) for time in times)


BACK = {
    "csv": "".join(f"{time},7,100\n" for time in TIMES).encode(),
    "twitter": "".join(f"{time},7,3,40,9,get,0\n" for time in TIMES).encode(),
    "msr": "".join(f"{time}0000000,usr,0,Read,0,4096,1\n" for time in TIMES).encode(),
    "oraclegeneral": records(TIMES),
    "vscsi": b"".join(struct.pack("<IIIHHQQ", 1, 512, 1, 40, 1 << 8, 7, time * 10**6) for time in TIMES),
    "lcs": lcs([]) + records(TIMES),
    "blktrace": "".join(f"8,0 3 1 {time}.000000000 697 Q R 8 + 8 [a]\n" for time in TIMES).encode(),
}


@pytest.mark.parametrize("details", [False, True])
@pytest.mark.parametrize("name", BACK)
def test_times_that_go_back(name: str, details: bool, tmp_path: Path) -> None:
    """The third and the fifth request are earlier than one before them."""
    path = write(tmp_path, BACK[name])
    trace = whole(begin(path, name, details=details))
    assert trace.back is not None and trace.back.total == 2 and trace.back.ms == 2000
    number = {"lcs": "record 3 (byte 8240)", "oraclegeneral": "record 3 (byte 48)", "vscsi": "record 3 (byte 64)"}
    assert trace.back.place == number.get(name, "line 3")
    if details:
        assert trace.times is not None


def test_times_of_columns_and_of_keys(tmp_path: Path) -> None:
    path = write(tmp_path, BACK["csv"])
    back = read(path, columns=read_columns("time=0,object=1")).back
    assert back is not None and back.place == "line 3"
    assert read(path, columns=read_columns("object=1")).back is None
    assert read(write(tmp_path, lines([3, 2, 1], "{key}"))).back is None


def test_many_records_in_parts(tmp_path: Path) -> None:
    data = records([*range(100_000), 5, *range(100_000, 200_000)])
    back = whole(begin(write(tmp_path, data), "oraclegeneral")).back
    assert back is not None and (back.total, back.place) == (1, "record 100001 (byte 2400000)")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (records([5, 4]), "record 2 (byte 24) has the time 4, before 5 of the record before it"),
        (records([5, 5, 6], later=2), "record 2 (byte 24) has its next request at record 2, which is no later one"),
    ],
)
def test_why_a_file_is_no_oraclegeneral(data: bytes, said: str, tmp_path: Path) -> None:
    path = write(tmp_path, data, "t.oracleGeneral")
    with pytest.raises(TraceError) as error:
        read(path)
    assert said in str(error.value) and "write --format oraclegeneral" in str(error.value)
    assert read(path, "oraclegeneral").requests == len(data) // 24


@pytest.mark.parametrize("version", [1, 2])
def test_lcs(version: int, tmp_path: Path) -> None:
    ids = [5, 7, 5, 2**64 - 1, 0]
    path = write(tmp_path, lcs(ids, version), "t.lcs")
    for details in (False, True):
        assert list(read(path, details=details).ids) == ids
    assert list(read(path, details=True).times or ()) == [0, 1000, 2000, 3000, 4000]
    assert read(path, pages=True).requests == 5
    with pytest.raises(TraceError, match=r"are not a multiple of 2[48], the size of a record of lcs|of oraclegeneral"):
        read(write(tmp_path, lcs(ids, version)[:-1]))


def test_wrong_lcs(tmp_path: Path) -> None:
    for data, said in (
        (lcs([1], 2)[:8] + struct.pack("<Q", 3) + lcs([1], 2)[16:], "version 3 of LCS is not read, only 1 and 2"),
        (lcs([1])[:100], "the header of 8,192 bytes is cut off or damaged"),
        (lcs([1])[:8184] + bytes(32), "the header of 8,192 bytes is cut off or damaged"),
    ):
        with pytest.raises(TraceError, match=said):
            read(write(tmp_path, data))
