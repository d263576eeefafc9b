"""The row of values that a case of a test has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Span

MAX_COPIED = 20_000
"""Limit for the words and signs of the steps and values that all cases but the first of each test have together."""


@dataclass
class Row:
    """The values of a case, as nodes of the parse tree by name, and which names its steps have.

    `left` is how many words and signs may still be copied.
    """

    cells: dict[str, list[Any]]
    left: int = MAX_COPIED
    used: set[str] = field(default_factory=set)


def say_too_many(span: Span, report: Report) -> None:
    """Report cases whose copies of steps are too long."""
    message = f"the steps of all cases come to more than {MAX_COPIED} words and signs"
    report.error(
        "E0007", span, message, why="each case has all steps, and its values in them", help="write fewer cases"
    )
