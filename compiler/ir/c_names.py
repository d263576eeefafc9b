"""Names and texts of a policy, made safe for generated C.

No text from a policy can end a C string or a comment.
"""

from __future__ import annotations

import re
from pathlib import Path

from cpol.compiler.diagnostics.source import Pos

_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
asm typeof bool true false u8 u16 u32 u64 s8 s16 s32 s64 c size_t offsetof container_of NULL
linux unix i386 likely unlikely barrier barrier_var min max bpf SEC BPF_PROG
"""
_RESERVED = frozenset(_KEYWORDS.split())
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TAKEN = re.compile(r"(cpol|CPOL|bpf|BPF|LIST|GHOST|TABLE|INPUT)_|.*__")
_UNSAFE_PATH = re.compile(r"[^A-Za-z0-9_./+@%=:, -]")
_UNSAFE_TEXT = re.compile(r"[^ -~]")


def identifier(name: str) -> str:
    """The C identifier for `name`. Distinct names give distinct identifiers.

    Names that C, the kernel headers or generated code use get the prefix `cpol_n_`.

    Raises:
        ValueError: `name` is not an identifier.
    """
    if not _PLAIN.fullmatch(name.replace("_", "a")):
        raise ValueError(f"not an identifier: {name!r}")
    if name in _RESERVED or name.startswith("_") or _TAKEN.match(name):
        return f"cpol_n_{name}"
    return name


def path(text: str) -> str:
    """A file name for `#line`. Letters, digits and plain punctuation stay; the rest becomes `_`."""
    return _UNSAFE_PATH.sub("_", text)


def line_file(pos: Pos, policy: str) -> str:
    """The file in `#line` for a place: `policy`, or `lib/NAME` for a library's file."""
    return path(f"lib/{Path(pos.file).name}" if pos.file else policy)


def line_mark(pos: Pos) -> str:
    """A line as an object tells it: `LINE` of the policy, or `NAME:LINE` of a library's file."""
    return path(pos.prefix) + str(pos.line)


def comment(text: str) -> str:
    """`text` as one line of a C comment: printable ASCII that neither ends nor opens a comment."""
    return _UNSAFE_TEXT.sub("_", text).replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").rstrip("\\")


def c_string(text: str) -> str:
    """`text` escaped for a C string literal, without the quotes."""
    return _UNSAFE_TEXT.sub("_", text).replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
