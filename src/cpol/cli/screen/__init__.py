"""Full-screen views, drawn by textual, which is optional. The modules of this package import it; this file does not."""

from __future__ import annotations

import importlib.util
import os
import sys
from contextlib import suppress

OLDEST = 8
"""The first version of textual that has what the views use."""
MISSING = f"textual {OLDEST} or newer, which draws the full-screen view, is not installed: pip install textual"


def on_terminal() -> bool:
    """Whether all three streams are a terminal that can place text: textual reads stdin and draws on stderr."""
    terminals = all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    return terminals and os.environ.get("TERM", "dumb") not in ("dumb", "")


def installed() -> bool:
    """Whether textual is there, and new enough; it is not imported."""
    if importlib.util.find_spec("textual") is None:
        return False
    from importlib import metadata  # slow to import, and most commands have no view

    with suppress(metadata.PackageNotFoundError, ValueError):
        return int(metadata.version("textual").partition(".")[0]) >= OLDEST
    return False
