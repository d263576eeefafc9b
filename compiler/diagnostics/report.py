"""What the compiler has to say about a policy."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from cpol.compiler.diagnostics.source import Source, Span

MAX_ERRORS = 100
"""Of one compilation."""


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

    def render(self, color: bool = False) -> str:
        from cpol.compiler.diagnostics.render import render

        return render(self, color)


class CompileError(Exception):
    """The text is no policy. `diagnostics` holds its errors, at least one, in the order of the text."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        self.diagnostics = diagnostics
        super().__init__(diagnostics)

    def __str__(self) -> str:
        return self.render()

    def render(self, color: bool = False) -> str:
        return "\n\n".join(d.render(color) for d in self.diagnostics)


@dataclass
class Report:
    """Collects the diagnostics of one compilation."""

    source: Source
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _seen: set[tuple[str, Span | None]] = field(default_factory=set)

    def error(
        self,
        code: str,
        span: Span | None,
        message: str,
        *,
        label: str = "",
        why: str = "",
        help: str = "",
        others: tuple[Label, ...] = (),
    ) -> None:
        self._add(Diagnostic(code, message, self.source, span, label, why, help, others))

    def warning(self, code: str, span: Span, message: str, *, label: str = "", why: str = "", help: str = "") -> None:
        self._add(Diagnostic(code, message, self.source, span, label, why, help, (), Severity.WARNING))

    def _add(self, diagnostic: Diagnostic) -> None:
        key = (diagnostic.message, diagnostic.span)
        if key not in self._seen:
            self._seen.add(key)
            self.diagnostics.append(diagnostic)
            if self.errors == MAX_ERRORS:
                self.diagnostics.append(
                    Diagnostic("E0018", f"{MAX_ERRORS} errors are enough: the rest is not looked at", self.source, None)
                )
                self.check()

    @property
    def errors(self) -> int:
        return sum(d.severity is Severity.ERROR for d in self.diagnostics)

    @property
    def failed(self) -> bool:
        return self.errors > 0

    def sorted(self) -> list[Diagnostic]:
        return sorted(self.diagnostics, key=lambda d: d.span.start if d.span else len(self.source.text))

    def check(self) -> None:
        """Raise the errors, if there are any; a warning may be but what an error makes of the rest."""
        if self.failed:
            raise CompileError([d for d in self.sorted() if d.severity is Severity.ERROR])
