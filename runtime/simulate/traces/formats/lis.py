"""The traces of the ARC paper's authors: a range of blocks a line."""

from __future__ import annotations

from cpol.runtime.simulate.traces.formats.format import Format
from cpol.runtime.simulate.traces.separators import is_ranges

FORMAT = Format(
    "lis",
    "ARC's ranges of blocks: start, count, 0, number",
    carries=frozenset(("page",)),
    holds="ranges",
    suffixes=(".lis",),
    lines=lambda text: text.plain and is_ranges(text.lines),
)
