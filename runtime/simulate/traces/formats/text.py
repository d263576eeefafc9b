"""Texts: a key a line."""

from __future__ import annotations

from cpol.runtime.simulate.traces.formats.format import Format, Lines
from cpol.runtime.simulate.traces.formats.keys import are_blocks


def _are_keys(text: Lines) -> bool:
    """Whether each line may be a key: a `*` among numbers is none."""
    return text.plain and not (b"*" in text.lines and are_blocks(text))


FORMAT = Format("text", "one key per line", holds="keys", suffixes=(".txt",), others=("txt",), lines=_are_keys)
