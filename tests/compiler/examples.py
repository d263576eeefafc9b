"""Wrap declarations into policies, for tests."""

from __future__ import annotations

import re

FIRST_LIST = "list queue\n"
ADDED = "on added(f) { place f at tail of queue }\n"
EVICT = "on evict { scan queue from head as f { evict f } }\n"


def wrap(snippet: str) -> str:
    """Return a whole policy around `snippet`, which may already be one or have some of the handlers."""
    if re.match(r"\s*(///.*\s+)*(policy|library)\b", snippet):
        return snippet + "\n"
    added = "" if re.search(r"\bon added\b", snippet) else ADDED
    evict = "" if re.search(r"\bon evict\b", snippet) else EVICT
    return f"policy example {{\n{FIRST_LIST}{snippet}\n{added}{evict}}}\n"
