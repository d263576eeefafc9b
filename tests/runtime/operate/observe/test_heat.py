"""Heatmaps of files: rows of time, columns of offsets, levels."""

from __future__ import annotations

from xml.etree import ElementTree

from cpol.runtime.operate.observe.heat import LEVELS, MOST_ROWS, Heatmap, level, lines, svg
from cpol.runtime.operate.observe.look import Counts, Heat, Look
from cpol.sizes import size

A, B = "8:1:5", "8:1:6"


def look(cells: dict[tuple[str, int], tuple[int, int]]) -> Look:
    heat = {cell: Heat(*uses) for cell, uses in cells.items()}
    return Look(0, False, 0, 0, 0, Counts(), Counts(), Counts(), {}, {}, {}, heat, 0)


def seen() -> Heatmap:
    heatmap = Heatmap()
    heatmap.add(look({(A, 0): (0, 2)}), 1)
    heatmap.add(look({(A, 0): (1, 2), (A, 3): (6, 4), (B, 0): (1, 0)}), 3)
    heatmap.add(look({(A, 0): (1, 2), (A, 3): (6, 4), (B, 0): (1, 0)}), 4)
    return heatmap


def test_rows_hold_what_came_since_the_row_before() -> None:
    heatmap = seen()
    assert heatmap.files() == [A, B]
    grid = heatmap.grid(A, 100)
    assert grid.uses() == [[2, 0, 0, 0], [1, 0, 0, 10], [0, 0, 0, 0]]
    assert grid.misses == [[2, 0, 0, 0], [0, 0, 0, 4], [0, 0, 0, 0]]
    assert grid.times == [(0, 1), (1, 3), (3, 4)] and grid.bytes == 64 << 10


def test_columns_are_as_wide_as_they_must_be() -> None:
    grid = seen().grid(A, 2)
    assert grid.uses() == [[2, 0], [1, 10], [0, 0]] and grid.bytes == 128 << 10


def test_lines() -> None:
    shown = lines(seen().grid(A, 100), 2)
    assert [line.split() for line in shown] == [["3.0", "s", "1..9", "36%", "missed"], ["4.0", "s", "...."]]


def test_levels_are_logarithms() -> None:
    assert [level(uses, 65_536) for uses in (0, 1, 16, 256, 4096, 65_536)] == [0, 1, 3, 5, 7, LEVELS]
    assert level(1, 1) == LEVELS


def test_sizes_have_the_largest_unit_of_which_there_is_one() -> None:
    numbers = (4096, 3 << 20, 0, 1732 * 4096, 5 << 50)
    assert [size(number) for number in numbers] == ["4 KiB", "3 MiB", "0 B", "6.766 MiB", "5,120 TiB"]


def test_time_has_a_bound() -> None:
    heatmap = Heatmap()
    for number in range(MOST_ROWS + 1):
        heatmap.add(look({(A, 0): (number, 0)}), number)
    assert len(heatmap.rows) == MOST_ROWS // 2 + 1
    assert sum(row[0] for row in heatmap.grid(A, 1).uses()) == MOST_ROWS
    assert heatmap.rows[0].begin == 0 and heatmap.rows[-1].end == MOST_ROWS


def test_svg_is_xml_with_a_rectangle_for_each_used_cell() -> None:
    text = svg(seen(), [A, B], lambda file: f"<{file}>")
    tree = ElementTree.fromstring(text)
    titles = [title.text or "" for title in tree.iter("{http://www.w3.org/2000/svg}title")]
    assert titles == [
        "1.0 s, 0 B: 2 uses, 2 misses",
        "3.0 s, 0 B: 1 uses, 0 misses",
        "3.0 s, 192 KiB: 10 uses, 4 misses",
        "3.0 s, 0 B: 1 uses, 0 misses",
    ]
    assert "&lt;8:1:5&gt;: 7 hits, 6 misses; a cell is 64 KiB" in text


def test_svg_of_nothing_is_xml() -> None:
    ElementTree.fromstring(svg(Heatmap(), [], str))
