"""Helpers for the tests of full-screen views: textual's pilot, without a terminal."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Awaitable, Callable
from typing import Any

from textual.app import App
from textual.pilot import Pilot


def lines(app: App[Any]) -> list[str]:
    """The screen as it would be drawn, without colours."""
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


def look(app: App[Any], script: Callable[[Pilot[Any]], Awaitable[None]], size: tuple[int, int] = (80, 24)) -> None:
    """Run a view without a terminal while `script` presses keys and looks."""

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await script(pilot)

    asyncio.run(run())


async def press(pilot: Pilot[Any], *keys: str) -> list[str]:
    """Press keys, wait until nothing is under way, and return the screen."""
    await pilot.press(*keys)
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    return lines(pilot.app)


def ends_cleanly(process: subprocess.Popen[bytes], master: int, shown: bytes) -> None:
    """Read on until a program in a terminal ends: it ends well, and leaves the screen that it entered."""
    try:
        while part := os.read(master, 65536):
            shown += part
    except OSError:  # the other end is closed
        pass
    assert process.wait(30) == 0
    os.close(master)
    enter, leave = b"\x1b[?1049h", b"\x1b[?1049l"
    assert shown.index(enter) < shown.index(leave) and b"Traceback" not in shown
