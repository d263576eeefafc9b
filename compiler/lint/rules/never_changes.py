"""A state that nothing assigns to."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler import ir
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject
from cpol.compiler.syntax import ast


def check(subject: Subject) -> Iterator[Finding]:
    changed = {each.name for each in subject.statements if isinstance(each, ir.SetState)}
    read = {each.name for each in subject.expressions if isinstance(each, ir.State)}
    for item in subject.items(ast.StateDecl):
        if item.name.text in read - changed:
            value = subject.compiled.source.slice(item.init.span)
            yield from subject.found(
                "L0105",
                item.name.span,
                f"nothing assigns to `{item.name.text}`",
                why=f"it is {value} as long as the policy runs",
                help="make it a `const`, or a `param` if users should choose it",
                edits=subject.constant(item, value),
            )
