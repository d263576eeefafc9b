"""Errors of traces name the file, the position, the fault and what to do."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import random
from pathlib import Path

import pytest
import zstandard
from test_trace_formats import COMPRESS, SAMPLES, lines, oracle, vscsi1, vscsi2, write

from cpol.runtime.simulate.traces import TraceError, read, read_columns

BIG = lines([n * n % 977 for n in range(5000)], "{key}")


@pytest.mark.parametrize(
    ("data", "format", "message"),
    [
        (b"", None, "the trace is empty; name a file"),
        (gzip.compress(b"", mtime=0), None, "the trace is empty"),
        (b"\n\n  \n", "text", "no requests in the trace, read as text"),
        (b"*\n*\n", "lirs", "no requests"),
        (b"\n\n \n", None, "no requests in the trace: all 3 lines are blank"),
        (b"\n", "lirs", "no requests in the trace, read as lirs"),
        (b"# time, object, size\n", "csv", "no requests"),
        (
            oracle([1, 2])[:-1],
            "oraclegeneral",
            "47 bytes are not a multiple of 24, the size of a record of oraclegeneral",
        ),
        (oracle([1, 2])[:-1], None, "47 bytes are not a multiple of 24"),
        (gzip.compress(oracle([1, 2])[:-1], mtime=0), None, "record 2 (byte 24): the trace ends after 23 of 24 bytes"),
        (vscsi1([1, 2])[:-31], "vscsi", "33 bytes are not a multiple of 32, the size of a record of vscsi"),
        (vscsi2([1, 2]) + vscsi1([1] * 5), "vscsi", "record 3 (byte 80): the record does not have version 2 of vscsi"),
        (b"\0" * 40, "vscsi", "record 1: neither version 1 nor 2"),
        (b"1\n2\nx3\n", "lirs", "line 3: neither a block number nor *"),
        (b"1\n-2\n", "lirs", "line 2: neither"),
        (b"1\n18446744073709551616\n", "lirs", "line 2: neither"),
        (b"1\n2 3\n", "lirs", "line 2: blanks or tabs where one key is expected"),
        (b"1\n\0002\n", "text", "line 2: a line of text has a zero byte"),
        (b"1\n" + b"k" * 65537, "text", "line 2: the line is longer than 65536 bytes"),
        (b"1\n" + b"k" * 300000 + b"\n", "text", "line 2: the line is longer"),
        (b"0,1,2\n1,1\n", "csv", "line 2: 2 columns; csv has time, object, size and perhaps next"),
        (b"0,1,2\n1,1,2,3,4,5,6,7,8,9\n", "csv", "line 2: 10 columns"),
        (
            b"0,1,2\nx,1,2\n",
            "csv",
            "line 2: column 0 (from 0), the time of csv traces (time, object, size, next), is not a time",
        ),
        (
            b"0,1,2\n1,1,big\n",
            "csv",
            "line 2: column 2 (from 0), the size of csv traces (time, object, size, next), is not a whole number",
        ),
        (
            b"0,1,2\n1,1,-2\n",
            "csv",
            "line 2: column 2 (from 0), the size of csv traces (time, object, size, next), is not a whole number",
        ),
        (
            b"0,1,2\n1,,2\n",
            "csv",
            "line 2: column 1 (from 0), the object of csv traces (time, object, size, next), is empty",
        ),
        (b"0,1,2\n", "twitter", "line 1: 3 columns; twitter has timestamp"),
        (
            b"0,a,1,2,3,get,0\n0,a,1,2,3,fetch,0\n",
            "twitter",
            "line 2: column 5 (from 0), the operation of twitter",
        ),
        (b"PK\x03\x04 and so on", None, "zip data is not supported"),
        (b"\x04\x22\x4d\x18 and so on", "text", "lz4 data is not supported"),
        (b"0,1,2,3,4\n" * 9, None, "is of no format that is known here; say what it is with --format"),
        (random.Random(1).randbytes(4096) + b"\0", None, "is of no format"),
        (b"1\n", "arrow", "no format 'arrow'; there is oraclegeneral"),
        (b"1\n", "oracelGeneral", "no format 'oracelGeneral'; did you mean oraclegeneral?"),
        (codecs.BOM_UTF8, None, "the trace is empty"),
        (
            BIG,
            "oraclegeneral",
            "--format says oraclegeneral, but the file is text; leave --format out, or give lirs or",
        ),
        (SAMPLES["csv"], "vscsi", "--format says vscsi, but the file is text; leave --format out, or give csv"),
        ("0,é,1\n".encode(), "vscsi", "--format says vscsi, but the file is text; leave --format out, or give csv"),
        (
            oracle([1, 2]),
            "csv",
            "--format says csv, but the contents do not; leave --format out, or give oraclegeneral",
        ),
        (oracle([1, 2]), "vscsi", "--format says vscsi, but the contents do not; leave --format out, or give oracle"),
        (vscsi2(range(9)), "oracleGeneral", "--format says oraclegeneral, but the contents do not; leave --format out"),
    ],
)
def test_trace_errors(data: bytes, format: str | None, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, data)
    with pytest.raises(TraceError) as error:
        read(path, format)
    assert message in str(error.value)
    assert str(path) in str(error.value) or "no format" in message
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", [name for name in COMPRESS if name != "plain"])
def test_truncated_or_damaged_compression(kind: str, tmp_path: Path) -> None:
    data = COMPRESS[kind](BIG)
    for cut in (len(data) // 2, len(data) - 1):
        with pytest.raises(TraceError, match=f"the {kind} data (ends too early|is damaged)"):
            read(write(tmp_path, data[:cut]), "lirs")
    with pytest.raises(TraceError, match=f"that is not {kind} follows"):
        read(write(tmp_path, data + b"rubbish"), "lirs")
    damaged = bytearray(data)
    damaged[len(data) // 2] ^= 0x55
    try:  # not every format has checksums
        read(write(tmp_path, bytes(damaged)), "lirs")
    except TraceError as error:
        assert "damaged" in str(error) or "line" in str(error) or "too early" in str(error)


def test_double_compression_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="gzip data inside zstd data; decompress it once"):
        read(write(tmp_path, zstandard.compress(gzip.compress(BIG))))


@pytest.mark.parametrize(
    ("file", "data"), [("a.vscsi", oracle([1, 2])), ("a.oracleGeneral.bin", BIG), ("a.trace", SAMPLES["text"])]
)
def test_name_contradicts_contents(file: str, data: bytes, tmp_path: Path) -> None:
    path = write(tmp_path, data, file)
    with pytest.raises(TraceError, match=r"the name says \w+, but the contents .*; say which with --format"):
        read(path)


@pytest.mark.parametrize(("separator", "name"), [(";", "semicolons"), ("\t", "tabs")])
@pytest.mark.parametrize("file", ["a.csv", "a.CSV", "a.csv.gz"])
def test_csv_without_commas(separator: str, name: str, file: str, tmp_path: Path) -> None:
    data = lines([1, 2, 3], separator.join(("{n}", "{key}", "64")))
    path = write(tmp_path, gzip.compress(data, mtime=0) if file.endswith("gz") else data, file)
    with pytest.raises(TraceError, match=f"line 1: {name} separate 3 columns, or are part of a key; write --columns "):
        read(path)
    assert len(read(path, "text").ids) == 3
    mixed = write(tmp_path, data + b"key\n", "b.csv")
    if separator == ";":
        assert read(mixed).format == "text", "not all lines have columns"
    else:
        with pytest.raises(TraceError, match="line 1: tabs separate"):
            read(mixed)


@pytest.mark.parametrize(
    ("row", "bad", "message"),
    [
        (
            "{n},{key},64",
            b"3,4,large\n",
            "line 4: column 2 (from 0), the size of csv traces (time, object, size, next), is not a whole number",
        ),
        ("{n},{key},64", b"3,4\n", "line 4: 2 columns; csv has time, object, size"),
        (
            "{n},{key},4,64,1,get,0",
            b"3,4,4,64,1,fetch,0\n",
            "line 4: column 5 (from 0), the operation of twitter traces",
        ),
        ("{n},{key},4,64,1,get,0", b"3,4\n", "line 4: 2 columns; twitter has timestamp"),
        ("{n},{key}", b"", "line 1: 2 columns; csv has time, object, size"),
    ],
)
def test_a_csv_that_is_wrong_somewhere_names_the_line(row: str, bad: bytes, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, lines([1, 2, 3], row) + bad + lines([5, 6], row), "a.csv")
    with pytest.raises(TraceError) as error:
        read(path)
    assert message in str(error.value)


@pytest.mark.parametrize("count", [2, 5])
def test_other_columns_are_named_with_columns(count: int, tmp_path: Path) -> None:
    data = lines([1, 2, 3], ",".join(["{key}"] * count))
    with pytest.raises(
        TraceError, match=f"{count} columns; csv .* which column .from 0. has the keys: --columns object=COLUMN"
    ):
        read(write(tmp_path, data, "a.csv"))
    with pytest.raises(TraceError, match=f"since its lines have {count} columns, --columns object=COLUMN"):
        read(write(tmp_path, data, "a.data"))
    assert list(read(write(tmp_path, data, "a.csv"), columns=read_columns("object=1")).ids) == [1, 2, 3]


def test_name_and_format_contradict_contents(tmp_path: Path) -> None:
    path = write(tmp_path, random.Random(1).randbytes(4080) + b"\0", "a.oracleGeneral.bin")
    with pytest.raises(TraceError, match="--format says csv, the name oraclegeneral, and the contents neither"):
        read(path, "csv")


def test_ambiguous_format_is_refused(tmp_path: Path) -> None:
    """One record fits both formats."""
    with pytest.raises(TraceError, match="the trace may be oraclegeneral or vscsi; say what it is with --format"):
        read(write(tmp_path, vscsi1([2**64 - 1])))


def test_paths_that_are_not_files(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="missing: cannot be read: No such file"):
        read(tmp_path / "missing")
    with pytest.raises(TraceError, match="cannot be read: Is a directory"):
        read(tmp_path)
    with pytest.raises(TraceError, match="/dev/zero: neither a file nor a pipe"):
        read(Path("/dev/zero"))


def test_pages_without_sizes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="lirs traces have no sizes of objects"):
        read(write(tmp_path, BIG), pages=True)


@pytest.mark.parametrize("name", SAMPLES)
def test_damaged_traces_raise_only_trace_errors(name: str, tmp_path: Path) -> None:
    """Random damage: reading succeeds or raises TraceError."""
    rng = random.Random(name)
    for _ in range(60):
        data = bytearray(SAMPLES[name] * rng.randint(1, 5))
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(data))
            match rng.randrange(3):
                case 0:
                    data[at] = rng.randrange(256)
                case 1:
                    del data[at : at + rng.randint(1, 30)]
                case 2:
                    data[at:at] = rng.randbytes(rng.randint(1, 30))
            data = data or bytearray(b"\n")
        packed = rng.choice((bytes, gzip.compress, zstandard.compress, bz2.compress, lzma.compress))(bytes(data))
        for format in (name, None):
            try:
                assert read(write(tmp_path, packed), format).ids
            except TraceError as error:
                assert str(tmp_path) in str(error)
