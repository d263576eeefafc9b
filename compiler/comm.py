"""The names of commands, as the kernel keeps one for each task: up to 15 bytes, none of them zero."""

from __future__ import annotations

import re
from typing import TypeAlias

from cpol.compiler.arithmetic import mix64

MAX_COMM = 15
"""Bytes of a name: the kernel's TASK_COMM_LEN without the zero at the end."""

Comm: TypeAlias = tuple[int, int]
"""A name, filled up with zeros to 16 bytes, as two little-endian numbers."""

UNKNOWN: Comm = (0, 0)

_ESCAPE = re.compile(r"\\x([0-9a-f]{2})")
_PLAIN = frozenset(range(0x21, 0x7F)) - frozenset(b'\\",=@')


def pack(name: bytes) -> Comm:
    """The numbers of a name. A longer name is cut, as the kernel cuts it."""
    padded = name[:MAX_COMM].ljust(16, b"\0")
    return int.from_bytes(padded[:8], "little"), int.from_bytes(padded[8:], "little")


def unpack(comm: Comm) -> bytes:
    return b"".join(part.to_bytes(8, "little") for part in comm).rstrip(b"\0")


def number(comm: Comm) -> int:
    """`task.comm`: a hash of the name, 0 if it is unknown."""
    first, second = comm
    return mix64((first + mix64(second)) % 2**64)


def show(comm: Comm) -> str:
    """The name in printable ASCII, without spaces: any other byte is `\\xHH`."""
    return "".join(chr(byte) if byte in _PLAIN else f"\\x{byte:02x}" for byte in unpack(comm))


def parse(text: str) -> Comm:
    """The name in a text, which may have `\\xHH` in it.

    Raises:
        ValueError: it is empty or too long, or has a zero or a stray backslash. The message says which.
    """
    if "\\" in _ESCAPE.sub("", text):
        raise ValueError("write a backslash as \\x5c")
    parts = _ESCAPE.split(text)  # by turns what stands between the escapes, and their digits
    parts[1::2] = [chr(int(digits, 16)) for digits in parts[1::2]]
    name = b"".join(
        part.encode("latin-1" if at % 2 else "utf-8", errors="surrogateescape") for at, part in enumerate(parts)
    )
    why = wrong(name)
    if why:
        raise ValueError(why)
    return pack(name)


def wrong(name: bytes) -> str:
    """Why no task can have this name; empty if one can."""
    if not name:
        return "a command has a name"
    if b"\0" in name:
        return "a name has no zero byte"
    if len(name) > MAX_COMM:
        kept = name[:MAX_COMM].decode(errors="ignore")
        return f"it has {len(name)} bytes, and the kernel keeps {MAX_COMM}: write `{kept}`"
    return ""
