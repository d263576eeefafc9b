"""zstd's skippable frames, as pzstd and seekable zstd write them, wherever they stand."""

from __future__ import annotations

import os
import struct
import threading
from pathlib import Path

import pytest
import zstandard
from test_trace_formats import COMPRESS, lines, write

from cpol.runtime.simulate.traces import TraceError, read, source
from cpol.runtime.simulate.traces.source import COMPRESSED_CHUNK

PARTS = [lines([*range(start, start + 50)], "k{key}") for start in range(0, 200, 50)]
ALL = b"".join(PARTS)


def skippable(number: int, size: int) -> bytes:
    return struct.pack("<II", 0x184D2A50 + number, size) + bytes(size)


def frames() -> list[bytes]:
    return [zstandard.compress(part) for part in PARTS]


@pytest.mark.parametrize("number", range(16))
def test_every_magic(number: int, tmp_path: Path) -> None:
    for size in (0, 4, 100):
        between = skippable(number, size)
        for data in (between.join(frames()), between + between.join(frames()), b"".join(frames()) + 2 * between):
            assert read(write(tmp_path, data), "text").requests == 200


@pytest.mark.parametrize("size", [0, 1, COMPRESSED_CHUNK - 9, COMPRESSED_CHUNK - 8, COMPRESSED_CHUNK, 3 << 20])
def test_frames_across_reads(size: int, tmp_path: Path) -> None:
    data = b"".join(skippable(3, size) + frame for frame in frames())
    assert read(write(tmp_path, data, "t.txt.zst")).requests == 200


@pytest.mark.parametrize("off", range(-9, 10))
def test_a_frame_begins_near_the_end_of_a_read(off: int, tmp_path: Path) -> None:
    """Its first bytes are then in two reads."""
    first = zstandard.compress(b"k\n")
    pad = skippable(0, COMPRESSED_CHUNK + off - len(first) - 8)
    for between in (b"", skippable(5, 7)):
        data = first + pad + between + frames()[0] + between + frames()[1]
        assert read(write(tmp_path, data), "text").requests == 101
        data = pad + between + frames()[0] + between + frames()[1]
        assert read(write(tmp_path, data), "text").requests == 100


@pytest.mark.parametrize("kind", ["zstd", "gzip", "bzip2", "xz"])
def test_a_stream_ends_near_the_end_of_a_read(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So for every compression: what follows is looked at whole."""
    first = COMPRESS[kind](PARTS[0])
    for chunk in range(len(first) - 5, len(first) + 9):
        monkeypatch.setattr(source, "COMPRESSED_CHUNK", chunk)
        assert read(write(tmp_path, first + COMPRESS[kind](PARTS[1])), "text").requests == 100


def test_through_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = b"".join(skippable(1, 70_000) + frame for frame in frames())
    threading.Thread(target=lambda: pipe.write_bytes(data), daemon=True).start()
    assert read(pipe, "text").requests == 200


@pytest.mark.parametrize("data", [skippable(0, 100)[:50], skippable(0, 9)[:6], frames()[0] + skippable(0, 9)[:12]])
def test_a_frame_that_is_cut(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"the zstd data ends too early, in a skippable frame|follows the zstd data"):
        read(write(tmp_path, data), "text")


def test_lz4_behind_skippable_frames_is_named(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="lz4 data is not supported"):
        read(write(tmp_path, skippable(0, 4) + b"\x04\x22\x4d\x18 and so on"), "text")


def test_nothing_but_skippable_frames(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="the trace is empty"):
        read(write(tmp_path, skippable(0, 4)), "text")
