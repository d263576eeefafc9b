"""Files with the entries of an array: text with a number on each line, or the entries as they lie in memory.

The loader reads the same files (runtime/operate/loader/inputs/array_file.c).
"""

from __future__ import annotations

from array import array
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from pathlib import Path
from sys import byteorder

from cpol.compiler import ir
from cpol.compiler.ir import layout
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.settings.inputs import SETTING_ENTRIES, Setting, show, value_type, within
from cpol.runtime.machine.settings.values import parse_value

SNIFFED = 4095
LONGEST = 64
"""Bytes of an entry as text, with its newline and some blanks."""
TEXT = frozenset((*range(0x20, 0x7F), *b"\t\r\n"))
"""Bytes that text has: printable ones and blanks. The parser refuses lines that hold no number: as binary, a comment
or a heading would give numbers that nobody wrote."""

_CODES = {1: "b", 2: "h", 4: "i", 8: "q"}


def read_entries(declaration: ir.InputDecl, path: Path) -> Sequence[int]:
    """The raw values in a file, from index 0 on.

    Raises:
        ParamError: the file cannot be read, has too many entries, or one that the array cannot hold.
    """
    try:
        with path.open("rb") as file:
            content = file.read(len(BOM_UTF8) + SNIFFED)
            text = TEXT.issuperset(content.removeprefix(BOM_UTF8)[:SNIFFED])
            limit = ir.MAX_TABLE * (LONGEST if text else _stored(declaration).size)
            content += file.read(max(limit + 1 - len(content), 0))
    except OSError as error:
        raise ParamError(f"input {declaration.name}: {path} cannot be read: {error.strerror or error}") from None
    if len(content) > limit:
        raise ParamError(
            f"input {declaration.name}: {path} has more than {limit} bytes, {limit // ir.MAX_TABLE} for each of the "
            f"{ir.MAX_TABLE} entries that an array may have; give a shorter file"
        )
    found = _text(declaration, path, content.removeprefix(BOM_UTF8)) if text else _binary(declaration, path, content)
    if len(found) > ir.MAX_TABLE:
        raise ParamError(f"input {declaration.name}: {path} has more than {ir.MAX_TABLE} entries")
    return found


def _stored(declaration: ir.InputDecl) -> layout.Member:
    return layout.member(declaration.name, value_type(declaration), 0, packed=False)


def _text(declaration: ir.InputDecl, path: Path, content: bytes) -> list[int]:
    type, found = value_type(declaration), []
    lines = content.decode("latin-1").removesuffix("\n").split("\n") if content else []
    for number, line in enumerate((line.strip(" \t\r") for line in lines), 1):
        try:
            value = parse_value(line, type)
            if not within(value, type):
                raise ValueError(f"{line} is too large or too small")
            found.append(value)
        except ValueError as error:
            message = (
                f"input {declaration.name}: {path}:{number}: {error}; write one {type} on each line and nothing else"
            )
            raise ParamError(message) from None
    return found


def _binary(declaration: ir.InputDecl, path: Path, content: bytes) -> array[int]:
    """Entries of as many bytes as the kernel's, little-endian."""
    type, stored = value_type(declaration), _stored(declaration)
    if len(content) % stored.size:
        what = f"{len(content)} bytes, which is no multiple of the {stored.size} bytes of an entry"
        raise ParamError(f"input {declaration.name}: {path} has {what}")
    code = _CODES[stored.size]
    found = array(code if stored.signed else code.upper(), content)
    if byteorder == "big":
        found.byteswap()
    wrong = next((number for number, value in enumerate(found) if not within(value, type)), None)
    if wrong is not None:
        raise ParamError(f"input {declaration.name}: entry {wrong} of {path} is {found[wrong]}, which is no {type}")
    return found


def settings_of(declaration: ir.InputDecl, values: Sequence[int]) -> Iterator[Setting]:
    """Settings that give an array these values; those that are all 0 are left out, but for the last, which tells how
    many there are."""
    for first in range(0, len(values), SETTING_ENTRIES):
        part = tuple(values[first : first + SETTING_ENTRIES])
        if any(part) or first + SETTING_ENTRIES >= len(values):
            yield show(declaration, (first,), part)
