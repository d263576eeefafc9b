"""A progress line for long commands, on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cpol.cli.errors import is_dumb
from cpol.cli.messages import wants_json

SECONDS = 0.2
"""Least time between two updates."""
CLEAR = "\r\x1b[K"


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Yields a function that shows a text on standard error, in place of the previous one.

    It updates at most once in SECONDS; an empty text clears the line at once, for other output. It does
    nothing if standard error is not a terminal or carries JSON.
    """
    if wants_json() or not sys.stderr.isatty() or is_dumb():
        yield lambda _: None
        return
    shown = 0.0

    def show(text: str) -> None:
        nonlocal shown
        if not text or time.monotonic() - shown >= SECONDS:
            sys.stderr.write(CLEAR + text)
            sys.stderr.flush()
            shown = time.monotonic()

    try:
        yield show
    finally:
        sys.stderr.write(CLEAR)
        sys.stderr.flush()
