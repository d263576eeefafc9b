"""The folio record: it has to fit beside each folio in the kernel."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from cpol.compiler import ir
from cpol.compiler.backend.layout import kernel_record, record_size
from cpol.compiler.diagnostics import Report
from cpol.compiler.symbols import Symbols

MAX_BYTES = 64


def check_record(policy: ir.Policy, symbols: Symbols, report: Report) -> None:
    """Check the size of the record as the kernel's side lays it out; points at the first field that is too much."""

    def too_large(count: int) -> bool:
        part = replace(policy, fields=policy.fields[:count])
        return record_size(kernel_record(part)) > MAX_BYTES

    first = bisect_left(range(len(policy.fields) + 1), True, key=too_large)
    if first <= len(policy.fields):
        report.error(
            "E0214",
            symbols.fields[policy.fields[first - 1].name].span,
            f"the folio record is larger than {MAX_BYTES} bytes",
            label="this field does not fit any more",
            why="the kernel keeps so much beside each folio",
            help="use narrower types, or fewer fields",
        )
