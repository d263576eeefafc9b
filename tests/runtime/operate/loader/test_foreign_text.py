"""The loader escapes control characters in text from other users, so that it cannot control root's terminal."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from loader_types import Loader

DRIVES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffd]")
PIECES = [
    *(bytes([byte]) for byte in (*range(1, 32), *range(127, 256))),
    *(c.encode("utf-8", "surrogatepass") for c in "aé漢😀\x80\x85\x9b\u061c\u200b\u202e\u2028\u2066\ufeff\ud800"),
    b"\xc0\x80",
    b"\xe0\x80\x80",
    b"\xf4\x90\x80\x80",
    b"\xf0\x9f\x98",
    b"\\",
]  # fmt: skip


def missing(loader: Loader, name: bytes) -> str:
    """Return how the loader's message shows the name of a missing object."""
    done = loader("attach", os.fsdecode(name), "/nowhere")
    found = re.fullmatch(r"cpol-loader: error: cannot read (.*): [A-Z][a-z ]+\n", done.stderr)
    assert found and not DRIVES.search(done.stderr), done.stderr
    return found[1]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (b"/x\x1b[2J\n/y", r"/x\x1b[2J\x0a/y"),
        (b"/\xc2\x9b1m \xe2\x80\xae", r"/\xc2\x9b1m \xe2\x80\xae"),
        (b"/\xff\xe6\xbc", r"/\xff\xe6\xbc"),
        ("/é 漢\t😀".encode(), "/é 漢\t😀"),
    ],
)
def test_names_of_files(loader: Loader, name: bytes, told: str) -> None:
    assert missing(loader, name) == told


def escaped(name: bytes) -> str:
    """Return printable characters unchanged, and every other byte as \\xNN."""
    text = name.decode("utf-8", "surrogateescape")
    return "".join(
        "".join(f"\\x{byte:02x}" for byte in c.encode("utf-8", "surrogateescape"))
        if DRIVES.match(c) or c == "\n" or "\udc80" <= c <= "\udcff"
        else c
        for c in text
    )


@pytest.mark.slow
def test_any_name(loader: Loader) -> None:
    rng = random.Random(5)
    names = [b"/" + b"".join(rng.choice(PIECES) for _ in range(60)) for _ in range(60)]
    for name in names:
        assert missing(loader, name) == escaped(name)


def test_arguments(loader: Loader, with_manifest: Callable[[bytes], Path]) -> None:
    path = with_manifest(b"cpol 1 p\nparam n u32 1 1 2 0 4\nlists q\n")
    for arguments, told in (
        ((path, "/no\x1b[2J\nwhere"), r"there is no cgroup /no\x1b[2J\x0awhere"),
        ((path, "/nowhere", "--set", "n=\x1b[2J"), r"must be a whole number from 1 to 2, not `\x1b[2J`"),
        ((path, "/nowhere", "--set", "\x9b2J=1"), r"has no param \xc2\x9b2J"),
    ):
        done = loader("attach", *arguments)
        assert done.returncode == 1 and told in done.stderr and not DRIVES.search(done.stderr)
