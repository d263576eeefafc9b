"""Every format with every compression is recognised by name and by contents."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import struct
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from cpol.runtime.simulate.traces import FORMATS, read

IDS = [5, 7, 5, 2**64 - 1, 0, 7]


def oracle(ids: list[int], size: int = 100) -> bytes:
    return b"".join(struct.pack("<IQIq", n, key, size, -1) for n, key in enumerate(ids))


def vscsi1(ids: list[int], size: int = 512) -> bytes:
    return b"".join(struct.pack("<IIIHHQQ", n, size, 1, 40, 1 << 8 | 7, key, n) for n, key in enumerate(ids))


def vscsi2(ids: list[int], size: int = 512) -> bytes:
    return b"".join(struct.pack("<HHIIIQQQ", 40, 2 << 8, n, size, 1, key, n, 3) for n, key in enumerate(ids))


def lcs(ids: list[int], version: int = 1) -> bytes:
    magic = 0x123456789ABCDEF0
    more = b"" if version == 1 else struct.pack("<I", 3 << 8 | 1)
    records = (struct.pack("<IQI", n, key, 100) + more + struct.pack("<q", -1) for n, key in enumerate(ids))
    return struct.pack("<QQ8000x168xQ", magic, version, magic) + b"".join(records)


def lines(ids: list[int], form: str) -> bytes:
    return "".join(form.format(n=n, key=key) + "\n" for n, key in enumerate(ids)).encode()


SAMPLES = {
    "oraclegeneral": oracle(IDS),
    "vscsi": vscsi1(IDS),
    "lcs": lcs(IDS),
    "lis": lines(IDS, "{key} 1 0 {n}"),
    "msr": lines([key % 2**40 * 4096 for key in IDS], "{n}0000,usr,0,Read,{key},4096,7"),
    "lirs": b"*\n" + lines(IDS, "{key}"),
    "text": lines(IDS, "key-{key}"),
    "csv": b"# time, object, size, next_access_vtime\n" + lines(IDS, "{n}, {key}, 64, -1"),
    "twitter": lines(IDS, "{n},{key},3,40,9,get,0"),
    "blktrace": lines([key % 2**50 * 8 for key in IDS], "8,0 3 {n} {n}.009507758 697 Q W {key} + 8 [a name]"),
    "log": b"cpol-events\t1\npolicy\tp\nlists\t\nghosts\t\ncapacity\t9\nbatch\t1\ndecisions\tno\n"
    + lines(IDS, "accessed\t7\t{key}"),
    "record": b"cpol-record 1\n" + lines(IDS, "{n},accessed,8:1:7,{key},1,5,5,") + f"end,{len(IDS)},0\n".encode(),
}
HINTED = {"lis": "t.lis"}
"""Formats that only a name or --format tells: names for them."""
NAMED = ("text", "msr", "blktrace", "log", "record")
"""Formats whose requests get other ids than IDS."""
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "zstd": lambda data: zstandard.ZstdCompressor().compress(data),
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}


def write(folder: Path, data: bytes, name: str = "trace.dat") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("compression", COMPRESS)
@pytest.mark.parametrize("name", SAMPLES)
def test_format_is_recognised_with_every_compression(name: str, compression: str, tmp_path: Path) -> None:
    trace = read(write(tmp_path, COMPRESS[compression](SAMPLES[name]), HINTED.get(name, "trace.dat")))
    assert trace.format == name
    assert len(trace.ids) == 6 and trace.distinct == 4
    assert [trace.ids.index(key) for key in trace.ids] == [0, 1, 0, 3, 4, 1]
    if name not in NAMED:
        assert list(trace.ids) == IDS
    assert read(trace.path, name).ids == trace.ids


def test_every_format_has_a_sample() -> None:
    """Those of Parquet are in test_trace_readers.py."""
    assert {*SAMPLES, "parquet"} == set(FORMATS)


@pytest.mark.parametrize("compression", [name for name in COMPRESS if name != "plain"])
def test_concatenated_streams_are_read(compression: str, tmp_path: Path) -> None:
    """Concatenated streams, as of `cat a.gz b.gz`, also across read buffers."""
    compress = COMPRESS[compression]
    part = os.urandom(90_000).hex().encode() + b"\n"  # compresses badly
    parts = [part[at : at + 30_000] + b"\n" for at in range(0, len(part), 30_000)] * 3
    trace = read(write(tmp_path, b"".join(compress(part) for part in parts)), "text")
    assert list(trace.ids) == list(read(write(tmp_path, b"".join(parts)), "text").ids)


@pytest.mark.parametrize(
    ("file", "name", "data"),
    [
        ("a.oracleGeneral.bin.zst", "oraclegeneral", SAMPLES["oraclegeneral"]),
        ("a.oracleGeneral", "oraclegeneral", oracle([1])),
        ("b.vscsi", "vscsi", vscsi2(IDS)),
        ("c.trace.gz", "lirs", lines(IDS, "{key}")),
        ("d.txt", "text", lines(IDS, "{key}")),
        ("e.whatever", "lirs", lines(IDS, "{key}")),
        ("f.CSV", "csv", lines(IDS, "{n}.5,k{key},64")),
        ("g.csv", "csv", lines(IDS, "{n},a key with blanks {key},64,7").replace(b"\n", b"\r\n")),
        ("h.csv", "csv", b"time,obj_id,obj_size,next\n" + lines(IDS, "{n},{key},64,7").rstrip()),
    ],
)
def test_name_and_contents_select_the_format(file: str, name: str, data: bytes, tmp_path: Path) -> None:
    assert read(write(tmp_path, data, file)).format == name


@pytest.mark.parametrize("name", ["oracleGeneral", "ORACLEGENERAL", "oracle_general", "oracleGeneralBin"])
def test_format_names_in_any_case_and_spelling(name: str, tmp_path: Path) -> None:
    trace = read(write(tmp_path, SAMPLES["oraclegeneral"]), name)
    assert trace.format == "oraclegeneral" and list(trace.ids) == IDS


def test_format_overrules_a_wrong_name(tmp_path: Path) -> None:
    assert list(read(write(tmp_path, vscsi2(IDS), "a.oracleGeneral.bin"), "vscsi").ids) == IDS
    times_back = oracle(IDS)[::-1][: 24 * 6]
    assert read(write(tmp_path, times_back), "oraclegeneral").format == "oraclegeneral"


@pytest.mark.parametrize("name", ["lirs", "text", "csv", "twitter"])
def test_byte_order_mark_is_ignored(name: str, tmp_path: Path) -> None:
    plain = read(write(tmp_path, SAMPLES[name], "plain"), name).ids
    marked = write(tmp_path, codecs.BOM_UTF8 + SAMPLES[name])
    assert read(marked, name).ids == plain
    assert read(marked).format == name and read(marked).ids == plain


def test_vscsi_version_2_is_read(tmp_path: Path) -> None:
    assert list(read(write(tmp_path, vscsi2(IDS))).ids) == IDS


def test_keys_are_numbers_or_hashes(tmp_path: Path) -> None:
    keys = b"7\n007\n+7\n7 \n 7\r\nseven\nSeven\n18446744073709551615\n18446744073709551616\n\xff\xfe\n\n7"
    ids = list(read(write(tmp_path, keys), "text").ids)
    assert ids[0] == ids[3] == ids[4] == ids[10] == 7 and ids[7] == 2**64 - 1
    assert len(set(ids)) == 8 and len(ids) == 11
    assert ids[5] == hashed(b"seven")


def hashed(key: bytes) -> int:
    """Hash with FNV-1a and murmur3's finaliser: the same on every machine and in every run."""
    value = 0xCBF29CE484222325
    for byte in key:
        value = (value ^ byte) * 0x100000001B3 & 2**64 - 1
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> 33) * factor & 2**64 - 1
    return value ^ value >> 33


