"""What the full-screen views share."""

from __future__ import annotations

import asyncio
import signal
from typing import ClassVar

from rich.text import Text
from textual.app import App
from textual.binding import Binding, BindingType

from cpol.printable import shown

CHANGED = "bold yellow"
QUIT = Binding("q", "quit", "quit")
"""Stands last in a view's own keys."""


def plain(text: str, style: str = "") -> Text:
    """A line of text that others chose: no markup, and escapes for what a terminal would obey."""
    return Text(shown(text.expandtabs(4), keep=""), style)


class ScreenApp(App[None]):
    """A view that Ctrl-C, SIGINT and SIGTERM end as `q` does, with the terminal as it was."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "quit", show=False, priority=True)]

    def on_mount(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.exit)
