"""Rows of the tables of docs/language.md that the compiler's vocabulary says. `make generate` writes them.

A row stays where it is. That of a new word goes behind the word's predecessor in the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from cpol.compiler.vocabulary.around import CACHE, EVERY, EVICT, TASK
from cpol.compiler.vocabulary.attribute import Attributes
from cpol.compiler.vocabulary.folio import FOLIO
from cpol.compiler.vocabulary.function import FUNCTIONS
from cpol.compiler.vocabulary.request import FAULT, OUT, RANGE, REQUEST

TABLES: tuple[tuple[str, str, Attributes], ...] = (
    ("| name |", "f", FOLIO),
    ("| name |", "cache", CACHE),
    ("| name |", "task", TASK),
    ("| name |", "evict", EVICT),
    ("| name |", "every", EVERY),
    ("| of a fault |", "p", FAULT),
    ("| of a request |", "r", REQUEST),
    ("| of a range |", "r", RANGE),
    ("| of these pages |", "p", OUT),
)
"""The head of each table, and the attributes of what has this name there."""


def rows(owner: str, attributes: Attributes) -> Iterator[tuple[str, str]]:
    """The first cell of each row, and the others."""
    told = [attribute for attribute in attributes.values() if attribute.doc]
    for (type, doc), group in groupby(told, lambda attribute: (attribute.type, attribute.doc)):
        names = ", ".join(f"`{owner}.{attribute.name}`" for attribute in group)
        shown = "a list" if str(type) == "list" else "`bool`" if str(type) == "bool" else "`u64`"
        yield names, f"{shown} | {doc}"


def function_rows() -> Iterator[tuple[str, str]]:
    for (takes, gives), group in groupby(FUNCTIONS.values(), lambda function: (function.takes, function.gives)):
        yield ", ".join(f"`{function.call}`" for function in group), f"{takes} | {gives}"


def with_tables(page: str) -> str:
    """The page with the rows as the vocabulary has them."""
    lines = page.split("\n")
    for head, owner, attributes in TABLES:
        _write(lines, head, rows(owner, attributes))
    _write(lines, "| function |", function_rows())
    return "\n".join(lines)


def _write(lines: list[str], head: str, rows: Iterator[tuple[str, str]]) -> None:
    (start,) = (number for number, line in enumerate(lines) if line.startswith(head))
    at = start + 1
    for name, rest in rows:
        end = lines.index("", start)
        row = f"| {name} | {rest.replace(' | ', chr(0), 1).replace('|', chr(92) + '|').replace(chr(0), ' | ')} |"
        found = [number for number in range(start, end) if lines[number].startswith(f"| {name} |")]
        if found:
            (at,) = found
            lines[at] = row
        else:
            at += 1
            lines.insert(at, row)
