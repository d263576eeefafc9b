"""A long loop in what runs for each request."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler.diagnostics.source import Pos
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import HOT, Subject

MOST_ROUNDS = 64
"""Rounds of a loop that a request may well take. A sketch has four or eight."""


def check(subject: Subject) -> Iterator[Finding]:
    told = set[Pos]()  # one handler may serve several events
    for event in HOT:
        for loop in subject.bounds.loops.get(event, []):
            if loop.kind == "for" and loop.each > MOST_ROUNDS and loop.pos not in told:
                told.add(loop.pos)
                yield from subject.found(
                    "L0113",
                    loop.pos,
                    f"up to {loop.each:,} rounds for each `{event}`",
                    why=f"its rounds are {loop.formula}, with the defaults of params and a cache of 1 GiB",
                    help="do this work in `every 1000 events`, or bound the loop",
                )
