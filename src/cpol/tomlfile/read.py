"""Reads a TOML file, with the line and column of each key and value for messages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

from cpol.errors import UserError
from cpol.tomlfile import places

MAX_FILE = 1 << 20
"""Bytes of a file."""

At: TypeAlias = Callable[[places.Path, bool], str]
"""The words before a message about a value, or about a key (True)."""


def read_toml(path: Path, what: str, shorter: str) -> tuple[dict[str, Any], At]:
    """The values of a file; numbers with a point are Decimals.

    Args:
        what: what the file tells, with its article, such as "a sweep".
        shorter: how to make a file shorter that is too large.

    Raises:
        UserError: it cannot be read, or is wrong; the message begins with its path, line and column.
    """
    text = _text(path, what, shorter)
    try:
        told = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise UserError(_bad_toml(path, text, str(error))) from None
    except (ValueError, ArithmeticError):  # thousands of digits, or of an exponent
        raise UserError(f"{path}:1:1: a number in the file has too many digits; the largest is 2^64 - 1") from None
    except RecursionError:
        raise UserError(f"{path}:1:1: the file is nested too deeply; {what} needs lists and tables only") from None
    found = places.Places(text)

    def at(path_in: places.Path, key: bool) -> str:
        line, column = found.key(path_in) if key else found.value(path_in)
        return f"{path}:{line}:{column}: "

    return told, at


def _text(path: Path, what: str, shorter: str) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE + 1)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}; name the TOML file of {what}") from None
    if len(content) > MAX_FILE:
        raise UserError(f"{path}:1:1: the file is larger than {MAX_FILE >> 20} MiB; {shorter}")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
        raise UserError(f"{path}:{line}:{column}: the file is not UTF-8; save it as UTF-8") from None


def _bad_toml(path: Path, text: str, said: str) -> str:
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", said, re.DOTALL)
    if found:
        what, line, column = found.groups()
    else:
        what, line, column = said.removesuffix(" (at end of document)"), str(text.count("\n") + 1), "1"
    return f"{path}:{line}:{column}: this is no TOML: {what[0].lower()}{what[1:]}; write NAME = VALUE, texts in quotes"
