"""One error or warning."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from cpol.compiler.diagnostics.source import Source, Span


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Label:
    """A second place that explains the first."""

    span: Span
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """`code` is one of `compiler/errors.toml`; `label` stands under the source, `why` and `help` below it."""

    code: str
    message: str
    source: Source
    span: Span | None
    label: str = ""
    why: str = ""
    help: str = ""
    others: tuple[Label, ...] = ()
    severity: Severity = Severity.ERROR
