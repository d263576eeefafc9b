"""Lines with columns where keys are expected are refused, with what to write; --columns then reads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_trace_formats import lines, write

from cpol.runtime.simulate.traces import TraceError, read, read_columns

KEYS = [1, 14, 7, 1, 2, 2, 4, 9, 1, 1]
SEPARATORS = {"blanks": " ", "many": "   ", "tabs": "\t", "semicolons": ";", "commas": ",", "wide": " , "}
ENDS = ["\n", "\r\n"]


def rows(separator: str, end: str = "\n") -> bytes:
    return "".join(f"{n}{separator}{key}{separator}{100 + key}{end}" for n, key in enumerate(KEYS)).encode()


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", ["t.tr", "t.txt", "t.trace", "t.csv", "t", "t.lirs"])
@pytest.mark.parametrize("separator", ["blanks", "many", "tabs", "semicolons"])
def test_columns_are_no_keys(separator: str, name: str, end: str, tmp_path: Path) -> None:
    path = write(tmp_path, rows(SEPARATORS[separator], end), name)
    said = "blanks" if separator == "many" else separator
    with pytest.raises(TraceError) as error:
        read(path)
    assert f"{path}: line 1: {said} separate 3 columns, or are part of a key" in str(error.value)
    assert "write --columns" in str(error.value) and "or --format text if each whole line is a key" in str(error.value)
    assert read(path, "text").distinct == 10, "what the message says works"


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("columns", ["time=0,object=1,size=2", "time=t,object=k"])
def test_columns_with_any_separator(separator: str, columns: str, end: str, tmp_path: Path) -> None:
    heading = "" if "0" in columns else SEPARATORS[separator].join(("t", "k", "s")) + end
    path = write(tmp_path, heading.encode() + rows(SEPARATORS[separator], end), "t.tr")
    trace = read(path, columns=read_columns(columns), details=True)
    assert list(trace.ids) == KEYS
    assert trace.times is not None and list(trace.times) == [1000 * n for n in range(len(KEYS))]


def test_a_suggestion_for_three_numbers(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="write --columns time=0,object=1,size=2 "):
        read(write(tmp_path, rows(" ")))


def test_a_line_with_blanks_behind_many_without(tmp_path: Path) -> None:
    """The parser finds what is too far behind for a look at the first lines."""
    for form, format in (("key{key}", "text"), ("{key}", "lirs")):
        data = lines([*range(50_000)], form)
        path = write(tmp_path, data + b"5 6\n")
        with pytest.raises(TraceError, match="line 50001: blanks or tabs where one key is expected"):
            read(path)
        assert read(path, "text").requests == 50_001
        assert read(write(tmp_path, data)).format == format


@pytest.mark.parametrize("format", [None, "text", "lirs", "csv", "twitter", "lis"])
def test_lines_that_end_with_carriage_returns(format: str | None, tmp_path: Path) -> None:
    for count in (3, 40_000):
        path = write(tmp_path, lines([*range(count)], "{key}").replace(b"\n", b"\r"), "t.txt")
        with pytest.raises(TraceError, match=r"line 1: a carriage return \(CR\) within the line: .* tr '\\r' '\\n'"):
            read(path, format)
    with pytest.raises(TraceError, match="line 1: a carriage return"):
        read(path, columns=read_columns("object=0"))


def test_carriage_returns_before_line_feeds_are_none_of_these(tmp_path: Path) -> None:
    assert list(read(write(tmp_path, b"1\r\n2\r\r\n3\r\n")).ids) == [1, 2, 3]


def test_an_empty_column_between_tabs(tmp_path: Path) -> None:
    path = write(tmp_path, b"\ta\t5\nb\ta\t\n")
    assert (
        list(read(path, columns=read_columns("thread=0,object=1")).ids)
        == [read(path, columns=read_columns("object=1")).ids[0]] * 2
    )
    with pytest.raises(TraceError, match="line 2: column 2 "):
        read(path, columns=read_columns("object=1,size=2"))


@pytest.mark.parametrize("separator", [",", " ", "\t", ";"])
def test_quoted_columns_keep_separators(separator: str, tmp_path: Path) -> None:
    text = separator.join(('"a, b; c\td"', "7", '"e ""f"""')) + "\n"
    twice = read(write(tmp_path, (text * 2).encode()), columns=read_columns("page=1,file=0,comm=2"), details=True)
    assert twice.distinct == 1 and twice.comms is not None
    assert twice.comms.of(0)[0].to_bytes(8, "little") == b'e "f"\0\0\0'


RANGES = b"10 3 0 1\n11 1 0 2\n\n12 2 0 3\n"


