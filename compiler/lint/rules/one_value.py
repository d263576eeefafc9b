"""A param that has one value."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject
from cpol.compiler.syntax import ast


def check(subject: Subject) -> Iterator[Finding]:
    declared = {item.name.text: item for item in subject.items(ast.ParamDecl)}
    for param in subject.policy.params:
        if param.low != param.high or param.name not in declared:
            continue
        item = declared[param.name]
        edits = subject.constant(item, subject.compiled.source.slice(item.default.span))
        yield from subject.found(
            "L0104",
            item.name.span,
            f"`{param.name}` can have one value only",
            help="make it a `const`, or widen its range",
            edits=edits,
        )
