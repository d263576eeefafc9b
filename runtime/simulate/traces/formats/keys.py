"""Texts whose lines are keys or numbers, and what they may be."""

from __future__ import annotations

import re

from cpol.runtime.simulate.traces.formats.format import Lines

NUMBER = re.compile(rb"[0-9]{1,20}")
_TIME = re.compile(rb"[0-9]*\.?[0-9]*")


def is_time(word: bytes) -> bool:
    return bool(_TIME.fullmatch(word)) and word not in (b"", b".")


def are_blocks(text: Lines) -> bool:
    """Whether each line is a number, or the `*` of a LIRS trace."""
    return text.plain and all(line == b"*" or NUMBER.fullmatch(line) for line in text.lines)