def test_ranges_of_blocks(tmp_path: Path) -> None:
    path = write(tmp_path, RANGES, "P1.lis")
    trace = read(path)
    assert trace.format == "lis" and list(trace.ids) == [10, 11, 12, 11, 12, 13]
    with pytest.raises(
        TraceError, match=r"--format lis if each is a range of an ARC trace \(start, count, 0, number\)"
    ):
        read(write(tmp_path, RANGES, "P1.txt"))
    assert read(write(tmp_path, RANGES, "P1.txt"), "lis").ids == trace.ids


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 2 3", "not a range of blocks"),
        ("1 0 0 5", "not a range of blocks: four whole numbers, the first block, how many (1 or more)"),
        ("1 x 0 5", "not a range of blocks"),
        ("1 1048577 0 5", "the request has 1,048,577 pages, more than 1,048,576 (4 GiB); cut the range"),
        (f"{2**64 - 1} 2 0 5", "the last of the request's 2 pages has a number of 2^64 or more"),
    ],
)
def test_wrong_ranges(line: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=re.escape(f"line 5: {said}")):
        read(write(tmp_path, RANGES + line.encode(), "P1.lis"), "lis")


@pytest.mark.parametrize(
    ("line", "columns", "name"),
    [
        ("fio version 2 iolog", "file=0,rw=1,offset=2,size=3", "fio's log"),
        ("0x7f0a: R 0x7ffd10", "object=2,rw=1", "Pin"),
        ("3,R,40960,4096,1577808000000046", "file=0,rw=1,offset=2,size=3,time_us=4", "Alibaba"),
        ("0,20941264,8192,W,0.551706", "file=0,object=1,size=2,rw=3,time=4", "SPC"),
        ("key,op,size,op_count,key_size\n7,GET,10,3,2", "object=key,size=size,count=op_count", "CacheLib"),
        (
            "Timestamp,Response,IOType,LUN,Offset,Size\n1.5,0.001,W,4,4096,512",
            "time=Timestamp,rw=IOType,file=LUN,offset=Offset,size=Size",
            "SYSTOR",
        ),
    ],
)
@pytest.mark.parametrize("file", ["t.csv", "t.log", "t.txt"])
def test_well_known_traces_are_named(line: str, columns: str, name: str, file: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"{line}\n".encode(), file)
    with pytest.raises(TraceError, match=name) as error:
        read(path)
    assert f"--columns {columns}" in str(error.value)
    if not line.startswith("fio"):
        assert read(path, columns=read_columns(columns)).requests == (3 if "CacheLib" in name else 1)


MSR = "128166372003061629,usr,0,Read,4608,4096,41286\n128166372003161629,usr,1,write,8192,1,9\n"


def test_msr(tmp_path: Path) -> None:
    for file in ("usr_0.csv", "t"):
        trace = read(write(tmp_path, MSR.encode(), file), details=True)
        assert trace.format == "msr" and trace.names is not None
        assert [*trace.names.indices] == [1, 2] and len({*trace.names.files}) == 2
        assert [*(trace.times or ())] == [0, 10] and [*(trace.writes or ())] == [0, 1]
        assert trace.carries == {"time", "file", "page", "rw"}
    assert read(trace.path, pages=True).requests == 3
    by_hand = read_columns("time_100ns=0,file=1,rw=3,offset=4,size=5")
    assert [*(read(trace.path, columns=by_hand, details=True).times or ())] == [0, 10]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1,usr,0,Erase,0,4096,5", "column 3 (from 0) begins with neither R (read) nor W (write)"),
        ("1,usr,0,Read,x,4096,5", "column 4 (from 0) is not a whole number below 2^64"),
        ("soon,usr,0,Read,0,4096,5", "column 0 (from 0) is not a time"),
        ("1,usr,0", "3 columns, but the format has column 5 (from 0)"),
    ],
)
def test_wrong_msr(row: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=re.escape(f"line 3: {said}")) as error:
        read(write(tmp_path, (MSR + row).encode(), "usr_0.csv"))
    assert str(error.value).endswith("or give another --format")


def test_rows_with_a_count(tmp_path: Path) -> None:
    data = b"object,n\na,3\nb,0\nc,1\n"
    trace = read(write(tmp_path, data), columns=read_columns("object=object,count=n"))
    assert trace.requests == 4 and trace.distinct == 2
    for count in (2**28 + 1, 2**64 - 1):
        with pytest.raises(TraceError, match=f"line 1: with this row's count, {count:,}, the trace has more than "):
            read(write(tmp_path, f"a,{count}\n".encode()), columns=read_columns("object=0,count=1"))
    pages = read(write(tmp_path, b"0,8192,2\n"), columns=read_columns("page=0,size=1,count=2"), pages=True)
    assert [*pages.ids] == [0, 1, 0, 1]
