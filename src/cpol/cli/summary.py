"""The first sentence of a policy or library, read from its text: to compile all of them takes seconds."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

from cpol.compiler.doc.summary import summary_of


def summary(path: Path) -> str:
    """The first sentence of the doc comment at the head of a file of the standard library."""
    with path.open(encoding="utf-8") as file:
        lines = takewhile(lambda line: line.startswith("///"), file)
        return summary_of("".join(line.removeprefix("///") for line in lines))[0]