def test_deletions_are_counted_separately(tmp_path: Path) -> None:
    trace = read(write(tmp_path, b"0,a,1,1,1,get,0\n1,a,1,1,1,delete,0\n2,a,1,1,1,set,0\n"))
    assert len(trace.ids) == 2 and trace.deletions == 1


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 1023, 1024, 1025, 3000, 200_000])
def test_records_and_lines_across_buffers(length: int, tmp_path: Path) -> None:
    ids = [n * 2654435761 % 2**40 for n in range(length)]
    assert list(read(write(tmp_path, oracle(ids))).ids) == ids
    assert list(read(write(tmp_path, vscsi2(ids))).ids) == ids
    assert list(read(write(tmp_path, lines(ids, "{key}"))).ids) == ids
    assert list(read(write(tmp_path, zstandard.compress(lines(ids, "{n},{key},1")))).ids) == ids


def test_pages_of_blocks_and_of_objects(tmp_path: Path) -> None:
    blocks = write(tmp_path, vscsi1([0, 7, 8, 15], 4096))
    assert list(read(blocks, pages=True).ids) == [0, 0, 1, 1, 1, 2]
    assert list(read(blocks).ids) == [0, 7, 8, 15]
    assert list(read(write(tmp_path, vscsi1([2**64 - 1], 4096)), "vscsi", pages=True).ids) == [2**61 - 1]
    assert list(read(write(tmp_path, vscsi2([3], 0)), "vscsi", pages=True).ids) == [0]
    ids = read(write(tmp_path, oracle([1, 2, 1], 8193)), pages=True).ids
    assert len(ids) == 9 and len(set(ids)) == 6 and ids[:3] == ids[6:]
    assert len(read(write(tmp_path, oracle([1], 0)), pages=True).ids) == 1


def test_a_pipe_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(SAMPLES["oraclegeneral"]),))
    writer.start()
    assert list(read(pipe).ids) == IDS
    writer.join()
