"""A sample that grows with the cache."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler import ir
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    for each in subject.statements:
        if isinstance(each, ir.EvictByScore) and subject.grows(each.bound):
            yield from subject.found(
                "L0111",
                each.pos,
                f"the sample of `{each.score}` grows with the cache",
                why="each eviction computes a score for each folio of it; the kernel ends a scan after 65,536 steps",
                help="write `up to 16 * evict.wanted`, or another bound without `cache.capacity`",
            )
