"""A scan in `on evict` that looks at a whole list, and evicts nothing of it."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler import ir
from cpol.compiler.ir import walk
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    handler = subject.policy.handlers.get("evict")
    for each in walk.statements(() if handler is None else handler.body):
        if not isinstance(each, ir.Scan) or each.bound is not None:
            continue
        if not any(isinstance(inner, ir.Evict | ir.EvictByScore | ir.Stop) for inner in walk.statements(each.body)):
            yield from subject.found(
                "L0112",
                each.pos,
                f"each request looks at all of `{each.list.name}`, and evicts nothing there",
                why="a scan ends early where it evicts enough, or at `stop`",
                help="give it a bound, such as `up to 32`, or move this work to `every 1000 events`",
            )
