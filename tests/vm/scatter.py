"""Runs in the machine (see guest.py): page frames of a file's cached pages, close together or far apart."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections import Counter
from pathlib import Path

PAGE = mmap.PAGESIZE
BLOCK = 64
"""Frames that one node of an XArray covers: what an index by frame number pays for the first page of them."""


def leave_every(path: Path, step: int) -> None:
    """Fill the memory with a sparse file, and free one in `step` of its pages."""
    available = int(Path("/proc/meminfo").read_text().split("MemAvailable:")[1].split()[0]) * 1024
    with path.open("wb") as file:
        file.truncate(available)
    fd = os.open(path, os.O_RDONLY)
    for page in range(available // PAGE):
        os.pread(fd, 1, page * PAGE)
    for page in range(0, available // PAGE, step):
        os.posix_fadvise(fd, page * PAGE, PAGE, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def frames_of(path: Path) -> list[int]:
    """Of the file's cached pages."""
    frames = []
    with (
        path.open("r+b") as file,
        mmap.mmap(file.fileno(), 0) as pages,
        Path("/proc/self/pagemap").open("rb") as pagemap,
    ):
        # Only what is cached is looked at, so that the look caches nothing.
        resident = cached(pages)
        first = ctypes.addressof(ctypes.c_char.from_buffer(pages)) // PAGE
        for page, there in enumerate(resident):
            if there:
                pages[page * PAGE]
                entry = int.from_bytes(os.pread(pagemap.fileno(), 8, (first + page) * 8), "little")
                frames.append(entry & (1 << 55) - 1)
    return frames


def cached(pages: mmap.mmap) -> list[bool]:
    libc = ctypes.CDLL(None, use_errno=True)
    number = -(-len(pages) // PAGE)
    vector = (ctypes.c_ubyte * number)()
    buffer = ctypes.c_char.from_buffer(pages)
    if libc.mincore(ctypes.c_void_p(ctypes.addressof(buffer)), ctypes.c_size_t(len(pages)), vector):
        raise OSError(ctypes.get_errno(), "mincore")
    return [bool(byte & 1) for byte in vector]


def pages_in_a_block(frames: list[int]) -> float:
    blocks = Counter(frame // BLOCK for frame in frames)
    return len(frames) / len(blocks)
