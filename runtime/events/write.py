"""Writes an event log."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from cpol.compiler import comm
from cpol.compiler.ir import REASON
from cpol.compiler.types import FOLIO_FLAGS
from cpol.runtime.events.rows import DIRECTIONS, ENDS, OF_GHOSTS, VERSION, Header, Op, Row


def format_row(row: Row, header: Header) -> str:
    """The line of `row`, without its newline."""
    op = Op(row.op)
    if op in (Op.EVICT, Op.TICK):
        return f"{op.label}\t{row.a}"
    if op is Op.RW:
        return f"rw\t{DIRECTIONS[row.a]}"
    if op is Op.ORIGIN:
        return f"origin\t{row.a}\t{row.b}"
    if op is Op.TASK:
        command = (row.file, row.page)
        return f"task\t{row.a}\t{row.b}" + (f"\t{comm.show(command)}" if command != comm.UNKNOWN else "")
    words = [op.label, str(row.file), str(row.page)]
    if op is Op.ADDED:
        words.append(str(row.a))
    elif op is Op.REMOVED:
        words.append(REASON.members[row.a])
    elif op in (Op.PLACE, Op.MOVE):
        words += [header.list_label(row.a), ENDS[row.b]]
    elif op is Op.FLAGS:
        words.append(show_flags(row.a))
    elif op in OF_GHOSTS:
        words.append(header.ghosts[row.a])
    return ("\t" if op.is_decision else "") + "\t".join(words)


def show_flags(flags: int) -> str:
    """The names of bits of FOLIO_FLAGS."""
    return ",".join(name for bit, name in enumerate(FOLIO_FLAGS) if flags >> bit & 1) or "none"


def format_header(header: Header) -> str:
    """The lines of `header`."""
    array = [f"{header.lists[-1]}[{header.array_length}]"] if header.array_length else []
    lines = [
        ("cpol-events", VERSION),
        ("policy", header.policy),
        ("lists", *header.plain_lists, *array),
        ("ghosts", *header.ghosts),
        ("capacity", str(header.capacity)),
        ("batch", str(header.batch)),
        ("decisions", "yes" if header.decisions else "no"),
        ("seed", str(header.seed)),
        *(("param", name, value) for name, value in header.params.items()),
        *(("input", *setting) for setting in header.inputs),
    ]
    return "".join("\t".join(words) + "\n" for words in lines)


def write(out: TextIO, header: Header, rows: Iterable[Row]) -> None:
    """Write a log; decisions only if the header says so."""
    out.write(format_header(header))
    for row in rows:
        if header.decisions or not Op(row.op).is_decision:
            out.write(format_row(row, header) + "\n")


def save(path: Path, header: Header, rows: Iterable[Row]) -> None:
    """Write a log to a file.

    Raises:
        OSError: it cannot be written.
    """
    with path.open("w", encoding="utf-8", newline="\n") as out:
        write(out, header, rows)
