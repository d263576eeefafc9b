"""The input of stdlib/replay.cpol: a hash table of files, and the runs of pages that a recorded start touched of each.

    entry 0                   slots of the table
    entries 1 + 2i, 2 + 2i    slot i: the file's number, and the entry where its runs are; 0, 0: none
    there                     the number of runs, then each: 64 times its first page, plus its pages, 1 to 63

A file is in one of the NEAR slots from (number % slots) on, modulo the slots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

NEAR = 16
"""As in the policy."""
MAX_RUN = 63
MAX_PAGE = 1 << 56
"""Of a file: the runs of further ones do not fit into an entry."""


@dataclass(frozen=True)
class Start:
    """Entries of the input, and what they hold."""

    entries: list[int]
    files: int
    pages: int


def runs_of(pages: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Runs of neighbours, each with its first page and how many it has, of pages in order."""
    begin = 0
    for at in range(1, len(pages) + 1):
        if at == len(pages) or pages[at] != pages[at - 1] + 1 or at - begin == MAX_RUN:
            yield pages[begin], at - begin
            begin = at


def make(touched: Mapping[int, Sequence[int]]) -> Start:
    """The input for these pages, in order, of each file, by the numbers that policies know files by."""
    kept = {file: [page for page in pages if page < MAX_PAGE] for file, pages in touched.items() if file}
    slots = 2 * len(kept) or 1
    while (table := _table(sorted(kept), slots)) is None:
        slots = slots * 5 // 4 + 1
    entries = [slots, *([0] * 2 * slots)]
    for slot, file in table.items():
        entries[1 + 2 * slot : 3 + 2 * slot] = file, len(entries)
        runs = [64 * first + pages for first, pages in runs_of(kept[file])]
        entries += [len(runs), *runs]
    return Start(entries, len(kept), sum(map(len, kept.values())))


def _table(files: Sequence[int], slots: int) -> dict[int, int] | None:
    """The files by slot; None: one would be too far from its place."""
    table: dict[int, int] = {}
    for file in files:
        free = next((slot for k in range(NEAR) if (slot := (file + k) % slots) not in table), None)
        if free is None:
            return None
        table[free] = file
    return table
