"""The full-screen view of `cpolc top`: a row for each policy, sorted by a column, and the row under the cursor."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.coordinate import Coordinate
from textual.events import Resize
from textual.widgets import DataTable, Footer, Static

from cpol.cli import rates
from cpol.cli.errors import CliError
from cpol.cli.rates import HEAD, LEFT
from cpol.cli.screen.app import QUIT, ScreenApp, plain
from cpol.runtime.operate.loader.rates import Interval, intervals, total
from cpol.runtime.operate.loader.statistics import Statistics

FIRST = (
    "CGROUP", "POLICY", "HIT%", rates.MEMORY, "EVICTED/s", "REFAULT/s", "FALLBACK/s", "PROGRAMS%", "ADDED/s",
    "ACCESSED/s", "REFUSED/s", "ADOPTED/s", rates.LISTS,
)  # fmt: skip
"""The columns in the order in which a wider terminal gains them."""
MARK = 2
"""Columns of the terminal for the mark of the order."""
ALL_LISTS = 64
"""Lists of the policy under the cursor that are shown by name."""


class TopScreen(ScreenApp):
    """Looks at the statistics each `interval` seconds.

    Args:
        look: reads the statistics.
        first: what it read before the view began.
    """

    CSS = """
    #title { height: 1; background: $primary; color: $text; }
    DataTable { height: 1fr; scrollbar-size: 1 1; }
    #one { height: 5; border-top: solid $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s,greater_than_sign", "sort(1)", "sort by next", key_display="s"),
        Binding("S,less_than_sign", "sort(-1)", "by previous", key_display="S"),
        Binding("r", "reverse", "reverse"),
        Binding("a", "all", "all columns"),
        QUIT,
    ]

    def __init__(self, look: Callable[[], list[Statistics]], first: list[Statistics], interval: float) -> None:
        super().__init__()
        self.look, self.interval = look, interval
        self.before, self.then = first, time.monotonic()
        self.rows: list[Interval] = []
        self.shown: list[Interval] = []
        self.columns: tuple[str, ...] = ()
        self.widths: list[int] = []
        self.by, self.falling, self.whole, self.busy = HEAD[0], False, False, False
        self.failure: CliError | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="title")
        yield DataTable[Text](cursor_type="row", fixed_columns=1)
        yield Static(id="one")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#title", Static).update(plain(f" cpolc top: the first rates in {self.interval:g} s"))
        self.set_interval(self.interval, self.begin)

    def begin(self) -> None:
        """Look, unless the look before takes that long. Keys work meanwhile."""
        if not self.busy:
            self.busy = True
            self.run_worker(self.sample())

    async def sample(self) -> None:
        """Look once, and show the rates since the look before."""
        try:
            after = await asyncio.to_thread(self.look)
        except CliError as error:
            self.failure = error
            self.exit()
            return
        finally:
            self.busy = False
        now = time.monotonic()
        self.rows = intervals(self.before, after, max(now - self.then, 1e-3))
        self.before, self.then = after, now
        self.draw()

    # What is shown.

    def on_resize(self, event: Resize) -> None:
        self.call_after_refresh(self.draw)

    def draw(self) -> None:
        """Show the rows in their order. The cursor stays with its policy."""
        table = self.query_one(DataTable)
        held = key(self.shown[table.cursor_row]) if table.cursor_row < len(self.shown) else None
        self.shown = ordered(self.rows, self.by, self.falling)
        if len(self.shown) > 1:
            self.shown.insert(0, total(self.shown))
        columns = HEAD if self.whole else fitting(self.shown, self.size.width, self.by)
        cells = [self.cells(row, columns) for row in self.shown]
        widths = [max(len(name) + MARK, *(len(row[place]) for row in cells), 0) for place, name in enumerate(columns)]
        if columns == self.columns:  # they only grow, so that columns stay where they are
            widths = [max(pair) for pair in zip(widths, self.widths, strict=True)]
        if (columns, widths, len(cells)) != (self.columns, self.widths, table.row_count):
            self.columns, self.widths = columns, widths
            table.clear(columns=True)
            table.fixed_rows = int(len(cells) > 1)
            for name, width in zip(columns, widths, strict=True):
                table.add_column(self.label(name), width=width)
            table.add_rows(cells)
        for name, column in zip(columns, table.ordered_columns, strict=True):
            column.label = self.label(name)
        for number, row in enumerate(cells):
            for place, cell in enumerate(row):
                if table.get_cell_at(Coordinate(number, place)) != cell:
                    table.update_cell_at(Coordinate(number, place), cell)
        places = [number for number, row in enumerate(self.shown) if key(row) == held]
        if places:
            table.move_cursor(row=places[0], scroll=False)
        order = "falling" if self.falling else "rising"
        head = f" cpolc top: each {self.interval:g} s, by {self.by} {order}" if self.shown else " no policy is attached"
        self.query_one("#title", Static).update(plain(head))
        self.draw_one()

    def label(self, name: str) -> Text:
        """The head of a column, with a mark if the rows are in its order."""
        mark = " ▼" if self.falling else " ▲"
        return Text(name + (mark if name == self.by else " " * MARK))

    def cells(self, row: Interval, columns: Sequence[str]) -> list[Text]:
        style = "bold" if row.source is None else ""
        room = max(16, self.size.width // 3)
        return [
            Text(ending(rates.cell(row, column), room) if column == "CGROUP" else rates.cell(row, column), style,
                 justify="left" if column in LEFT else "right")
            for column in columns
        ]  # fmt: skip

    def on_data_table_row_highlighted(self) -> None:
        self.draw_one()

    def draw_one(self) -> None:
        """The policy under the cursor: its cgroup's whole path, its lists by name."""
        table = self.query_one(DataTable)
        row = self.shown[table.cursor_row] if table.cursor_row < len(self.shown) else None
        lines = []
        if row is not None and row.source is not None:
            names = rates.lists(row.source, ALL_LISTS)
            lines = [row.cgroup, f"{row.policy}: {row.source.state}", *([f"pages on lists: {names}"] if names else [])]
        self.query_one("#one", Static).update(Text("\n").join(map(plain, lines)))

    # The order.

    def action_sort(self, step: int) -> None:
        """Sort by another column that is shown."""
        columns = self.columns or HEAD
        self.sort_by(columns[(columns.index(self.by) + step) % len(columns)])

    def action_reverse(self) -> None:
        self.falling = not self.falling
        self.draw()

    def action_all(self) -> None:
        self.whole = not self.whole
        self.draw()

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        column = self.columns[event.column_index]
        if column == self.by:
            self.action_reverse()
        else:
            self.sort_by(column)

    def sort_by(self, column: str) -> None:
        """Names rise and numbers fall, until the order is reversed."""
        self.by, self.falling = column, column not in LEFT
        self.draw()


def key(row: Interval) -> tuple[int, str] | None:
    """What a row keeps from one look to the next; None: the row of all together."""
    return None if row.source is None else (row.source.cgroup, row.source.policy)


def ordered(rows: Sequence[Interval], column: str, falling: bool) -> list[Interval]:
    """Rows by a column. Those without a value are the last in both orders."""
    if column in LEFT:
        return sorted(rows, key=lambda row: rates.cell(row, column), reverse=falling)
    having = [(value, row) for row in rows if (value := rates.number(row, column)) is not None]
    having.sort(key=lambda pair: pair[0], reverse=falling)
    return [row for _, row in having] + [row for row in rows if rates.number(row, column) is None]


def fitting(rows: Sequence[Interval], width: int, by: str) -> tuple[str, ...]:
    """The columns for which the terminal is wide enough; in any case the first and the one that orders rows."""
    room, chosen = width, set[str]()
    for column in dict.fromkeys((FIRST[0], by, *FIRST)):
        cells = [len(rates.cell(row, column)) for row in rows]
        need = min(max(cells, default=0), max(16, width // 3)) if column == "CGROUP" else max(cells, default=0)
        room -= max(need, len(column) + MARK) + 2
        if room < 0 and not {FIRST[0], by} - chosen:
            break
        chosen.add(column)
    return tuple(column for column in HEAD if column in chosen)


def ending(path: str, room: int) -> str:
    """The end of a path, which tells more than its beginning."""
    return path if len(path) <= room else "…" + path[1 - room :]
