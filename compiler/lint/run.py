"""All rules on one policy, and the text without what can be mended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from cpol.compiler.analysis.profile import Profile
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.diagnostics.edit import apply
from cpol.compiler.lint.allow import UNREADABLE, UNUSED, silenced
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.rules import RULES
from cpol.compiler.lint.subject import Subject
from cpol.compiler.stages import Compilation, run
from cpol.compiler.syntax.parse import deep_stack

CODES = (*RULES, UNUSED, UNREADABLE)
"""The codes of all findings, in their order."""

MOST_PASSES = 1000
"""Of `mended`: each pass mends one finding, and looks anew."""


def lint(compiled: Compilation, profiles: Sequence[Profile] = ()) -> list[Finding]:
    """What the rules find, in the order of the text, with what comments silence. `profiles`: kernels to run on."""
    with deep_stack():
        subject = Subject(compiled, profiles)
        found = list(chain.from_iterable(rule(subject) for rule in RULES.values()))
        found = silenced(found, compiled.source, tuple(RULES))
    return sorted(found, key=_order)


def mended(
    text: str, path: str, profiles: Sequence[Profile] = (), libraries: Mapping[str, str] | None = None
) -> tuple[str, int]:
    """The text after the edits of its findings, and how many there were. One that would not compile is left out.

    Raises:
        CompileError: the text has errors.
    """
    count = 0
    compiled = run(text, path, libraries)
    for _ in range(MOST_PASSES):
        before = text
        for each in lint(compiled, profiles):
            if not each.edits or each.reason:
                continue
            try:
                after = apply(text, each.edits)
                compiled = run(after, path, libraries)
            except CompileError:
                continue
            text, count = after, count + 1
            break
        if text == before:
            break
    return text, count


def _order(finding: Finding) -> tuple[int, str]:
    span = finding.diagnostic.span
    return (0 if span is None else span.start), finding.code
