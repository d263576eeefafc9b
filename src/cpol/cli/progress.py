"""How far a long command is, on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cpol.cli.messages import wants_json

SECONDS = 0.2
"""Between two lines."""
CLEAR = "\r\x1b[K"


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Call the result with what is going on: it shows that on standard error, one text over the other, not more often
    than each SECONDS. Where standard error is no terminal, or has to be JSON, it does nothing."""
    if wants_json() or not sys.stderr.isatty():
        yield lambda _: None
        return
    shown = 0.0

    def show(text: str) -> None:
        nonlocal shown
        if time.monotonic() - shown >= SECONDS:
            sys.stderr.write(CLEAR + text)
            sys.stderr.flush()
            shown = time.monotonic()

    try:
        yield show
    finally:
        sys.stderr.write(CLEAR)
        sys.stderr.flush()
