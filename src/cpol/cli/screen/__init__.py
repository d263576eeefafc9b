"""Full-screen views, drawn by textual, which is optional. The modules of this package import it; this file does not."""

from __future__ import annotations

import importlib.util
import os
import sys

MISSING = "textual, which draws the full-screen view, is not installed: pip install textual"


def on_terminal() -> bool:
    """Whether all three streams are a terminal that can place text: textual reads stdin and draws on stderr."""
    terminals = all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    return terminals and os.environ.get("TERM", "dumb") not in ("dumb", "")


def installed() -> bool:
    """Whether textual is there; it is not imported."""
    return importlib.util.find_spec("textual") is not None
