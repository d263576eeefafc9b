"""Heatmaps: which parts of a file were used when. Rows of time by columns of offsets; as lines of text, or as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from cpol.runtime.operate.observe.look import Heat, Look
from cpol.sizes import size

SHIFT = 4
"""Runs of 16 pages, 64 KiB, are told apart."""
PAGE = 4096
MOST_ROWS = 1024
"""Of time. When there are more, neighbours become one."""
LEVELS = 9
CELL_WIDTH, CELL_HEIGHT = 6, 4
MOST_COLUMNS = 120
"""Of offsets, in an SVG."""
COLOURS = ("#ffffff", "#ffffcc", "#ffeda0", "#fed976", "#feb24c", "#fd8d3c", "#fc4e2a", "#e31a1c", "#bd0026", "#800026")


@dataclass(frozen=True)
class Row:
    """The uses between two looks."""

    begin: float
    end: float
    """Seconds since the begin."""
    cells: dict[tuple[str, int], Heat]


class Heatmap:
    """The uses of runs of pages, by file and by the interval between looks."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._before: dict[tuple[str, int], Heat] = {}
        self._last = 0.0

    def add(self, look: Look, seconds: float) -> None:
        """Take a look, so many seconds after the begin."""
        grown: dict[tuple[str, int], Heat] = {}
        for cell, heat in look.cells.items():
            before = self._before.get(cell, Heat(0, 0))
            if heat != before:
                grown[cell] = Heat(heat.hits - before.hits, heat.misses - before.misses)
        self.rows.append(Row(self._last, seconds, grown))
        self._before, self._last = look.cells, seconds
        if len(self.rows) > MOST_ROWS:
            self.rows = [_joined(self.rows[at : at + 2]) for at in range(0, len(self.rows), 2)]

    def files(self) -> list[str]:
        """The files, the one with the most uses first."""
        uses: dict[str, int] = {}
        for (file, _), heat in self._before.items():
            uses[file] = uses.get(file, 0) + heat.hits + heat.misses
        return sorted(uses, key=lambda file: (-uses[file], file))

    def grid(self, file: str, columns: int) -> Grid:
        """The uses of a file: a row for each interval, at most so many columns of offsets."""
        runs = 1 + max((run for name, run in self._before if name == file), default=0)
        wide = max(1, math.ceil(runs / columns))
        used = math.ceil(runs / wide)
        hits = [[0] * used for _ in self.rows]
        misses = [[0] * used for _ in self.rows]
        for number, row in enumerate(self.rows):
            for (name, run), heat in row.cells.items():
                if name == file:
                    hits[number][run // wide] += heat.hits
                    misses[number][run // wide] += heat.misses
        return Grid([(row.begin, row.end) for row in self.rows], hits, misses, wide * PAGE << SHIFT)


def _joined(rows: Sequence[Row]) -> Row:
    cells: dict[tuple[str, int], Heat] = {}
    for row in rows:
        for cell, heat in row.cells.items():
            before = cells.get(cell, Heat(0, 0))
            cells[cell] = Heat(before.hits + heat.hits, before.misses + heat.misses)
    return Row(rows[0].begin, rows[-1].end, cells)


@dataclass(frozen=True)
class Grid:
    """Uses of the pages of one file, by time and offset."""

    times: list[tuple[float, float]]
    hits: list[list[int]]
    misses: list[list[int]]
    bytes: int
    """Of a column."""

    def uses(self) -> list[list[int]]:
        return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(self.hits, self.misses, strict=True)]


def level(uses: int, most: int) -> int:
    """0: none; else 1 to LEVELS, by the logarithm: LEVELS is that of the most uses."""
    if uses <= 0:
        return 0
    return LEVELS if uses >= most or most <= 1 else 1 + int((LEVELS - 1) * math.log(uses) / math.log(most))


def lines(grid: Grid, rows: int) -> list[str]:
    """The last rows as digits: the offset goes to the right, the time down. A dot: no use."""
    uses = grid.uses()
    most = max((number for row in uses for number in row), default=0)
    shown = []
    for (_, end), row, missed in list(zip(grid.times, uses, grid.misses, strict=True))[-rows:]:
        digits = "".join(str(level(number, most)) if number else "." for number in row)
        share = sum(missed) / sum(row) if sum(row) else 0.0
        shown.append(f"{end:8.1f} s {digits}" + (f" {share:4.0%} missed" if sum(missed) else ""))
    return shown


def svg(heatmap: Heatmap, files: Sequence[str], called: Callable[[str], str]) -> str:
    """The maps of files, one below the other: the time goes to the right, the offset down."""
    left, gap, top = 80, 60, 0
    parts: list[str] = []
    width = 400
    for file in files:
        grid = heatmap.grid(file, MOST_COLUMNS)
        uses = grid.uses()
        most = max((number for row in uses for number in row), default=0)
        columns = len(uses[0]) if uses else 0
        top += 30
        parts.append(f'<text x="{left}" y="{top - 8}">{escape(called(file))}: {_head(grid, most)}</text>')
        for at, row in enumerate(uses):
            for offset, number in enumerate(row):
                if number:
                    missed = grid.misses[at][offset]
                    x, y = left + at * CELL_WIDTH, top + offset * CELL_HEIGHT
                    parts.append(
                        f'<rect x="{x}" y="{y}" width="{CELL_WIDTH}" height="{CELL_HEIGHT}" '
                        f'fill="{COLOURS[level(number, most)]}"><title>{grid.times[at][1]:.1f} s, '
                        f"{size(offset * grid.bytes)}: {number} uses, {missed} misses</title></rect>"
                    )
        high, wide = columns * CELL_HEIGHT, len(uses) * CELL_WIDTH
        parts.append(f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" fill="none" stroke="#888"/>')
        parts.append(
            f'<text x="4" y="{top + 10}">0</text><text x="4" y="{top + high}">{size(columns * grid.bytes)}</text>'
        )
        if grid.times:
            parts.append(f'<text x="{left}" y="{top + high + 14}">0 s</text>')
            parts.append(f'<text x="{left + wide}" y="{top + high + 14}">{grid.times[-1][1]:.1f} s</text>')
        top += high + gap - 30
        width = max(width, left + wide + 80)
    style = "text { font: 11px monospace }"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top + 20}"><style>{style}</style>'
    return "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>", ""])


def _head(grid: Grid, most: int) -> str:
    hits, misses = (sum(map(sum, counts)) for counts in (grid.hits, grid.misses))
    return f"{hits:,} hits, {misses:,} misses; a cell is {size(grid.bytes)}; darkest: {most:,} uses"
