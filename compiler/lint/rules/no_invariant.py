"""A policy without an invariant."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    policy = subject.policy
    if policy.invariants or not policy.evicts or not policy.lists:
        return
    sizes = " + ".join(f"{name}.size" for name in policy.lists)
    yield from subject.found(
        "L0102",
        subject.name,
        f"`{policy.name}` has no invariant",
        help=f"write what always holds, such as `invariant {sizes} == cache.size`",
    )
