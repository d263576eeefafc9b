"""What a rule found, and edits that mend it."""

from __future__ import annotations

from collections.abc import Sequence

from cpol.compiler.diagnostics import Diagnostic
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.nodes import dataclass


@dataclass(frozen=True)
class Edit:
    """`text` in place of what `span` of the policy's file holds."""

    span: Span
    text: str


@dataclass(frozen=True)
class Finding:
    """What a rule found. `edits` mend it without a change of decisions; there may be none.

    `reason` is set if a comment silences it: why.
    """

    diagnostic: Diagnostic
    edits: tuple[Edit, ...] = ()
    reason: str = ""

    @property
    def code(self) -> str:
        return self.diagnostic.code


def apply(text: str, edits: Sequence[Edit]) -> str:
    """The text after all edits that touch no earlier one."""
    parts, at = list[str](), 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        if edit.span.start < at:
            continue
        parts += (text[at : edit.span.start], edit.text)
        at = edit.span.end
    return "".join(parts) + text[at:]
