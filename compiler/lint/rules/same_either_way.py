"""An `if` whose branches do the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from cpol.compiler import ir
from cpol.compiler.diagnostics.source import Pos
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    for each in subject.statements:
        if isinstance(each, ir.If) and each.then and same(each.then, each.orelse):
            yield from subject.found(
                "L0117",
                each.pos,
                "both branches of this `if` do the same",
                help="write it once, without a condition, or mend the branch that was copied",
            )


def same(left: object, right: object) -> bool:
    """Whether two parts of the IR are equal, apart from their places."""
    if type(left) is not type(right):
        return False
    if isinstance(left, Pos):
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if is_dataclass(left) and not isinstance(left, type):
        return all(same(getattr(left, each.name), getattr(right, each.name)) for each in fields(left))
    return left == right
