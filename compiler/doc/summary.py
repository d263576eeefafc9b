"""The first sentence of a doc comment, and what follows it."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

SENTENCE_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bal)(?<!\bvs)[.!?](?=\s+[^\sa-z]|$)")
"""The end of a sentence, but not of a usual abbreviation."""


def summary_of(doc: str) -> tuple[str, list[str]]:
    """The first sentence of a doc comment, across lines, and the paragraphs after it.

    A sentence ends with its paragraph, or at a full stop, `!` or `?` before white space and no
    small letter.
    """
    first, *rest = _paragraphs(doc) or [""]
    end = SENTENCE_END.search(first)
    if end is None:
        return first, rest
    after = first[end.end() :].strip()
    return first[: end.end()], [after, *rest] if after else rest


def _paragraphs(text: str) -> list[str]:
    """Split text at empty lines and before lines such as `Source: …`."""
    parts: list[list[str]] = []
    for line in text.split("\n"):
        if not line.strip():
            parts.append([])
        elif not parts or re.match(r"[A-Z]\w+: ", line):
            parts.append([line.strip()])
        else:
            parts[-1].append(line.strip())
    return [" ".join(lines) for lines in parts if lines]


def summary(path: Path) -> str:
    """The first sentence of a policy or library, read from the doc comment at the head of its text: to compile all of
    the standard library takes seconds."""
    with path.open(encoding="utf-8") as file:
        lines = takewhile(lambda line: line.startswith("///"), file)
        return summary_of("".join(line.removeprefix("///") for line in lines))[0]
