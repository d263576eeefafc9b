"""Names and texts of a policy, made safe for generated C.

No text from a policy can end a C string or a comment.
"""

from __future__ import annotations

import re
from pathlib import Path

from cpol.compiler.diagnostics.source import Pos

PREFIX = "my_"
"""What every name of a policy begins with in C. No macro, keyword or helper does, and no name of the kernel or ours."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_UNSAFE_PATH = re.compile(r"[^A-Za-z0-9_./+@%=:, -]")
_UNSAFE_TEXT = re.compile(r"[^ -~]")


def identifier(name: str) -> str:
    """The C identifier for `name`.

    Raises:
        ValueError: `name` is not an identifier.
    """
    if not _PLAIN.fullmatch(name.replace("_", "a")):
        raise ValueError(f"not an identifier: {name!r}")
    return PREFIX + name


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
