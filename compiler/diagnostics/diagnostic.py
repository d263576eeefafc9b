"""One error or warning."""

from __future__ import annotations

from enum import Enum

from cpol.compiler.diagnostics.edit import Fix
from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.nodes import dataclass


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Label:
    """An additional place that explains the error."""

    span: Span
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """An error or warning. `code` is a key of errors.toml; `span` is None if no place is to blame.

    `label` appears under the source line, `why` and `help` below it. `fix` mends it, if the compiler knows how.
    """

    code: str
    message: str
    source: Source
    span: Span | None
    label: str = ""
    why: str = ""
    help: str = ""
    others: tuple[Label, ...] = ()
    severity: Severity = Severity.ERROR
    fix: Fix | None = None
