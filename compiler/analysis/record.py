"""Checks the sizes of records of folios, ghosts, files and threads against the kernel's limits."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from cpol.compiler import ir
from cpol.compiler.check.record import WITH_ARTICLE
from cpol.compiler.check.symbols import GhostSym, Symbols
from cpol.compiler.contract import MAX_RECORD
from cpol.compiler.diagnostics import Report
from cpol.compiler.ir.layout import kernel_record, record, record_size

MAX_GHOST_BYTES = 16
"""Bytes of a ghost entry's record."""


def check_record(policy: ir.Policy, symbols: Symbols, report: Report) -> None:
    """Check the size of the records in a BPF object. Errors point at the first field beyond the limit."""

    def too_large(count: int) -> bool:
        part = replace(policy, fields=policy.fields[:count])
        return record_size(kernel_record(part)) > MAX_RECORD

    for ghost in policy.ghosts:
        _check_ghost(ghost, symbols, report)
    first = bisect_left(range(len(policy.fields) + 1), True, key=too_large)
    if first <= len(policy.fields):
        report.error(
            "E0214",
            symbols.fields[policy.fields[first - 1].name].span,
            f"the folio record is larger than {MAX_RECORD} bytes",
            label="this field no longer fits",
            why=f"the kernel keeps at most {MAX_RECORD} bytes for each folio",
            help="use narrower types, or fewer fields",
        )


def _check_ghost(ghost: ir.GhostDecl, symbols: Symbols, report: Report) -> None:
    """Check the size of a ghost's record."""
    folios = ghost.key == "folio"
    for count in range(1, len(ghost.fields) + 1):
        if record_size(record(ghost.fields[:count])) > MAX_GHOST_BYTES:
            symbol = symbols.names[ghost.name]
            assert isinstance(symbol, GhostSym)
            report.error(
                "E0220",
                symbol.fields[ghost.fields[count - 1].name].span,
                f"the record of {f'the ghost `{ghost.name}`' if folios else WITH_ARTICLE[ghost.name]} is larger "
                f"than {MAX_GHOST_BYTES} bytes",
                label="this field no longer fits",
                why=f"{'a ghost' if folios else 'the kernel'} keeps at most {MAX_GHOST_BYTES} bytes for each "
                f"{'entry' if folios else ghost.name}",
                help="use narrower types, or fewer fields",
            )
            return
