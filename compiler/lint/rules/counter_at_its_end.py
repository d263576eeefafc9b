"""A score of a counter that only goes up."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler import ir
from cpol.compiler.ir import walk
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject
from cpol.compiler.types import IntType

MOST_BITS = 16
"""A wider counter does not come to its end while a folio is cached."""


def check(subject: Subject) -> Iterator[Finding]:
    policy = subject.policy
    fns = {fn.name: fn for fn in policy.fns}
    scored = {name for score in policy.scores for name in _fields(score.body, fns)}
    for field in policy.fields:
        narrow = isinstance(field.type, IntType) and not field.type.signed and 1 < field.type.bits <= MOST_BITS
        sets = [each for each in subject.statements if isinstance(each, ir.SetField) and each.name == field.name]
        if narrow and field.name in scored and sets and all(_rises(each) for each in sets):
            yield from subject.found(
                "L0110",
                field.pos,
                f"`{field.name}` only goes up, and ends at {field.type.raw_range[1]:,}",
                why="folios that were popular once have the same score as those that are, and never go",
                help="halve it from time to time, or start anew where a folio moves",
            )


def _fields(expr: ir.Expr, fns: dict[str, ir.FnDecl]) -> Iterator[str]:
    for part in walk.walk(expr):
        if isinstance(part, ir.Field):
            yield part.name
        elif isinstance(part, ir.FnCall):
            for root in walk.fn_roots(fns[part.fn]):
                yield from _fields(root, fns)


def _rises(stmt: ir.SetField) -> bool:
    """Whether it adds to the field."""
    value = _bare(stmt.value)
    if not isinstance(value, ir.Arith) or value.op != "add":
        return False
    return any(isinstance(side, ir.Field) and side.name == stmt.name for side in map(_bare, (value.left, value.right)))


def _bare(expr: ir.Expr) -> ir.Expr:
    while isinstance(expr, ir.Convert):
        expr = expr.operand
    return expr
