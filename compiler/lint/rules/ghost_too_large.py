"""A ghost that remembers more than the cache holds."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler.analysis.upper_bound import strip_parens
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import CAPACITY, Subject


def check(subject: Subject) -> Iterator[Finding]:
    for ghost in subject.policy.ghosts:
        most = subject.setting.ghosts[ghost.name]
        if ghost.key == "folio" and most.raw > CAPACITY:
            yield from subject.found(
                "L0107",
                ghost.pos,
                f"`{ghost.name}` remembers more folios than the cache holds",
                why=f"its capacity is {strip_parens(most.text)}: {most.raw / CAPACITY:.3g} entries for each page, with "
                "the defaults",
                help="write `capacity: cache.capacity`, or say which paper wants more",
            )
