"""A condition of constants."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler import ir
from cpol.compiler.ir import walk
from cpol.compiler.ir.evaluate import evaluate
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject

COMPUTED = (ir.Const, ir.Compare, ir.Logic, ir.Not, ir.Convert, ir.Arith, ir.Bits, ir.Math, ir.Select)
"""What `evaluate` knows without params."""


def check(subject: Subject) -> Iterator[Finding]:
    """W0406 tells of comparisons that ranges decide; it spares those of constants alone."""
    for each in subject.statements:
        if isinstance(each, ir.If) and all(isinstance(part, COMPUTED) for part in walk.walk(each.cond)):
            holds = bool(evaluate(each.cond, {}))
            yield from subject.found(
                "L0116",
                each.pos,
                f"this condition {'always' if holds else 'never'} holds",
                why="it has constants in it, and nothing else",
                help="write only the part that runs, or make one of the constants a `param`",
            )
