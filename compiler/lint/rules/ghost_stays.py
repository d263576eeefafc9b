"""A ghost whose entries stay when their folios come back."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler import ir
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    taken = {each.ghost for each in subject.expressions if isinstance(each, ir.GhostTake)}
    taken |= {each.ghost for each in subject.statements if isinstance(each, ir.GhostDrop)}
    asked = {each.ghost for each in subject.expressions if isinstance(each, ir.GhostHas)}
    for ghost in subject.policy.ghosts:
        if ghost.key == "folio" and not ghost.fields and ghost.name in asked - taken:
            yield from subject.found(
                "L0108",
                ghost.pos,
                f"`{ghost.name}` keeps the entry of a folio that came back",
                why="the entry takes the place of one that is still of use",
                help=f"write `{ghost.name}.take(f)` in `on added`, in place of `{ghost.name}.has(f)`",
            )
