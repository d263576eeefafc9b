"""The traces of the LIRS paper's authors: a block number a line."""

from __future__ import annotations

from cpol.runtime.simulate.traces.formats.format import Format
from cpol.runtime.simulate.traces.formats.keys import are_blocks

FORMAT = Format(
    "lirs",
    "one block number per line; lines of * are skipped",
    carries=frozenset(("page",)),
    holds="keys",
    suffixes=(".trace", ".lirs"),
    lines=are_blocks,
)
