"""A ghost that remembers folios of deleted files."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler import ir
from cpol.compiler.ir import walk
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    handler = subject.policy.handlers.get("removed")
    if handler is None:
        return
    if handler.why is not None and any(walk.reads_local(each, handler.why) for each in handler.body):
        return
    for each in walk.statements(handler.body):
        if isinstance(each, ir.GhostAdd):
            yield from subject.found(
                "L0109",
                each.pos,
                f"`{each.ghost}` remembers folios of deleted files, too",
                why="`on removed` runs whatever the reason; what was truncated never comes back",
                help=f"write `on removed(f, why) {{ if why == evicted {{ {each.ghost}.add(f) }} }}`",
            )
