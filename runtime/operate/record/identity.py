"""Finds the files of a recording on this machine, and the numbers that policies know them by."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from cpol.runtime.operate import loader

AT_ONCE = 200
"""Files that one run of the loader identifies."""
SECONDS = 120
_ESCAPE = re.compile(rb"\\([0-7]{3})")


def mounts(text: bytes) -> dict[str, list[tuple[bytes, bytes]]]:
    """The mounts of /proc/self/mountinfo by device: the folder of the file system, and where it is mounted."""
    found: dict[str, list[tuple[bytes, bytes]]] = {}
    for line in text.splitlines():
        _, _, device, root, place, *_ = line.split(b" ")
        found.setdefault(device.decode(), []).append((_plain(root), _plain(place)))
    return found


def _plain(word: bytes) -> bytes:
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 8) & 255]), word)


def paths(name: bytes, device: str, mounted: Mapping[str, list[tuple[bytes, bytes]]]) -> Iterator[bytes]:
    """Where a file may be that has this path in its file system."""
    for root, place in mounted.get(device, []):
        below = name.removeprefix(root.rstrip(b"/"))
        if below.startswith(b"/") and (below != name or root == b"/"):
            yield place.rstrip(b"/") + below


def identify(names: Mapping[str, bytes]) -> dict[str, int]:
    """The numbers of files, by MAJOR:MINOR:INODE, from their paths in their file systems. Files that are gone lack.

    Raises:
        cpol.runtime.operate.loader.LoaderError: there is no loader, or it failed.
    """
    mounted = mounts(Path("/proc/self/mountinfo").read_bytes())
    there: list[tuple[str, bytes]] = []
    for file, name in names.items():
        device, _, inode = file.rpartition(":")
        there += [(file, path) for path in paths(name, device, mounted) if _inode(path) == int(inode)]
    found: dict[str, int] = {}
    for begin in range(0, len(there), AT_ONCE):
        some = there[begin : begin + AT_ONCE]
        said = loader.output(["identify", "--", *(os.fsdecode(path) for _, path in some)], SECONDS)
        for (file, _), line in zip(some, said.splitlines(), strict=True):
            identity, _, number = line.partition(" ")
            if identity == file:
                found[file] = int(number)
    return found


def _inode(path: bytes) -> int | None:
    try:
        return os.lstat(path).st_ino
    except (OSError, ValueError):
        return None
