"""A param that may have any value of its type."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject
from cpol.compiler.syntax import ast
from cpol.compiler.types import IntType, raw_range

LEAST_BITS = 16
"""All values of a narrower type may well make sense."""


def check(subject: Subject) -> Iterator[Finding]:
    declared = {item.name.text: item for item in subject.items(ast.ParamDecl)}
    for param in subject.policy.params:
        wide = isinstance(param.type, IntType) and param.type.bits >= LEAST_BITS
        if wide and param.name in declared and (max(param.low, 0), param.high) == (0, raw_range(param.type)[1]):
            yield from subject.found(
                "L0118",
                declared[param.name].name.span,
                f"`{param.name}` may have any value of `{param.type}`",
                why="its range keeps no value out, neither for users nor for `cpolc tune`",
                help="write the values that make sense: `in LOWEST..HIGHEST`",
            )
