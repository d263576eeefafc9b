"""A policy, or a param, that nothing explains."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject
from cpol.compiler.syntax import ast


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.policy.doc:
        yield from subject.found(
            "L0103",
            subject.name,
            f"`{subject.policy.name}` has no doc comment",
            help="write `/// WHAT IT DOES` above `policy`",
        )
    for param in subject.items(ast.ParamDecl):
        if not param.doc:
            yield from subject.found(
                "L0103",
                param.name.span,
                f"the param `{param.name.text}` has no doc comment",
                help="write `/// WHAT IT DECIDES` behind it",
            )
