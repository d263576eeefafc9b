"""The full-screen view of `cpolc step`: the policy with the statements that ran, the event, the machine's state."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.coordinate import Coordinate
from textual.events import Resize
from textual.geometry import Region
from textual.widgets import DataTable, Footer, Input, Static

from cpol.cli.screen.app import CHANGED, QUIT, ScreenApp, plain
from cpol.runtime.explore.step import Session, Step, StepError, views
from cpol.runtime.explore.step.board import board
from cpol.runtime.explore.step.script import line_of
from cpol.runtime.explore.step.text import effects, libraries

WIDE = 120
"""Columns from which the state stands beside the policy."""
TURN = 0.05
"""Seconds that steps may take before the view looks for keys."""
RAN, HIT, PROBLEM, FOUND = "bold green", "bold red", "bold red", "reverse"


class Source(DataTable[Text]):
    """The policy's text, a row for each line. Enter is a command of the view."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "app.breakpoint", show=False)]


class StepScreen(ScreenApp):
    """Shows one step of a session at a time."""

    CSS = """
    #title { height: 1; background: $primary; color: $text; }
    #panes { layout: vertical; }
    Source { height: 9fr; border-bottom: solid $primary; scrollbar-size: 0 1; }
    #event { height: 6fr; border-bottom: solid $primary; scrollbar-size: 1 1; }
    #board { height: 7fr; scrollbar-size: 1 1; }
    #event:focus, #board:focus { background: $surface; }
    #ask { display: none; height: 1; border: none; padding: 0; }
    .-wide #panes { layout: grid; grid-size: 2 2; grid-columns: 3fr 2fr; grid-rows: 2fr 3fr; }
    .-wide Source { row-span: 2; height: 100%; border: none; border-right: solid $primary; }
    .-wide #event, .-wide #board { height: 100%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,space", "step(1)", "next", key_display="n"),
        Binding("b", "step(-1)", "back"),
        Binding("c", "run_on", "continue"),
        Binding("t", "breakpoint", "breakpoint"),
        Binding("g", "ask('event')", "go to"),
        Binding("f", "ask('folio')", "folio"),
        QUIT,
        Binding("escape", "stop", "stop", show=False, priority=True),
    ]

    def __init__(self, session: Session, source: Sequence[str], breakpoints: Collection[int]) -> None:
        super().__init__()
        self.session = session
        self.source = source
        self.breakpoints = set(breakpoints)
        self.found = ""
        """The folio that is followed, as it was typed."""
        self.asked = ""
        self.ran: set[int] = set()
        self.at = 0
        """The line of the test's step; 0: there is none."""
        self.under_way = self.stopped = False

    def compose(self) -> ComposeResult:
        yield Static(id="title")
        with Container(id="panes"):
            yield Source(show_header=False, cursor_type="row", cell_padding=0)
            with VerticalScroll(id="event"):
                yield Static(id="what")
            with VerticalScroll(id="board"):
                yield Static(id="state")
        yield Input(id="ask", compact=True)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        super().on_mount()
        table = self.query_one(Source)
        table.add_column("policy")
        for number in range(1, len(self.source) + 1):
            table.add_row(self.row(number))
        table.focus()
        self.draw(self.session.here())

    def on_resize(self, event: Resize) -> None:
        self.screen.set_class(event.size.width >= WIDE, "-wide")

    # What is shown.

    def row(self, number: int) -> Text:
        """A line with its marks: `*` a breakpoint, `>` a statement on it ran, `=` the test is here."""
        ran, stop = number in self.ran, number in self.breakpoints
        text = Text("*" if stop else " ", HIT)
        text.append(f"{'>' if ran else '=' if number == self.at else ' '}{number:>4}  ", RAN if ran else "dim")
        return text + plain(self.source[number - 1].rstrip(), RAN if ran else "")

    def draw_rows(self, numbers: Collection[int]) -> None:
        table = self.query_one(Source)
        for number in numbers:
            table.update_cell_at(Coordinate(number - 1, 0), self.row(number), update_width=True)

    def draw(self, step: Step) -> None:
        """Show a step."""
        session = self.session
        before = self.ran | {self.at}
        self.ran = {pos.line for pos in step.ran if not pos.file}
        self.at = line_of(session.script.items[step.number - 1]) if session.script.is_test and step.number else 0
        self.draw_rows((self.ran | {self.at} | before) - {0})
        self.scroll_to(self.ran or {self.at} - {0})
        self.draw_title(step.number)
        self.query_one("#what", Static).update(event_text(step))
        self.query_one("#event").scroll_home(animate=False)
        self.query_one("#state", Static).update(state_text(session, self.found))

    def scroll_to(self, lines: set[int]) -> None:
        """Show these lines, as far as there is room. The cursor goes to a breakpoint among them, or the first."""
        if not lines:
            return
        table = self.query_one(Source)
        table.move_cursor(row=min(lines & self.breakpoints or lines) - 1, scroll=False)
        rows = max(1, min(max(lines) - min(lines) + 1, table.scrollable_content_region.height))
        table.scroll_to_region(Region(0, min(lines) - 1, 1, rows), animate=False)

    def draw_title(self, number: int) -> None:
        session = self.session
        title = f" {session.policy.name}, {session.script.name}: event {number} of {session.last}"
        self.query_one("#title", Static).update(plain(title + (" …" if self.under_way else "")))

    def say(self, message: str) -> None:
        """Show a message in place of the title, up to the next event."""
        self.query_one("#title", Static).update(plain(f" {message}", PROBLEM))

    # Where to go.

    def action_step(self, count: int) -> None:
        session = self.session
        if self.under_way:
            return
        if count > 0 and session.over:
            self.say("the script ends here")
        elif count < 0 and session.position == 0:
            self.say("this is the start")
        else:
            self.draw(session.go(session.position + count))

    def action_run_on(self) -> None:
        if self.session.over:
            self.say("the script ends here")
        else:
            self.travel(self.session.last, self.breakpoints)

    def go(self, text: str) -> None:
        session = self.session
        if not (text.isascii() and text.isdecimal() and len(text) <= 18):
            raise StepError(f"{text!r} is not a number")
        number = int(text)
        if number > session.last:
            raise StepError(f"there is no event {number}; the last is {session.last}")
        if number < session.position:
            session.rewind(number)
        self.travel(number)

    def travel(self, number: int, lines: Collection[int] = ()) -> None:
        """Take steps to step `number` or to a breakpoint, and go on to look for keys: `escape` stops it."""
        if not self.under_way:
            self.under_way, self.stopped = True, False
            self.run_worker(self.steps(number, lines))

    async def steps(self, number: int, lines: Collection[int]) -> None:
        session, turn = self.session, time.monotonic() + TURN
        while not self.stopped and not session.advance(number, lines, most=4):
            if time.monotonic() > turn:
                self.draw_title(session.position)
                await asyncio.sleep(0.005)  # keys, signals and the screen have their turn
                turn = time.monotonic() + TURN
        self.under_way = False
        self.draw(session.here())

    def action_stop(self) -> None:
        """Stop what is under way; or else leave the question, or forget the folio."""
        ask = self.query_one("#ask", Input)
        if self.under_way:
            self.stopped = True
        elif ask.display:
            self.close(ask)
        elif self.found:
            self.found = ""
            self.draw(self.session.here())

    def action_breakpoint(self) -> None:
        """Set a breakpoint on the line under the cursor, or delete it."""
        number = self.query_one(Source).cursor_row + 1
        try:
            self.breakpoints ^= {number if number in self.breakpoints else self.session.check_line(number)}
        except StepError as error:
            self.say(str(error))
        else:
            self.draw_rows([number])

    # Questions.

    def action_ask(self, what: str) -> None:
        ask = self.query_one("#ask", Input)
        if self.under_way:
            return
        self.asked = what
        ask.value = ""
        ask.placeholder = {"event": "event: a number, 0 is the start", "folio": "folio: INDEX or FILE:INDEX"}[what]
        ask.display = True
        ask.focus()

    def on_input_submitted(self, answer: Input.Submitted) -> None:
        text = answer.value.strip()
        self.close(answer.input)
        try:
            if self.asked == "event":
                self.go(text)
                return
            if text:
                views.folio(self.session.machine, text)
        except StepError as error:
            self.say(str(error))
            return
        self.found = text
        self.draw(self.session.here())

    def close(self, ask: Input) -> None:
        ask.display = False
        self.query_one(Source).focus()


def event_text(step: Step) -> Text:
    """The event, what the policy decided, what changed, and what went wrong."""
    lines = [plain(step.event, "bold"), *map(plain, [*libraries(step.ran), *effects(step)])]
    if step.problem is not None:
        before = "this event cannot happen here: " if step.impossible else ""
        lines += [plain(line, PROBLEM) for line in (before + step.problem).split("\n")]
    return Text("\n").join(lines)


def state_text(session: Session, key: str) -> Text:
    """The folio that is followed, and the state; what changed stands out, and the folio's record, too."""
    found = views.named(key) if key else None
    lines = [plain(line, FOUND) for line in views.folio(session.machine, key)] if key else []
    for line in board(session):
        style = FOUND if found is not None and line.name == found else CHANGED if line.changed else ""
        lines.append(plain(line.text, style))
    return Text("\n").join(lines)
