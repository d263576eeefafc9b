"""A step as text."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from itertools import groupby

from cpol.compiler import ir
from cpol.runtime.explore.step.session import Step

WIDTH = 110
INDENT = 6
MOST_DECISIONS = 24
"""Decisions of one event that are shown in full. A scan may make thousands."""


def as_text(step: Step, source: Sequence[str], statements: Collection[ir.Pos]) -> str:
    """The event, the lines of the policy that ran, the decisions, what changed, and what went wrong."""
    out = [f"{step.number:>4}  {step.event}"]
    out += [_indented(text) for text in lines_that_ran(step.ran, source, statements)]
    out += [_indented(text) for text in effects(step)]
    if step.problem is not None and not step.impossible:
        out.append(textwrap.indent(step.problem, " " * INDENT))
    return "\n".join(out)


def effects(step: Step) -> list[str]:
    """What the policy decided, what the log has instead, and what changed."""
    out = []
    if step.decisions:
        out.append(f"decides: {shorten_decisions(step.decisions)}")
    if step.differs is not None:
        out.append(f"the log has other decisions: {shorten_decisions(step.differs) or 'none'}")
    return out + step.changes


def lines_that_ran(ran: Sequence[ir.Pos], source: Sequence[str], statements: Collection[ir.Pos]) -> list[str]:
    """Each line with a statement that ran. If others on it did not run, the columns of those that did."""
    lines = []
    own = [pos for pos in ran if not pos.file]
    for number, group in groupby(own, key=lambda pos: pos.line):
        columns = [pos.column for pos in group]
        partly = len(columns) < sum(pos.line == number and not pos.file for pos in statements)
        at = f" at {', '.join(map(str, columns))}" if partly else ""
        lines.append(f"line {number}{at}: {source[number - 1].strip()}")
    return lines + libraries(ran)


def libraries(ran: Sequence[ir.Pos]) -> list[str]:
    """The lines of libraries with a statement that ran, in one row."""
    elsewhere = dict.fromkeys(f"{pos.prefix}{pos.line}" for pos in ran if pos.file)
    return [f"libraries: {', '.join(elsewhere)}"] if elsewhere else []


def shorten_decisions(decisions: list[str]) -> str:
    """Decisions in a row; of many, the first and the last."""
    if len(decisions) <= MOST_DECISIONS:
        return ", ".join(decisions)
    few = MOST_DECISIONS // 2
    return ", ".join([*decisions[:few], f"… {len(decisions) - 2 * few} more …", *decisions[-few:]])


def _indented(text: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=" " * INDENT, subsequent_indent=" " * (INDENT + 4),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
