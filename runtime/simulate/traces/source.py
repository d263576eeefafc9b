"""Reads the bytes of a trace from a file or a pipe. Its first bytes, not its name, decide how it is decompressed."""

from __future__ import annotations

import stat
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from cpol.runtime.simulate.traces.errors import TraceError

CHUNK = 1 << 20
COMPRESSED_CHUNK = 1 << 16  # may decompress to a thousand times as much

_MAGIC = {
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
}
SKIPPABLE = tuple(struct.pack("<I", 0x184D2A50 + number) for number in range(16))
"""What frames begin with that zstd's readers skip: pzstd and seekable zstd write some. lz4 has the same ones."""

_NOT_READ = {
    b"\x04\x22\x4d\x18": "lz4",
    b"PK\x03\x04": "zip",
    b"7z\xbc\xaf\x27\x1c": "7z",
}


LONGEST = max(map(len, _MAGIC))
"""What a stream begins with has so many bytes at most."""


class _Decompressor(Protocol):
    """The common part of the four libraries' decompressors: one stream, and the data after it."""

    def decompress(self, data: bytes, /) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...


def compression(head: bytes) -> str | None:
    """The compression of a file, from its first bytes; None: it is not compressed."""
    if head.startswith(SKIPPABLE):
        return "zstd"
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


def chunks(path: Path) -> Iterator[bytes]:
    """The contents in pieces, decompressed if they are compressed.

    Raises:
        TraceError: the file cannot be read, or its compressed data is damaged.
    """
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(mode := path.stat().st_mode) and not stat.S_ISFIFO(mode):
                raise TraceError(f"{path}: neither a file nor a pipe; name the trace file itself")
            head = file.read(COMPRESSED_CHUNK)
            kind = compression(head)
            if head.startswith(SKIPPABLE):
                head = _skipped(path, head, file)
                check_readable(path, head)
            yield from _plain(head, file) if kind is None else _decompressed(path, kind, head, file)
    except OSError as error:
        raise TraceError(f"{path}: cannot be read: {error.strerror or error}") from None


def plain_size(path: Path) -> int | None:
    """The size in bytes of an uncompressed file; None: it is compressed, or a pipe.

    Raises:
        TraceError: the file cannot be read.
    """
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return None if compression(file.read(6)) else path.stat().st_size
    except OSError as error:
        raise TraceError(f"{path}: cannot be read: {error.strerror or error}") from None


def _plain(head: bytes, file: BinaryIO) -> Iterator[bytes]:
    size = CHUNK // 4  # whoever looks for the format wants so much, and the run waits for that
    while head:
        yield head
        head, size = file.read(size), CHUNK


def _new(kind: str) -> tuple[_Decompressor, type[Exception]]:
    """A decompressor, and what it raises. Plain traces are read without these modules."""
    match kind:
        case "zstd":
            import zstandard

            return zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError
        case "gzip":
            import zlib

            return zlib.decompressobj(wbits=31), zlib.error
        case "bzip2":
            import bz2

            return bz2.BZ2Decompressor(), OSError
        case _:
            import lzma

            return lzma.LZMADecompressor(), lzma.LZMAError


def _skipped(path: Path, data: bytes, file: BinaryIO) -> bytes:
    """What follows the skippable frames of zstd that `data` begins with; then more of the file, if that is little.

    Raises:
        TraceError: the file ends within one.
    """
    while True:
        if len(data) < 8:
            data += file.read(COMPRESSED_CHUNK)
        if not data.startswith(SKIPPABLE):
            return data
        rest = 8 + int.from_bytes(data[4:8], "little") if len(data) >= 8 else 8
        while len(data) < rest:
            rest -= len(data)
            data = file.read(min(rest, CHUNK))
            if not data:
                raise TraceError(f"{path}: the zstd data ends too early, in a skippable frame; fetch the trace again")
        data = data[rest:]


def _decompressed(path: Path, kind: str, data: bytes, file: BinaryIO) -> Iterator[bytes]:
    """The contents of all streams of the file, which follow one another; each must be complete."""
    read, first = file.tell() if file.seekable() else len(data), True
    if not data:
        return
    stream, failure = _new(kind)
    while data:
        try:
            out = stream.decompress(data)
        except (failure, OSError, EOFError) as error:
            raise TraceError(
                f"{path}: the {kind} data is damaged before byte {read}: {error}; fetch or compress the trace again"
            ) from None
        if out:
            _check_single(path, kind, out if first else b"")
            first = False
            yield out
        data = b""
        if stream.eof:
            data = stream.unused_data
            if len(data) < LONGEST and (more := file.read(COMPRESSED_CHUNK)):
                data, read = data + more, read + len(more)
            if kind == "zstd" and data.startswith(SKIPPABLE):
                before = len(data)
                data = _skipped(path, data, file)
                read = file.tell() if file.seekable() else read + max(0, len(data) - before)
            if data.strip(b"\0") and not data.startswith(tuple(_MAGIC)):
                raise TraceError(f"{path}: data that is not {kind} follows the {kind} data before byte {read}")
            data = data.lstrip(b"\0") if kind in ("gzip", "xz") else data
        if not data:
            data = file.read(COMPRESSED_CHUNK)
            read += len(data)
        if data and stream.eof:
            stream, failure = _new(kind)
    if not stream.eof:
        raise TraceError(f"{path}: the {kind} data ends too early, after {read} bytes; fetch the trace again")


def _check_single(path: Path, kind: str, head: bytes) -> None:
    inner = compression(head)
    if inner:
        raise TraceError(f"{path}: {inner} data inside {kind} data; decompress it once, then read that")


def check_readable(path: Path, head: bytes) -> None:
    """Refuse a file with an unsupported compression, which would otherwise be read as requests.

    Raises:
        TraceError: the compression is not supported.
    """
    for magic, name in _NOT_READ.items():
        if head.startswith(magic):
            raise TraceError(f"{path}: {name} data is not supported; convert it to a format that is")
