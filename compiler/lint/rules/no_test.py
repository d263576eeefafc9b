"""A policy without a test."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.policy.tests:
        yield from subject.found(
            "L0101",
            subject.name,
            f"`{subject.policy.name}` has no test",
            help="write `test NAME(capacity: 4) { access 1..5  expect cache.has(5) }`",
        )
