"""What a kernel cannot do for the policy."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler.analysis.profile import refusals
from cpol.compiler.diagnostics.source import Pos
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    told = set[tuple[Pos, str]]()  # what one kernel lacks, another may lack, too
    for profile in subject.profiles:
        for refusal in refusals(subject.policy, profile, subject.setting):
            if (refusal.pos, refusal.what) in told:
                continue
            told.add((refusal.pos, refusal.what))
            yield from subject.found(
                "L0115",
                refusal.pos,
                f"{refusal.what}, but the {profile.kind} {profile.name} {refusal.why}",
                help=f"say which kernel it is for, or {refusal.help}",
            )
