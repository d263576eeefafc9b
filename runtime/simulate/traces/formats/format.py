"""What is known of a trace format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from cpol.runtime.simulate.traces.columns import Columns
from cpol.runtime.simulate.traces.lines import LineReader


class Lines(NamedTuple):
    """The first lines of a text that are whole and not blank, and their columns between commas, without a heading."""

    lines: list[bytes]
    rows: list[list[bytes]]

    @property
    def plain(self) -> bool:
        """Whether no line has columns."""
        return all(len(row) == 1 for row in self.rows)


class Format(NamedTuple):
    """A trace format.

    One of text needs `lines` or `begins`, and `reader`, which makes lines of CSV of its lines. Formats that the parser
    in C reads need `layout`, the layouts of parser.py and requests.h.
    """

    name: str
    doc: str
    carries: frozenset[str] = frozenset()
    """What its requests tell of a folio's surroundings: of file, page, thread, process, comm, time, rw."""
    paged: frozenset[str] = frozenset()
    """What they tell besides if they are cut into pages."""
    sized: bool = False
    """Whether it has the sizes of objects."""
    binary: bool = False
    holds: Literal["", "keys", "ranges"] = ""
    """Lines without a word on what they are: each may be a key. Contents alone cannot tell them apart."""

    # How it is recognised
    suffixes: tuple[str, ...] = ()
    part: str = ""
    """A part of the names of its files."""
    others: tuple[str, ...] = ()
    """What other programs call it."""
    begins: bytes = b""
    """What all files of it begin with, and none of another."""
    records: Callable[[bytes], bool] | None = None
    """Whether the beginning of a binary file is of it."""
    lines: Callable[[Lines], bool] | None = None
    """Whether the beginning of a text is of it."""

    # How it is read
    layout: Callable[[Path, bytes], str] | None = None
    """The layout of a file with such a beginning, as the parser in C calls it. None: that of its name."""
    header: int = 0
    """Bytes before the first record."""
    check: Callable[[Path, bytes], None] | None = None
    """Refuses a beginning that it must not have, by a TraceError."""
    columns: Columns | None = None
    """Where its columns are: it is CSV."""
    reader: Callable[[], LineReader] | None = None
    """Reads its lines."""
    cut: bool = False
    """Whether its requests are always cut into pages."""
