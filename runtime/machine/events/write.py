"""Writes an event log."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

from cpol.compiler import comm
from cpol.compiler.ir import REASON
from cpol.compiler.vocabulary.folio import FOLIO_FLAGS
from cpol.runtime.machine.events.prefetch import FAULT_FLAGS, OUT_FLAGS, REQUEST_FLAGS
from cpol.runtime.machine.events.rows import DIRECTIONS, ENDS, FLUSHES, OF_GHOSTS, OF_RANGES, VERSION, Header, Op, Row


def format_row(row: Row, header: Header) -> str:
    """The line of `row`, without its newline."""
    op = Op(row.op)
    if op in (Op.EVICT, Op.TICK, Op.ROOM):
        return f"{op.label}\t{row.a}"
    if op is Op.RW:
        return f"rw\t{DIRECTIONS[row.a]}"
    if op is Op.ORIGIN:
        return f"origin\t{row.a}\t{row.b}"
    if op is Op.READERS:
        return f"readers\t{row.file}\t{row.a}"
    if op is Op.TASK:
        command = (row.file, row.page)
        return f"task\t{row.a}\t{row.b}" + (f"\t{comm.show(command)}" if command != comm.UNKNOWN else "")
    if op in _NUMBERS:
        return ("\t" if op.is_decision else "") + "\t".join([op.label, *_NUMBERS[op](row)])
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


def show_flags(flags: int, names: tuple[str, ...] = FOLIO_FLAGS) -> str:
    """The names of bits, from bit 0 on."""
    return ",".join(name for bit, name in enumerate(names) if flags >> bit & 1) or "none"


_NUMBERS: dict[Op, Callable[[Row], list[str]]] = {
    Op.AREA: lambda row: [str(row.file), str(row.a), str(row.b)],
    Op.SWAP: lambda row: [str(row.file), str(row.a), str(row.b)],
    Op.WINDOW: lambda row: [str(row.file), str(row.page), str(row.a), str(row.b)],
    Op.FAULT: lambda row: [str(row.page), str(row.a), show_flags(row.b, FAULT_FLAGS)],
    Op.PREFETCH: lambda row: [str(row.page), str(row.a)],
    Op.READAHEAD: lambda row: [str(row.file), str(row.page), str(row.a), show_flags(row.b, REQUEST_FLAGS)],
    Op.SLOT: lambda row: [str(row.page)],
    Op.PAGE: lambda row: [str(row.page)],
    Op.DEFAULT: lambda row: [],
    **dict.fromkeys(OF_RANGES, lambda row: [str(row.file), str(row.page), str(row.a)]),
    **{op: lambda row: [str(row.file)] for op, event in OF_RANGES.items() if event.whole},
    Op.DROP: lambda row: [],
    Op.FLUSH: lambda row: [FLUSHES[row.a]],
    Op.AHEAD: lambda row: [str(row.a)],
    Op.HOLD: lambda row: [],
    Op.RECLAIM: lambda row: [str(row.a)],
    Op.LEAVE_FILE: lambda row: [],
    Op.OUT: lambda row: [str(row.page), str(row.a), show_flags(row.b, OUT_FLAGS)],
}
"""The columns of events and decisions of prefetching, of which INDEX has those of a folio."""


def format_header(header: Header) -> str:
    """The lines of `header`."""
    arrays = [f"{name}[{length}]" for name, length in header.arrays]
    lines = [
        ("cpol-events", VERSION),
        ("policy", header.policy),
        ("lists", *header.plain_lists, *arrays),
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
