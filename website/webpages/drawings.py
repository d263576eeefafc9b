"""Curves and bars as SVG, in the colours of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 320, 52, 16, 12, 44
ROW, LABEL, VALUE = 24, 290, 90
DASHES = ("", "7 3", "2 3")

Points = Sequence[tuple[int, float]]


def curves(lines: Mapping[str, Points], what: str) -> str:
    """Lines of capacities and shares, with a legend. `what` describes the drawing to who does not see it."""
    most = max(capacity for points in lines.values() for capacity, _ in points)

    def x(capacity: float) -> float:
        return round(LEFT + capacity / most * (WIDTH - LEFT - RIGHT), 1)

    def y(share: float) -> float:
        return round(TOP + (1 - share) * (HEIGHT - TOP - BOTTOM), 1)

    parts = []
    for percent in (0, 25, 50, 75, 100):
        at = y(percent / 100)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{at + 4}" text-anchor="end">{percent} %</text>')
    for step in range(1, 6):
        at = x(most * step / 5)
        parts.append(f'<text x="{at}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{most * step // 5}</text>')
    middle = (LEFT + WIDTH - RIGHT) // 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">capacity in pages</text>')
    for number, (name, points) in enumerate(lines.items()):
        places = " ".join(f"{x(capacity)},{y(share)}" for capacity, share in points)
        style = f'class="curve curve-{number}" stroke-dasharray="{DASHES[number % len(DASHES)]}"'
        parts.append(f'<polyline {style} points="{places}"/>')
        row = TOP + 14 + 20 * number
        parts.append(f'<line {style} x1="{WIDTH - 190}" x2="{WIDTH - 150}" y1="{row}" y2="{row}"/>')
        parts.append(f'<text x="{WIDTH - 142}" y="{row + 4}">{escape(name)}</text>')
    return _drawing(WIDTH, HEIGHT, what, parts)


def bars(rows: Sequence[tuple[str, float]], unit: str, what: str) -> str:
    """A bar for each row, with its value."""
    most = max(value for _, value in rows)
    room = WIDTH - LABEL - VALUE
    parts = []
    for number, (name, value) in enumerate(rows):
        top = number * ROW
        width = round(max(0.0, value) / most * room, 1) if most > 0 else 0
        parts.append(f'<text x="{LABEL - 8}" y="{top + 16}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect class="bar" x="{LABEL}" y="{top + 4}" width="{width}" height="{ROW - 8}"/>')
        parts.append(f'<text x="{LABEL + width + 6}" y="{top + 16}">{shown(value)} {escape(unit)}</text>')
    return _drawing(WIDTH, ROW * len(rows), what, parts)


def shown(value: float) -> str:
    """A value with as many digits as say something."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 1 else 2
    return f"{round(value, digits) + 0.0:,.{digits}f}"  # + 0.0: no -0.00


def _drawing(width: int, height: int, what: str, parts: Sequence[str]) -> str:
    opening = f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img" aria-label="{escape(what)}">'
    return f'<div class="drawing">{opening}{"".join(parts)}</svg></div>'
